"""A Dask cluster of worker processes in a process of its own: `python dask_cluster.py [adaptive]`.

Two workers, or one to three by what waits. Prints the address of the scheduler and the workers'
process numbers, as JSON, and lives until its standard input ends.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    from distributed import LocalCluster

    adaptive = sys.argv[1:] == ["adaptive"]
    with LocalCluster(
        n_workers=1 if adaptive else 2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=50,
        host="127.0.0.1",
    ) as cluster:
        if adaptive:
            # Grows for what takes longer than half a second.
            cluster.adapt(minimum=1, maximum=3, interval="200ms", target_duration="500ms")
        pids = [worker.pid for worker in cluster.workers.values()]
        print(json.dumps({"address": cluster.scheduler_address, "workers": pids}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

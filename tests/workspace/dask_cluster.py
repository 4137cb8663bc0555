"""A Dask cluster of two worker processes in a process of its own: `python dask_cluster.py`.

Prints the address of its scheduler and the workers' process numbers, as JSON, and lives until its
standard input ends.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs=50,
        host="127.0.0.1",
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]
        print(json.dumps({"address": cluster.scheduler_address, "workers": pids}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

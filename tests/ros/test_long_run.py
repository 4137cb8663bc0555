"""Twin, two cameras, a link and its recorder for half an hour: nothing grows, no state is late.

One command: pytest -m acceptance -s tests/ros/test_long_run.py
BAXTERKIT_MINUTES is another length than 30 minutes.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from ros_masters import PATIENCE, eventually
from twin_process import linked, twin_process

from baxterkit.messages import Message, message_class
from baxterkit.recording import load
from baxterkit.ros import OwnMaster
from baxterkit.ros.graph.node import TcpNode
from baxterkit.sim import Camera, RenderError, Twin

pytestmark = [pytest.mark.acceptance, pytest.mark.real_clock]
MINUTES = float(os.environ.get("BAXTERKIT_MINUTES", "30"))
IDLE = 20.0
"""Time for which nobody listens, at first [s]."""
IDLE_COST = 0.15
"""Most processor time of an idle twin, cameras included [of a core]."""
WARM = 0.2
"""Share of the run after which memory must not grow any more."""
GROWTH = 8.0
"""Most growth after that [MB]: the allocator's own."""
GAP = 0.1
"""Longest time without a state on a quiet machine [s]."""
QUIET = 1.0
"""A machine whose load is below this before the run is quiet."""
LEAST_RATE = 5.0
"""Fewest pictures a second of each camera, on a quiet machine."""
HAND_CAMERAS = ("left_hand_camera", "right_hand_camera")


@dataclass
class Stream:
    """What has come of a topic.

    Attributes:
        count: Messages.
        late: Longest time between two arrivals [s].
        apart: Longest time between two stamps [s].
    """

    count: int = 0
    late: float = 0.0
    apart: float = 0.0
    _last: tuple[float, float] | None = field(default=None, repr=False)

    def hear(self, message: Message, _who: str) -> None:
        """A message of it; states of the grippers' node do not count."""
        if len(getattr(message, "name", ())) == 1:
            return
        now, stamp = time.monotonic(), 1e-9 * message.header.stamp
        if self._last is not None:
            self.late = max(self.late, now - self._last[0])
            self.apart = max(self.apart, stamp - self._last[1])
        self._last, self.count = (now, stamp), self.count + 1


def with_children(pid: int) -> list[int]:
    """A process and those that it has started."""
    text = " ".join(file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(one for child in text.split() for one in with_children(int(child)))]


def used(pid: int) -> tuple[float, float, int]:
    """Memory [MB], processor time [s] and open files of a process."""
    memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return memory / 1e6, ticks, len(os.listdir(f"/proc/{pid}/fd"))


def test_nothing_grows_and_no_state_is_late(tmp_path: Path) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is read from /proc")
    try:
        Camera(Twin(rigid=True), 32, 32)
    except RenderError as error:
        pytest.skip(str(error))
    quiet = os.getloadavg()[0] < QUIET
    duration = 60.0 * MINUTES
    with OwnMaster(0) as master, twin_process(
        master.uri, "--for", f"{duration + 600.0}", cameras=True
    ) as process:  # fmt: skip
        linked(master.uri).close()
        pids = with_children(process.pid)
        assert len(pids) == 2, "the twin, and its cameras' process"
        time.sleep(5.0)
        before = [used(pid)[1] for pid in pids]
        time.sleep(IDLE)
        idle = (sum(used(pid)[1] for pid in pids) - sum(before)) / IDLE

        states = Stream()
        pictures = {name: Stream() for name in HAND_CAMERAS}
        rows: list[list[tuple[float, float, int]]] = []
        every = [*pids, os.getpid()]
        with linked(master.uri) as link, TcpNode("eyes", master.uri) as node:
            node.subscribe(
                "/robot/joint_states", message_class("sensor_msgs/JointState"), states.hear
            )
            for name, stream in pictures.items():
                kind = message_class("sensor_msgs/Image")
                node.subscribe(f"/cameras/{name}/image", kind, stream.hear)
            eventually(lambda: all(one.count for one in pictures.values()), PATIENCE)
            began = time.monotonic()
            counts = {name: one.count for name, one in pictures.items()}
            with link.record(tmp_path / "run.bag"):
                while time.monotonic() < began + duration:
                    rows.append([used(pid) for pid in every])
                    time.sleep(min(5.0, 0.02 * duration))
            took = time.monotonic() - began
            rates = {name: (one.count - counts[name]) / took for name, one in pictures.items()}
    found = np.array(rows)  # time, process, quantity
    first = int(WARM * len(found))
    growth = found[-1, :, 0] - found[first, :, 0]
    cost = (found[-1, :, 1] - found[0, :, 1]) / took
    print(
        f"\n{MINUTES:g} minutes, load {os.getloadavg()[2]:.1f}: idle {100 * idle:.1f} % of a core; "
        f"then twin {100 * cost[0]:.1f} %, cameras {100 * cost[1]:.1f} %; memory grew by "
        f"{', '.join(f'{x:+.1f}' for x in growth)} MB (twin, cameras, this program); "
        f"longest gap {states.late:.3f} s, by stamps {states.apart:.3f} s; "
        f"pictures a second {', '.join(f'{x:.1f}' for x in rates.values())}"
    )
    assert idle < IDLE_COST
    assert (growth < GROWTH).all(), growth
    assert (found[-1, :, 2] <= found[first, :, 2]).all(), "open files"
    assert states.count > 80.0 * took
    assert len(load(tmp_path / "run.bag", side="left")) > 80.0 * took
    if quiet:
        assert states.late < GAP
        assert states.apart < GAP
        assert min(rates.values()) >= LEAST_RATE

"""The numbers that docs/ros-safety.md prints are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from baxterkit.ros import (
    Rules,
    allowance,
    gate,
    openings,
    prediction,
    priority,
    progress,
    rivals,
    safety,
    settling,
    shadow,
    staying,
    strength,
    underway,
)  # fmt: skip
from baxterkit.ros.rules import MARGIN
from baxterkit.scene import clear_motions
from baxterkit.sim.loops import ACCELERATION
from baxterkit.sim.loops import SPEED_RATIO as OF_THE_ROBOT
from baxterkit.sim.nominal import NOISE
from baxterkit.trajectory import swept

PAGE = Path(__file__).parents[2] / "docs" / "ros-safety.md"
RULES = Rules()
BENT = allowance.BEND / allowance.WINDOW

SAYS = {
    "stale": f"the states of both arms are at most {RULES.stale:g} s old",
    "timeout": f"a joint command, or set its command timeout, within {RULES.timeout:g} s",
    "least": f"told the other arm to move within {rivals.LEAST:g} s",
    "stays": f"positions within {staying.STAYS:g} rad of the measured ones that stay within "
    f"{staying.STAYS:g} rad of each other",
    "rests": f"until it has rested for {staying.RESTS:g} s",
    "jump": f"a position is at most {RULES.jump:g} rad from the measured one",
    "margin": f"no link comes within {1e3 * MARGIN:g} mm of another",
    "ratios": f"with {underway.RATIOS[0]:g}, {underway.RATIOS[1]:g} (the robot's own) and "
    f"{underway.RATIOS[2]:.1f}",
    "obeyed": f"obeyed for {RULES.timeout:g} s, then braking",
    "torques": f"the elasticity of its joints for {RULES.torque_timeout:g} s, then braking",
    "braking": f"half of the twin's acceleration ({prediction.BRAKING[0]:g} rad/s², "
    f"{prediction.BRAKING[-1]:g} at the wrist)",
    "width": f"with {1e3 * swept.WIDTH:g} mrad on either side of every joint that moves",
    "late": f"Published velocities are {1e3 * prediction.LATE:g} ms late",
    "remind": f"again with the commands every {gate.REMIND:g} s",
    "parts": f"A tube that is not decided within {clear_motions.MOST_PARTS} parts is refused",
    "silent gripper": f"no state for {openings.QUIET:g} s",
    "burst": f"its velocity limit times (window + {allowance.BURST:g} s)",
    "longest": f"one step at most its limit times {allowance.LONGEST:g} s",
    "bend": f"changes by at most {100.0 * BENT:.0f} % of the limit from "
    f"{1e3 * allowance.WINDOW:g} ms to the next "
    f"({1.5 * BENT / allowance.WINDOW:.1f} rad/s² at a joint of 1.5 rad/s)",
    "settling": f"at least {safety.SETTLING:g} s after the last raw or torque command",
    "first": f"within {allowance.FIRST:g} s times the limit of the measured positions",
    "top": f"the copy is faster than {100.0 * shadow.TOP:g} % of a velocity limit",
    "drive": f"needs more than {100.0 * shadow.DRIVE:g} % of an effort limit",
    "raw top": f"the measured state stays below {100.0 * safety.RAW_TOP:g} %",
    "noise": f"the sensors' noise ({1e3 * NOISE['position'][0]:g} mrad, "
    f"{1e3 * NOISE['velocity'][0]:g} mrad/s)",
    "promise": f"margin of `link.scene` ({1e3 * MARGIN:g} mm)",
    "assumed braking": f"joints brake with at least {prediction.BRAKING[0]:g} and "
    f"{prediction.BRAKING[-1]:g} rad/s²",
    "latest": f"States are at most {prediction.LATEST:g} s old",
    "made up": f"the motion since is made up for {prediction.LATEST:g} s only",
    "fresh": f"(from {1e3 * progress.FRESH * RULES.stale:g} ms on)",
    "old": f"stands still at {1e3 * progress.OLD * RULES.stale:g} ms",
    "ramp": f"picks up again within {progress.RAMP:g} s",
    "nice": f"(niceness {priority.NICE}",
    "holds": f"the robot's own timeout of {RULES.timeout:g} s holds it",
    "at rest": f"slower than {settling.REST:g} rad/s for {settling.QUIET:g} s",
}


@pytest.mark.parametrize("what", SAYS)
def test_the_page_prints_the_number_of_the_code(what: str) -> None:
    assert SAYS[what] in re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))


def test_numbers_that_the_page_has_in_words_are_those_of_the_code() -> None:
    assert (prediction.BRAKING == 0.5 * ACCELERATION).all()  # half of the twin's acceleration
    assert prediction.LOOPS.tolist() == [0.5, 1.0, 2.0]  # half, once and twice
    assert prediction.SHARES.tolist() == [1.0, 0.5, 0.0]  # all, half and none
    assert strength.SHARE == 0.75  # leave motors a quarter of their torque
    assert gate.SPEED_RATIO == OF_THE_ROBOT == underway.RATIOS[1]  # the robot's own
    assert RULES.stall == settling.LONGEST == safety.STOOD == 1.0  # a second

"""The twin against recordings, over seconds: what it does with recorded torques and commands.

Open loop: the twin is put into a measured state and driven by the torques that the joints' sensors
recorded from then on; nothing corrects it. Errors grow as they do for any model, and fast where a
joint has little inertia. The floor beside them is the error of a perfect twin with torques that
err as much: driven by its own torques along the measured motion, with the residuals of another
recording added. Where commands were recorded, the twin is given these, and compared with what the
robot did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from baxterkit import identify, recording
from baxterkit.arm import Arm
from baxterkit.experiments.neural_ode import NeuralOde
from baxterkit.experiments.result import Result, Row, shown
from baxterkit.experiments.settings import Settings
from baxterkit.experiments.twin_truth_figures import truth_figure
from baxterkit.identify.threads import on_one_thread
from baxterkit.model.names import JOINTS, SIDES
from baxterkit.recording import Recording, signals
from baxterkit.sim import Physics, Twin
from baxterkit.sim.joints import motor
from baxterkit.sim.nominal import STIFFNESS
from baxterkit.types import Array, JointVector

HORIZONS = (0.2, 1.0, 2.0)
"""Times after the start at which errors are counted [s]."""
TARED = 3.0
"""Length of the start of each recording that tells the zero of the torque sensors [s]."""
HZ = 10.0
"""Cut-off of the measured motion [Hz]; torques are those recorded, unfiltered."""
EVERY = 5.0
"""Time between the starts of two runs [s]."""
OFTEN = 1.0
"""The same on the other campaign, which is short [s]."""
LAGS = np.concatenate([np.arange(0.01, 0.1, 0.005), np.arange(0.1, 0.45, 0.01)])
"""Lags of the commands' filter that are tried [s]."""
AIM = {0.2: 0.005, 1.0: 0.05}
"""Median errors that were aimed at [rad]."""
NOTES = (
    "Numbers are of s0 s1 e0 e1 w0 w1 w2; medians over all runs. The arm was identified on other "
    f"recordings; the zero of the sensors is that of the first {TARED:g} s. Each run starts in the "
    "measured state, friction's memory included.",
    "Floor: the twin along the same motion, driven by its own torques and the residuals of another "
    "recording, or of another time where there is one only. Where the error is about the floor, it "
    "comes from the torques' residuals (sensors and friction), not from the simulation. Own "
    "torques: without residuals; what is left is the measured state's noise. Steady: the measured "
    "velocity kept, for scale. Neural ODE: a network of two layers of 96 units for accelerations, "
    "fitted to the same recordings as the arm (positions, velocities and torques to 10 Hz), and "
    "integrated with the filtered torques.",
    "w2 turns 0.0006 kg m², so 0.01 N m more than friction holds turn it by a third of a radian in "
    "0.2 s, and torques there err by 0.013 N m: the twin drifts away as far as its floor does. A "
    "network that has learnt to trust these torques less is nearer on the same days, and farther "
    "off on another campaign.",
    "Flexures' stiffness and torque loops: no recording here holds commanded and sensed torques "
    "together, so they remain assumptions. They hardly matter here: sensed torques act on the "
    "links whatever the flexures are.",
)
CLOCK = (
    "The files have no times. Positions and velocities tell their rates: about {} Hz on the same "
    "days, and {} Hz on the other campaign, not the 500 that its name says. Runs of 0.2 s show it: "
    "with 500 Hz the twin's own torques leave 7 mrad at s0, with this rate 1."
)


@dataclass(frozen=True, eq=False)
class _Runs:
    """Errors at the horizons of all runs: q [rad] and qd [rad/s], shape (runs, horizons, 14)."""

    measured: Array
    floor: Array
    own: Array
    steady: Array
    peer: Array

    def median(self, part: slice) -> dict[str, Array]:
        """Median sizes of a part of the columns, each of shape (horizons, 7)."""
        every = {
            "error": self.measured,
            "floor": self.floor,
            "own torques": self.own,
            "steady": self.steady,
            "neural ODE": self.peer,
        }
        return {name: np.median(np.abs(x[..., part]), axis=0) for name, x in every.items()}


def run(settings: Settings) -> Result:
    """Drives the twin as recorded; see `baxterkit.experiments`."""
    # No rate is given: these files have no times, and positions and velocities tell it better.
    same = [recording.load(path, side="left") for path in settings.find("torque/*.csv.gz")]
    notes, other = list(NOTES), []
    if synthetic := len(same) < 3:
        same, notes = _made_up(settings), [settings.missing("torque/*.csv.gz"), *NOTES]
    elif files := settings.find("torque_500hz/*.csv.gz"):
        other = [recording.load(path, side="left") for path in files]
        notes.append(CLOCK.format(*(f"{round(one[0].rate)}" for one in (same, other))))
    fewer = 4.0 if settings.quick else 1.0
    folds = 1 if settings.quick or synthetic else 3
    pooled = []
    for k in range(folds):
        settings.progress("twin_truth: open loop, same days", 0.1 + 0.2 * k)
        kept = [one for i, one in enumerate(same) if i % 3 != k]
        pooled.append(
            _open_loop(identify.dynamics(kept).arm, _peer(kept), same[k::3], EVERY * fewer)
        )
    groups = {"same days" if not synthetic else "made up": pooled}
    if other:
        settings.progress("twin_truth: open loop, another campaign", 0.7)
        groups["another campaign"] = [
            _open_loop(identify.dynamics(same).arm, _peer(same), other, OFTEN * fewer)
        ]
    rows: list[Row] = []
    curves: dict[str, dict[str, Array]] = {}
    for name, runs in groups.items():
        joined = _Runs(
            *(
                np.concatenate([getattr(one, field) for one in runs])
                for field in _Runs.__dataclass_fields__
            )
        )
        rows += _rows(name, joined, synthetic)
        curves[name] = joined.median(slice(0, 7))
    settings.progress("twin_truth: commands", 0.85)
    replays = _replays(settings, rows, notes)
    title = "The twin against recordings, over seconds"
    figures = {"twin_truth": truth_figure(HORIZONS, curves, replays, AIM)}
    return Result("twin_truth", title, rows, figures, notes, is_synthetic=synthetic)


@on_one_thread
def _peer(recordings: Sequence[Recording]) -> NeuralOde:
    """A neural ODE of the same recordings."""
    return NeuralOde([identify.smooth_motion(one, HZ) for one in recordings])


def _open_loop(arm: Arm, peer: NeuralOde, recordings: Sequence[Recording], every: float) -> _Runs:
    """Runs of some recordings; the residuals of each serve the next one's floor."""
    prepared = []
    for rec in recordings:
        today = identify.offsets(arm, rec.slice(None, float(rec.t[0]) + TARED)).arm
        smooth = identify.smooth_motion(rec, HZ)
        assert today.effects is not None
        joints = today.with_effects(today.effects.replace(sensing=None))
        own = identify.predict(joints, smooth)
        # What the sensors show of other joints is not a torque of this one.
        tau = rec.required("tau") - identify.predict(today, smooth) + own
        prepared.append((joints, smooth, tau, own))
    parts: dict[str, list[Array]] = {name: [] for name in _Runs.__dataclass_fields__}
    for k, (today, smooth, tau, own) in enumerate(prepared):
        _, _, other_tau, other_own = prepared[k - 1]
        rest = np.roll(np.resize(other_tau - other_own, tau.shape), len(tau) // 3, axis=0)
        starts = np.arange(smooth.t[0] + TARED, smooth.t[-1] - HORIZONS[-1] - 0.5, every)
        for name, torque in (("measured", tau), ("floor", own + rest), ("own", own)):
            parts[name].append(_driven(today, smooth, torque, starts))
        parts["steady"].append(_steady(smooth, starts))
        parts["peer"].append(peer.driven(smooth, starts, HORIZONS))
    return _Runs(**{name: np.concatenate(part) for name, part in parts.items()})


def _driven(arm: Arm, motion: Recording, torque: JointVector, starts: Array) -> Array:
    """Errors of the twin driven by torques from measured states, (runs, horizons, 14)."""
    q, qd, qdd = motion.q, motion.required("qd"), motion.required("qdd")
    effects = arm.effects
    assert effects is not None
    memory = np.zeros_like(q) if effects.hysteresis is None else effects.hysteresis.states(q)
    # A torque loop lets the sensed torque follow; the motors' inertia is no load of it.
    driving = torque + motor(STIFFNESS)[0] * qdd
    twin = Twin(arm, noise=0.0, physics=Physics(contacts=False, limits=False)).enable()
    limb = twin.limb(arm.side)
    limb.gravity_compensation = False
    ticks = np.arange(round(HORIZONS[-1] * 1e3))
    errors = np.empty((len(starts), len(HORIZONS), 14))
    for k, start in enumerate(starts):
        i = int(np.searchsorted(motion.t, start))
        t = motion.t[i] + 1e-3 * ticks
        commands = np.stack([np.interp(t, motion.t, x) for x in driving.T], axis=1)
        commands = np.clip(commands, -arm.limits.effort, arm.limits.effort)
        placed = {limb.side: q[i], f"qd_{limb.side}": qd[i], "memory": memory[i]}
        twin.place(**placed)
        reached = {round(1e3 * horizon): n for n, horizon in enumerate(HORIZONS)}
        for tick, command in enumerate(commands, start=1):
            limb.command_torque(command)
            twin.step()
            if tick in reached:
                n = reached[tick]
                errors[k, n, :7] = limb.truth.q - _at(motion, q, i, HORIZONS[n])
                errors[k, n, 7:] = limb.truth.qd - _at(motion, qd, i, HORIZONS[n])
    return errors


def _steady(motion: Recording, starts: Array) -> Array:
    """Errors of the measured velocity, kept."""
    q, qd = motion.q, motion.required("qd")
    errors = np.empty((len(starts), len(HORIZONS), 14))
    for k, start in enumerate(starts):
        i = int(np.searchsorted(motion.t, start))
        for n, horizon in enumerate(HORIZONS):
            errors[k, n, :7] = q[i] + horizon * qd[i] - _at(motion, q, i, horizon)
            errors[k, n, 7:] = qd[i] - _at(motion, qd, i, horizon)
    return errors


def _at(motion: Recording, x: Array, i: int, later: float) -> Array:
    """Values a time after row i."""
    value: Array = signals.interpolate(motion.t, x, np.array([motion.t[i] + later]))[0]
    return value


def _rows(name: str, runs: _Runs, synthetic: bool) -> list[Row]:
    """The medians, and whether they are what was aimed at or the floor."""
    rows = []
    for what, part, unit in (("q", slice(0, 7), "rad"), ("qd", slice(7, 14), "rad/s")):
        section = f"Open loop with recorded torques, {name}: median |error of {what}| [{unit}]"
        found = runs.median(part)
        for n, horizon in enumerate(HORIZONS):
            for kind, values in found.items():
                quantity = f"after {horizon:g} s, {kind} ({len(runs.measured)} runs)"
                rows.append(_row(quantity, values[n], section, synthetic))
            if what == "q" and horizon in AIM:
                quantity = f"after {horizon:g} s: at most {AIM[horizon]:g} rad, or the floor"
                text = _within(found["error"][n], found["floor"][n], AIM[horizon])
                rows.append(Row(quantity, None, text, rows[-1].verdict, section))
    return rows


def _within(errors: Array, floors: Array, aim: float) -> str:
    """Which joints are within the aim, and how far above or below their floor the others are."""
    within = [joint for joint, error in zip(JOINTS, errors, strict=True) if error <= aim]
    others = [
        f"{joint} {error / floor:.1f} times its floor"
        for joint, error, floor in zip(JOINTS, errors, floors, strict=True)
        if error > aim
    ]
    return "; ".join([f"{' '.join(within) or 'none'} within it", *others])


def _row(quantity: str, values: Array, section: str, synthetic: bool) -> Row:
    cells = {joint: shown(float(x)) for joint, x in zip(JOINTS, values, strict=True)}
    verdict = "synthetic" if synthetic else "no number"
    return Row(quantity, None, values.tolist(), verdict, section, cells)  # type: ignore[arg-type]


def _replays(
    settings: Settings, rows: list[Row], notes: list[str]
) -> Mapping[str, tuple[Array, Array, Array]]:
    """Replays recorded commands; adds rows; times, sensed and simulated s0 of each arm."""
    files = settings.find("replay/klampt_ref.path.gz") + settings.find("replay/klampt_sensed*.gz")
    if len(files) != 2:
        notes.append("No recorded commands (replay/klampt_ref.path.gz, klampt_sensed.path.gz).")
        return {}
    wanted, sensed = ({s: recording.load(path, s) for s in SIDES} for path in files)
    lags = {side: _lag(wanted[side], sensed[side]) for side in SIDES}
    other = {"left": "right", "right": "left"}
    section = "Recorded position commands, another robot: RMS of q of the twin less q sensed [rad]"
    drawn = {}
    for side in SIDES:
        rows.append(_row(f"{side} arm: lag of the robot [s]", lags[side], section, False))
        modes: dict[str, tuple[bool, Array | None]] = {
            "raw position, lag of the other arm": (True, lags[other[side]]),
            "raw position, 25 ms": (True, None),
            "position (0.4 s)": (False, None),
        }
        for name, (raw, lag) in modes.items():
            q = _commanded(wanted[side], sensed[side], raw, lag)
            error = np.sqrt(np.mean((q - sensed[side].q) ** 2, axis=0))
            rows.append(_row(f"{side} arm: {name}", error, section, False))
            if lag is not None:
                drawn[side] = (sensed[side].t, sensed[side].q, q)
    notes.append(
        "Recorded commands (Klamp't, both arms, 34 s at up to 2.2 rad/s): this robot lags by 0.2 s "
        "at the shoulder and elbow and by 0.06 s at the wrist, neither the 0.4 s of position mode "
        "that owners of another robot measured nor the 25 ms assumed for raw positions; which mode "
        "it was in is not recorded. `limb.command_lag` sets the lag of a twin."
    )
    return drawn


def _lag(wanted: Recording, sensed: Recording) -> Array:
    """Lag of each joint behind its commands, of a low-pass with two equal poles [s], (7,)."""
    step = float(np.median(np.diff(wanted.t)))
    errors = np.empty((len(LAGS), 7))
    for k, lag in enumerate(LAGS):
        pole = np.exp(-2.0 * step / lag)
        once = twice = wanted.q[0]
        followed = np.empty_like(wanted.q)
        for i, q in enumerate(wanted.q):
            once = pole * once + (1.0 - pole) * q
            twice = pole * twice + (1.0 - pole) * once
            followed[i] = twice
        errors[k] = np.mean((followed - sensed.q) ** 2, axis=0)
    found: Array = LAGS[np.argmin(errors, axis=0)]
    return found


def _commanded(wanted: Recording, sensed: Recording, raw: bool, lag: Array | None) -> JointVector:
    """Positions of the twin under recorded commands, at the rows of the recording [rad]."""
    assert wanted.side is not None
    twin = Twin(noise=0.0, physics=Physics(contacts=False)).enable()
    limb = twin.limb(wanted.side)
    limb.speed_ratio = 1.0
    if lag is not None:
        limb.command_lag = lag
    limits = limb.arm.limits
    twin.place(**{limb.side: limits.clip(sensed.q[0])})
    q = np.empty_like(sensed.q)
    for i, command in enumerate(limits.clip(wanted.q)):
        q[i] = limb.truth.q
        limb.command_position(command, raw=raw)
        twin.step(10)
    return q


def _made_up(settings: Settings) -> list[Recording]:
    """Recordings of a robot that is not one."""
    from baxterkit.sim.nominal import nominal_effects

    robot = Arm("left").with_effects(nominal_effects())
    motions = [
        identify.exciting_motion(robot, 20.0, part=0.4, seed=10 * settings.seed + k)
        for k in (1, 2, 3)
    ]
    return [identify.simulated_recording(robot, one) for one in motions]

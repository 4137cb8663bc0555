"""Files that commands read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from recorded_devices import rows

from baxterkit import Arm, spatial
from baxterkit.collision import World
from baxterkit.lesson import Lesson
from baxterkit.trajectory import min_jerk


def write_examples(folder: Path) -> None:
    """The files that the examples of the help read, but for a map."""
    arm = Arm("left")
    urdf = arm.to_urdf()
    (folder / "my_baxter.urdf").write_text(urdf)
    (folder / "robot.urdf").write_text(urdf.replace("base", "base_link").replace("_tip", "_tool0"))
    (folder / "angles.csv").write_text("s0,s1,e0,e1,w0,w1,w2\n" + "0,0,0,0,0,0,0\n" * 20)
    write_recording(arm, folder / "recording.csv")
    arm.to_file(folder / "robot.toml")
    (folder / "drawing.csv").write_text("x,y,z\n0.6,0.2,0.1\n0.65,0.2,0.1\n0.65,0.25,0.12\n")
    (folder / "waypoints.csv").write_text("0,-.55,0,.75,0,1.26,0\n0,-1,-.5,1.2,.3,1.1,0\n")
    write_hands(folder)
    lab = World()
    lab.add_box("table", (0.6, 1.2, 0.04), [0.9, 0.0, -0.3])
    lab.save(folder / "lab.toml")
    min_jerk(arm, arm.configuration("neutral"), arm.configuration("untuck")).save(
        folder / "motion.json"
    )
    untuck = arm.configuration("untuck")
    Lesson(min_jerk(arm, untuck, untuck + 0.1 * np.eye(7)[0], 1.0)).save(folder / "wave.json")
    (folder / "pad.js").write_bytes(b"".join(data for _, data in rows("gamepad")))


def write_hands(folder: Path) -> None:
    """Poses of a box that is lifted, and of the hands that hold it."""
    box = np.tile(np.eye(4), (20, 1, 1))
    box[:, :3, 3] = np.linspace([0.5, 0.0, 0.05], [0.55, 0.05, 0.25], 20)
    T_box_left = spatial.transform(spatial.rpy_to_matrix([np.pi / 2, 0, 0]), [0, 0.2, 0])
    hands = {"left_hand": box @ T_box_left, "right_hand": box @ spatial.mirrored(T_box_left)}
    for name, Ts in {"box": box, **hands}.items():
        quaternions = spatial.matrix_to_quaternion(Ts[:, :3, :3])
        rows = np.concatenate([Ts[:, :3, 3], quaternions], axis=1)
        header = "x,y,z,qx,qy,qz,qw"
        np.savetxt(folder / f"{name}.csv", rows, delimiter=",", header=header, comments="")


def write_recording(arm: Arm, path: Path) -> None:
    """Two seconds of motion as a CSV file: time, angles, velocities, torques."""
    t = np.arange(200) / 100.0
    q = arm.configuration("neutral") + 0.2 * np.sin(np.outer(t, np.linspace(2.0, 4.0, 7)))
    qd = np.gradient(q, t, axis=0)
    tau = arm.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    joints = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
    names = ["time", *(f"{kind}_{joint}" for kind in ("q", "qd", "tau") for joint in joints)]
    rows = np.concatenate([t[:, None], q, qd, tau], axis=1)
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="")

"""Twelve questions to the library, each answered in five lines or less.

Every function is one; what it is given stands for your own data.
"""

from pathlib import Path

import numpy as np

from baxterkit import Arm, Baxter, Payload, Tool, identify, recording, spatial
from baxterkit.codegen import export
from baxterkit.experiments import pose_recording
from baxterkit.ik import Pointing
from baxterkit.trajectory import lines, save_playback
from baxterkit.viewer import Motion, Session

CLAW = """<robot name="claw"><link name="body"><inertial><origin xyz="0 0 0.04"/><mass value="0.5"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/></inertial></link><link name="claw_tip"/>
<joint name="fixed" type="fixed"><parent link="body"/><child link="claw_tip"/>
<origin xyz="0 0 0.13"/></joint></robot>"""


def ten_centimetres_up_as_a_file_for_the_robot(arm: Arm, q: np.ndarray) -> str:
    T = arm.fk(q)
    up = spatial.transform(T[:3, :3], T[:3, 3] + [0.0, 0.0, 0.1])
    motion = lines([T, up]).to_joints(arm, q).check()
    return save_playback("up.csv", left=motion).read_text()[:24]


def mount_from_a_csv(path: Path) -> np.ndarray:
    fit = identify.mount(recording.load(path, side="right"))
    return fit.arm.model.T_base_s0[:3, 3]


def gravity_with_two_kilograms(q: np.ndarray) -> np.ndarray:
    return Arm("left", "electric_standard", payload=Payload(2.0)).gravity(q)


def every_elbow_up_solution(arm: Arm, T: np.ndarray) -> np.ndarray:
    found = arm.ik_all(T, np.linspace(-3.0, 3.0, 25), posture="elbow_up")  # at 25 values of e0
    return found[~np.isnan(found[..., 0])]


def carry_a_box_with_two_hands(robot: Baxter, Ts_box: np.ndarray) -> bool:
    left = spatial.transform(spatial.rpy_to_matrix([np.pi / 2, 0.0, 0.0]), [0.0, 0.15, 0.0])
    path = robot.hands.ik_path(Ts_box @ left, Ts_box @ spatial.mirrored(left))
    return path.solved and not robot.in_collision(path.q_left, path.q_right).any()


def keep_off_the_limits(arm: Arm, Ts: np.ndarray) -> float:
    path = arm.ik_path(Ts, objective="limits").raise_if_failed()
    return np.minimum(path.q - arm.limits.lower, arm.limits.upper - path.q).min()


def camera_looks_at_a_point(arm: Arm, place: np.ndarray, point: np.ndarray) -> np.ndarray:
    q = arm.ik(Pointing(place, point - place), of="left_hand_camera").raise_if_failed().q
    T = arm.fk(q, of="left_hand_camera")
    return spatial.inverse(T) @ np.append(point, 1.0)  # straight ahead: x = y = 0


def own_gripper_from_a_urdf(path: Path | str) -> Arm:
    return Arm("left", Tool.from_urdf(path))


def joints_as_a_dict_in_and_out(arm: Arm, message: dict[str, float]) -> dict[str, float]:
    T = arm.fk(message)
    return arm.named(arm.ik(T, seed=message, objective="nearest").q)


def cpp_for_a_control_loop(arm: Arm) -> list[str]:
    headers = {"ik": "baxter_ik", "inverse_dynamics": "torques"}  # then: examples/cpp_loop
    for what, name in headers.items():
        Path(f"{name}.hpp").write_text(export(what, "cpp", arm, name=name))
    return [f"{name}.hpp" for name in headers.values()]


def replay_with_a_pause(session: Session, motion: Motion) -> float:
    session.play(motion)  # in a browser: Viewer().session
    while session.moving and session.player.time < 0.5:
        session.step(0.01)
    session.pause()
    return session.player.time


def transform_between_any_two_frames(robot: Baxter, q: np.ndarray, head: float) -> np.ndarray:
    return robot.transform("head_camera", "right_hand_range", q_right=q, head=head)[:3, 3]


if __name__ == "__main__":
    np.set_printoptions(precision=3, suppress=True)
    arm, other = Arm("left", "electric_standard"), Arm("right", "electric_standard")
    robot = Baxter(arm, other)
    q = arm.ik(spatial.transform(np.diag([1.0, -1.0, -1.0]), [0.6, 0.25, 0.1])).q
    T, s = arm.fk(q), np.linspace(0.0, 1.0, 40)[:, None]
    Ts = spatial.transform(T[:3, :3], T[:3, 3] + s * [0.0, 0.1, 0.1])
    Ts_box = spatial.transform(np.eye(3), [0.45, 0.0, 0.05] + s * [0.05, 0.05, 0.2])
    motion = Motion.from_trajectory(lines(Ts[::39]).to_joints(arm, q), "move")
    pose_recording("right").save("poses.csv")
    print("file for the robot:", ten_centimetres_up_as_a_file_for_the_robot(arm, q))
    print("mount:", mount_from_a_csv(Path("poses.csv")))
    print("gravity torques:", gravity_with_two_kilograms(q))
    print("elbow-up solutions:", every_elbow_up_solution(arm, T).shape)
    print("box carried, nothing touched:", carry_a_box_with_two_hands(robot, Ts_box))
    print(f"least distance to a limit: {keep_off_the_limits(arm, Ts):.3f} rad")
    seen = camera_looks_at_a_point(arm, np.array([0.6, 0.3, 0.3]), np.array([0.75, 0.1, -0.1]))
    print("the point in the camera's frame:", seen[:3])
    print("own gripper:", own_gripper_from_a_urdf(CLAW))
    print("joints:", joints_as_a_dict_in_and_out(arm, dict(sorted(arm.named(q).items()))))
    print("for C++:", cpp_for_a_control_loop(arm))
    print(f"paused at {replay_with_a_pause(Session(), motion):.2f} s")
    seen = transform_between_any_two_frames(robot, other.configuration("untuck"), 0.3)
    print("the hand in the head camera's frame:", seen)

"""Rethink's own programs, made ready to run: a copy after 2to3, with messages for rospy.

The folder that BAXTERKIT_RETHINK names holds checkouts of Rethink's repositories (baxter_interface,
baxter_examples, baxter_tools, baxter_common) or of baxter_legacy, a port to Python 3. Nothing of it
is part of this project: copies are made in a temporary folder, and run by the system's Python,
which has rospy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from baxterkit.messages.definitions import TEXTS

PYTHON = "/usr/bin/python3"
PACKAGES = ("baxter_interface", "baxter_examples", "baxter_tools", "baxter_pykdl")
GENERATED = ("baxter_core_msgs", "baxter_maintenance_msgs", "control_msgs", "std_srvs")
ACTIONS = ("FollowJointTrajectory", "SingleJointPosition", "GripperCommand")
ACTION = """{0}ActionGoal action_goal
{0}ActionResult action_result
{0}ActionFeedback action_feedback
"""
"""What actionlib asks for besides the messages of an action."""
GRIPPED = "float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n"
PARTS = {
    "GripperCommand": "float64 position\nfloat64 max_effort\n",
    "GripperCommandGoal": "GripperCommand command\n",
    "GripperCommandResult": GRIPPED,
    "GripperCommandFeedback": GRIPPED,
    "SingleJointPositionGoal": "float64 position\nduration min_duration\nfloat64 max_velocity\n",
    "SingleJointPositionResult": "",
    "SingleJointPositionFeedback":
        "Header header\nfloat64 position\nfloat64 velocity\nfloat64 error\n",
}  # fmt: skip
"""Messages of the actions that Rethink's own servers serve beside the robot."""
ENVELOPES = {
    "Goal": "Header header\nactionlib_msgs/GoalID goal_id\n{0}Goal goal\n",
    "Result": "Header header\nactionlib_msgs/GoalStatus status\n{0}Result result\n",
    "Feedback": "Header header\nactionlib_msgs/GoalStatus status\n{0}Feedback feedback\n",
}
BESIDES = {
    "xacro_jade.py": """from xml.dom.minidom import parse as _parse
def parse(text, filename):
    return _parse(filename)
def process_doc(doc, in_order=False):
    pass
""",
    "sitecustomize.py": """import threading, types
import rospy.impl.tcpros_pubsub as connections
connections.threading = types.SimpleNamespace(**vars(threading) | {"Lock": threading.RLock})
""",
    "joystick_beside.py": """import rospy
from sensor_msgs.msg import Joy
rospy.init_node("joy_node")
joy, rate = rospy.Publisher("/joy", Joy, queue_size=1), rospy.Rate(20)
for n in range(10000):
    if rospy.is_shutdown():
        break
    stick = 1.0 if n % 40 < 20 else -1.0
    axes = [0.0, 0.0, 1.0, stick, 0.0, 1.0 if n % 80 < 40 else -1.0, 0.0, 0.0]
    joy.publish(Joy(axes=axes, buttons=[0] * 16))
    rate.sleep()
""",
}
"""What stands for programs that a machine may lack: xacro, for files without macros, and a
joystick whose right stick and right trigger move. And a mend of rospy, which calls what programs do
at their end in the midst of what they were doing: one that was just publishing would wait for
itself for ever."""
TEMPLATES = {
    "ConfigType.h.template": "",
    "GroupClass.h.template": "",
    "ConfigType.py.template": """inf = float("inf")
config_description = $pycfgdata
parameters = []
groups = [config_description]
for group in groups:
    parameters += group["parameters"]
    groups += group["groups"]
min, max, defaults, level, type = ({p["name"]: p[key] for p in parameters}
                                   for key in ("min", "max", "default", "level", "type"))
all_level = 0
""",
}
"""For dynamic_reconfigure, whose own are not in Debian's package."""
NEEDED = (
    "import actionlib, cv2, cv_bridge, dynamic_reconfigure, genpy, lib2to3, rospy, trajectory_msgs"
)
GENERATE = "/usr/lib/genpy"
LEFT_OVER = {
    "Joint.None": "Joint.Fixed",
    "operator.div,": "operator.truediv,",
    "self._rate = 500.0": "self._rate = 500",
}
"""What 2to3 does not see: a keyword, a function that is gone, a float sent as an integer."""


def missing() -> str | None:
    """Why the programs cannot run here; None if they can."""
    folder = os.environ.get("BAXTERKIT_RETHINK")
    if not folder or not Path(folder).is_dir():
        return "BAXTERKIT_RETHINK names no folder"
    done = subprocess.run([PYTHON, "-c", NEEDED], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    return None


class Programs:
    """A workspace of Rethink's programs.

    Args:
        into: An empty folder.
    """

    def __init__(self, into: Path) -> None:
        source = Path(os.environ["BAXTERKIT_RETHINK"])
        self.folder = into
        for package in PACKAGES:
            shutil.copytree(_found(source, package), into / package)
        for file in into.rglob("*.py"):
            text = file.read_text(errors="replace").expandtabs(8)
            for old, new in LEFT_OVER.items():
                text = text.replace(old, new)
            file.write_text(text)
        fix = [PYTHON, "-W", "ignore", "-m", "lib2to3", "-w", "-n", "--no-diffs"]
        subprocess.run([*fix, *map(str, into.iterdir())], capture_output=True, check=True)
        self._messages(source)
        self._settings()

    def _messages(self, source: Path) -> None:
        """Messages of the robot for rospy, from our definitions, and others from the checkout."""
        texts = self.folder / "definitions"
        for name, text in TEXTS.items():
            package, short = name.split("/")
            ending = "srv" if "---\n" in text else "msg"
            file = texts / package / ending / f"{short}.{ending}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        control = texts / "control_msgs" / "msg"
        for name, text in PARTS.items():
            (control / f"{name}.msg").write_text(text)
        for name in ACTIONS:
            (control / f"{name}Action.msg").write_text(ACTION.format(name))
            for part, text in ENVELOPES.items():
                file = control / f"{name}Action{part}.msg"
                if not file.exists():
                    file.write_text(text.format(name))
        maintenance = _found(source, "baxter_maintenance_msgs") / "msg"
        for file in maintenance.glob("*.msg"):
            shutil.copy(file, texts / "baxter_maintenance_msgs" / "msg")
        include = [
            word for folder in texts.iterdir() for word in ("-I", f"{folder.name}:{folder / 'msg'}")
        ]
        for package in GENERATED:
            for ending in ("msg", "srv"):
                out = self.folder / "python" / package / ending
                files = sorted((texts / package / ending).glob(f"*.{ending}"))
                if not files:
                    continue
                out.mkdir(parents=True, exist_ok=True)
                (out.parent / "__init__.py").touch()
                make = [PYTHON, f"{GENERATE}/gen{ending}_py.py"]
                tail = ["-p", package, "-o", str(out), *include]
                for file in files:
                    subprocess.run([*make, str(file), *tail], check=True, capture_output=True)
                (out / "__init__.py").write_text(
                    "".join(f"from ._{file.stem} import *\n" for file in files)
                )
        for name, text in BESIDES.items():
            (self.folder / "python" / name).write_text(text)

    def _settings(self) -> None:
        """The settings of springs and trajectory servers, as dynamic_reconfigure makes them."""
        templates = self.folder / "reconfigure" / "templates"
        templates.mkdir(parents=True)
        for name, text in TEMPLATES.items():
            (templates / name).write_text(text)
        for file in self.folder.glob("*/cfg/*.cfg"):
            package = file.parent.parent
            out = package / "src" / package.name
            other = str(self.folder / "reconfigure")
            make = [PYTHON, str(file), other, other, other, str(out)]
            here = self.environment("http://127.0.0.1:9")
            subprocess.run(make, capture_output=True, check=True, cwd=self.folder, env=here)
            (out / "cfg").mkdir(exist_ok=True)
            (out / "cfg" / "__init__.py").touch()

    def environment(self, master: str) -> dict[str, str]:
        """The variables that the programs run with."""
        sources = [str(self.folder / package / "src") for package in PACKAGES]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([*sources, str(self.folder / "python")]),
            "ROS_PACKAGE_PATH": str(self.folder),
            "ROS_MASTER_URI": master,
            "ROS_IP": "127.0.0.1",
            "ROS_LOG_DIR": str(self.folder / "log"),
            "HOME": str(self.folder),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
        }

    def command(self, script: str) -> list[str]:
        """What runs a script, such as "baxter_tools/scripts/enable_robot.py"."""
        return [PYTHON, "-W", "ignore", str(self.folder / script)]


def _found(source: Path, package: str) -> Path:
    """The folder of a package, in a checkout of its own or within another one."""
    places = [place for place in source.rglob(package) if (place / "package.xml").exists()]
    if not places:
        raise FileNotFoundError(f"{source} holds no package {package}")
    return min(places, key=lambda place: (len(place.parts), str(place)))

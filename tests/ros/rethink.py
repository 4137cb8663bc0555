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
PACKAGES = ("baxter_interface", "baxter_examples", "baxter_tools")
GENERATED = ("baxter_core_msgs", "baxter_maintenance_msgs", "control_msgs")
NEEDED = "import actionlib, cv2, cv_bridge, rospy, genpy, lib2to3"
GENERATE = "/usr/lib/genpy"


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
            file.write_text(file.read_text(errors="replace").expandtabs(8))
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

    def _settings(self) -> None:
        """The settings of the trajectory servers, where dynamic_reconfigure can make them."""
        out = self.folder / "python_cfg"
        for file in (self.folder / "baxter_interface" / "cfg").glob("*.cfg"):
            subprocess.run(
                [PYTHON, str(file), "", str(out / "share"), str(out / "include"),
                 str(self.folder / "baxter_interface" / "src" / "baxter_interface")],
                capture_output=True, check=False, cwd=self.folder,
            )  # fmt: skip
        made = self.folder / "baxter_interface" / "src" / "baxter_interface" / "cfg"
        if made.is_dir():
            (made / "__init__.py").touch()

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

"""Draw the pictures of the documents into docs/images."""

from __future__ import annotations

from pathlib import Path

from baxterkit import Baxter, plot

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def main() -> None:
    """Draws them all."""
    robot = Baxter()
    for pose in ("neutral", "untuck"):
        q_left, q_right = robot.left.pose(pose), robot.right.pose(pose)
        figure = plot.skeleton_both(robot, q_left, q_right, title=f"Baxter, {pose} pose")
        print(plot.save(figure, IMAGES / f"skeleton_{pose}.png").name)


if __name__ == "__main__":
    main()

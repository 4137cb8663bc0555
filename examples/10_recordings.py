"""Read, clean and save a recording: any file of a Baxter, or a made-up one if none is given.

Usage: python 10_recordings.py [FILE [SIDE]]
"""

import sys

import numpy as np

from baxterkit import Arm, recording

if len(sys.argv) > 1:
    rec = recording.load(sys.argv[1], *sys.argv[2:3], bad_rows="drop")
else:
    # A circle of the elbow, with the steps of the robot's sensors: positions and velocities.
    t = np.arange(2000) / 100.0
    turn = t[:, None] + np.arange(7)
    q = Arm("left").configuration("neutral") + 0.2 * np.sin(turn)
    step_q, step_qd = 2.0 * np.pi / 16384, np.pi / 8000
    rec = recording.Recording(
        t=t,
        q=np.round(q / step_q) * step_q,
        qd=np.round(0.2 * np.cos(turn) / step_qd) * step_qd,
        side="left",
        source="made up",
    )
print(rec)
for note in rec.notes:
    print("note:", note)

moving = rec.filtered(min(5.0, 0.2 * rec.rate)).with_acceleration()
rough = rec.with_acceleration("difference")
print("largest accelerations, smooth [rad/s²]:    ", np.abs(moving.qdd).max(axis=0).round(2))
print("largest accelerations, difference [rad/s²]:", np.abs(rough.qdd).max(axis=0).round(2))

path = moving.resampled(50.0).save("clean.csv.gz")
print(f"saved {path}: {recording.load(path)}")
if moving.side is not None:  # for ROS 2 and Foxglove
    path = moving.save("clean.mcap")
    print(f"saved {path}: {recording.load(path)}")

"""Run by the Python of LeRobot's own environment: reads a dataset, and writes a copy of it.

python read_lerobot.py DATASET OUT.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from lerobot.datasets.lerobot_dataset import LeRobotDataset

FRONT = "observation.images.front"
source, out = Path(sys.argv[1]), Path(sys.argv[2])
data = LeRobotDataset("baxterkit/test", root=source, video_backend="pyav")
rows = []
for i in range(len(data)):
    row = data[i]
    rows.append({
        "state": row["observation.state"].tolist(), "action": row["action"].tolist(),
        "task": row["task"], "time": float(row["timestamp"]), "episode": int(row["episode_index"]),
        "picture": row[FRONT].mean((1, 2)).tolist(),
    })  # fmt: skip
# LeRobot's own writer, without pictures: what others' datasets look like.
features = {key: data.meta.features[key] for key in ("observation.state", "action")}
copy = LeRobotDataset.create(
    "baxterkit/copy", data.fps, {k: {**f, "shape": tuple(f["shape"])} for k, f in features.items()},
    root=out.parent / "copy", robot_type="baxter", use_videos=False,
)  # fmt: skip
for i, row in enumerate(rows):
    frame = data.hf_dataset[i]
    copy.add_frame({**{key: frame[key] for key in features}, "task": row["task"]})
    if i + 1 == len(rows) or rows[i + 1]["episode"] != row["episode"]:
        copy.save_episode()
copy.finalize()
seen = {
    "episodes": data.num_episodes, "frames": data.num_frames, "fps": data.fps, "rows": rows,
    "robot": data.meta.robot_type, "copy": str(copy.root),
}  # fmt: skip
out.write_text(json.dumps(seen), encoding="utf-8")

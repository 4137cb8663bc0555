"""Scores of the identified model on another day: `benchmarks/results/campaigns.json`.

Fits the recordings in BAXTERKIT_DATA/torque and predicts those left out, and those of another
campaign (torque_500hz), with and without the zero of the torque sensors from the first three
seconds (`identify.offsets`); then the reverse. Beside them the floor: how well a motion predicts
its own repetition.

    python tools/campaign_scores.py
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

from baxterkit import Arm, identify, recording
from baxterkit.recording import Recording

KEPT = Path(__file__).parents[1] / "benchmarks" / "results" / "campaigns.json"
SECONDS = 3.0
HZ = 5.0
FOLDS = 3


def main() -> None:
    """Writes the scores."""
    data = Path(os.environ["BAXTERKIT_DATA"])
    same = loaded(data / "torque", 100.0)
    other = loaded(data / "torque_500hz", 500.0)
    rows: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for fold in range(FOLDS):
        kept = [rec for k, rec in enumerate(same) if k % FOLDS != fold]
        arm = identify.dynamics(kept).arm
        for rec in same[fold::FOLDS]:
            add(rows, "same days", arm, rec)
    arm = identify.dynamics(same).arm
    for rec in other:
        add(rows, "another campaign", arm, rec)
    arm = identify.dynamics(other).arm
    for rec in same:
        add(rows, "in reverse: same days by the other campaign", arm, rec)
    del rows["in reverse: same days by the other campaign"]  # another day's zero, nothing more
    scores = {name: r2(pairs) for name, pairs in rows.items()}
    scores["same days, repetition"] = np.median([repeated(rec) for rec in same[1:]], axis=0)
    scores["another campaign, repetition"] = np.median([repeated(rec) for rec in other], axis=0)
    content = {name: [round(float(x), 4) for x in values] for name, values in scores.items()}
    KEPT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(KEPT.read_text("utf-8"))


def loaded(folder: Path, rate: float) -> list[Recording]:
    """The recordings of a folder."""
    files = sorted(folder.glob("*.csv.gz"))
    return [recording.load(path, side="left", rate=rate) for path in files]


def add(
    rows: dict[str, list[tuple[np.ndarray, np.ndarray]]], name: str, arm: Arm, rec: Recording
) -> None:
    """Measured and predicted torques after the first seconds, without and with the tare."""
    smooth = rec.filtered(HZ).with_acceleration()
    later = smooth.t >= SECONDS
    today = identify.offsets(arm, rec.slice(0.0, SECONDS)).arm
    for label, model in ((name, arm), (f"{name}, tared", today)):
        pair = smooth.required("tau")[later], identify.predict(model, smooth)[later]
        rows.setdefault(label, []).append(pair)


def r2(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """R² of each joint, pooled over recordings."""
    measured, predicted = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return identify.Scores.of(measured, predicted).r2


def repeated(rec: Recording) -> np.ndarray:
    """R² of each joint if the torque one repetition of the motion earlier were the prediction.

    Both are noisy, so half of their mean square difference counts.
    """
    smooth = rec.filtered(HZ)
    step = smooth.t[1] - smooth.t[0]
    lags = range(round(1.5 / step), len(smooth) // 2)
    lag = min(lags, key=lambda k: float(np.mean((smooth.q[k:] - smooth.q[:-k]) ** 2)))
    tau = smooth.required("tau")
    noise = 0.5 * np.mean((tau[lag:] - tau[:-lag]) ** 2, axis=0)
    floor: np.ndarray = 1.0 - noise / tau.var(axis=0)
    return floor


if __name__ == "__main__":
    main()

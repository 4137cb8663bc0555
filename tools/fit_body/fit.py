"""Fits capsules (arms) and rounded boxes (what stands, and the head) to the meshes.

Usage: python tools/fit_body/fit.py DATA OUT [start=FILE] [splits=N] [steps=N]
       [held=PART,PART] [afresh=PART:N] [alone=PART,PART] [starts=N]
       [batch=N] [seed=N]

DATA is the folder that truth.py wrote. Without `start`, each part is fitted by itself from many
random starts; then, or from the file of an earlier run or a body.toml, the primitives that reject
most are halved (`splits` of them, where the part's blocks of eight have room), and all are refined
together, but those of the parts that are `held`. A part can be fitted `afresh` with so many
capsules. Where parts, of tools too, are to be fitted `alone`, that is all: nothing is refined.
Writes OUT/fit_raw.json. Needs PyTorch, and a GPU to be done in minutes.

The body in the tree came from a first run, two more with splits=12 and splits=7, and after the
meshes were mended (regrow.py, fingers.py) from three with held=f: splits=40, splits=16, and
afresh=e0:8 seed=2, of 1,300 to 2,200 steps; the pedestal is that of the run before the last. In
those, hands wore the electric gripper (part f was a finger). The bare w2, and the parts of tools,
are from alone=w2,electric,vacuum starts=6 batch=1500 on a processor.
"""

from __future__ import annotations

import json
import math
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import torch
import whole
from parts import parts, points, tool_parts
from shapes import box_depth, capsule_depth, grown

CAPSULES = {
    "s0": 5,
    "s1": 4,
    "e0": 6,
    "e1": 6,
    "w0": 6,
    "w1": 5,
    "w2": 8,
    "electric": 8,
    "vacuum": 8,
}
BOXES = {"torso": (6, 6), "pedestal": (4, 3), "head": (3, 1)}
"""How many to begin with; of boxes: in the middle, and in mirrored pairs."""
WEIGHT = {"torso": 20.0, "pedestal": 20.0}
"""Of a part's coverage against its excess volume, where it is not 1."""
STARTS, STEPS, BATCH = 24, 1000, 5000
RATE = 4e-3


class Part:
    """One rigid part: points on it and around it, and its primitives."""

    def __init__(self, name, meshes, rng, device):
        S, X, D, cell = points(name, meshes, rng)
        self.name, self.cell, self.device = name, cell, device
        self.surface, self.outside, self.distance = (
            torch.tensor(a, dtype=torch.float32, device=device) for a in (S, X, D)
        )
        self.weight = WEIGHT.get(name, 1.0)
        self.central = BOXES[name][0] if name in BOXES else None
        self.P = None

    def depth(self, P, X):
        """How deep points lie inside primitives."""
        return capsule_depth(P, X) if self.central is None else box_depth(P, X, self.central)

    def some(self, points, n):
        """Random ones of the points' numbers."""
        return torch.randint(len(points), (min(len(points), n),), device=self.device)

    def excess(self, P, width, n):
        """Volume of the primitives outside the part [litres], more where it is far away."""
        k = self.some(self.outside, n)
        inside = torch.sigmoid(self.depth(P, self.outside[k]).amax(-2) / width)
        volume = (inside * (1 + self.distance[k] / 0.01)).sum(-1) * self.cell * 1e3
        return volume * len(self.outside) / len(k)

    def uncovered(self, P, X, margin):
        """Mean square of what points lack of being inside by a margin [mm²]."""
        return (torch.relu(margin - self.depth(P, X).amax(-2)) / 1e-3).square().mean(-1)

    def fit(self, starts=STARTS, batch=BATCH):
        """Fits the part by itself: the best of many starts."""
        P = torch.stack([self._start() for _ in range(starts)]).requires_grad_()
        optimiser = torch.optim.Adam([P], lr=RATE)
        for i in range(STEPS):
            f = i / STEPS
            for group in optimiser.param_groups:
                group["lr"] = RATE * (1 - f) + 2e-4
            cover = self.uncovered(P, self.surface[self.some(self.surface, batch)], 5e-4)
            volume = self.excess(P, 0.008 * (1 - f) + 0.0015, batch)
            loss = (volume + 0.3 * 10 ** (2.5 * f) * self.weight * cover).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        P = P.detach()
        with torch.no_grad():
            sure = torch.stack([grown(p, self.surface, self.depth, self.central) for p in P])
            volume = self.excess(sure, 1e-4, 20_000)
        self.P = P[volume.argmin()]
        return volume.min().item()

    def _start(self):
        """Primitives around clusters of the surface."""
        S, device = self.surface, self.device
        count = CAPSULES[self.name] if self.central is None else sum(BOXES[self.name])
        seeds = S[torch.randint(len(S), (1,))]
        while len(seeds) < count:
            d = torch.cdist(S, seeds).amin(1)
            seeds = torch.cat([seeds, S[torch.multinomial(d**2, 1)]])
        if self.central is not None:  # those nearest the plane of symmetry are in the middle
            seeds = seeds[seeds[:, 1].argsort()]
        own = torch.cdist(S, seeds).argmin(1)
        rows = []
        for k in range(count):
            X = S[own == k]
            if len(X) < 10:
                X = S[torch.randint(len(S), (50,))]
            if self.central is None:
                rows.append(_capsule_around(X))
                continue
            if k < self.central:
                X = torch.cat([X, X * torch.tensor([1.0, -1, 1], device=device)])
            half = ((X - X.mean(0)).abs().quantile(0.9, dim=0) * 0.7).clamp_min(0.005)
            turn = torch.randn(3, device=device) * 0.05
            radius = torch.tensor([math.log(0.02)], device=device)
            rows.append(torch.cat([X.mean(0), turn, half.log(), radius]))
        return torch.stack(rows)


def _capsule_around(X):
    c = X.mean(0)
    axes = torch.linalg.svd(X - c, full_matrices=False)[2]
    axis = axes[0] if torch.rand(()) < 0.7 else axes[1]
    height = (X - c) @ axis
    half = height.abs().quantile(0.9) * 0.6
    radius = ((X - c) - height[:, None] * axis).norm(dim=1).mean().clamp_min(0.004)
    return torch.cat([c - half * axis, c + half * axis, radius.log()[None]])


def earlier(path):
    """Rows of every part, and how many of its boxes are in the middle, of a fit or a body.toml."""
    text = path.read_text()
    if path.suffix == ".json":
        fit = json.loads(text)
        return fit["parts"], {name: counts[0] for name, counts in fit["boxes"].items()}
    rows, middle, body = {}, {}, tomllib.loads(text)
    for c in body["capsule"]:
        rows.setdefault(c["part"], []).append([*c["start"], *c["end"], math.log(c["radius"])])
    for b in sorted(body["box"], key=lambda b: b["mirrored"]):
        sizes = [math.log(x) for x in (*b["half"], b["radius"])]
        rows.setdefault(b["part"], []).append([*b["center"], *b["turn"], *sizes])
        middle[b["part"]] = middle.get(b["part"], 0) + (not b["mirrored"])
    return rows, middle


def main() -> None:
    """Runs the fit."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    options = dict(argument.split("=") for argument in sys.argv[3:])
    torch.manual_seed(int(options.get("seed", 0)))
    rng, began = np.random.default_rng(0), time.time()
    if "alone" in options:
        meshes = parts(data / "meshes.npz") | tool_parts(data / "meshes.npz")
        sizes = [int(options.get(*pair)) for pair in (("starts", STARTS), ("batch", BATCH))]
        found = {}
        for name in options["alone"].split(","):
            part = Part(name, meshes[name], rng, device)
            print(
                f"{name}: excess {part.fit(*sizes):.3f} l, {time.time() - began:.0f} s", flush=True
            )
            found[name] = part.P.double().cpu().numpy().tolist()
        (out / "fit_raw.json").write_text(json.dumps({"boxes": {}, "parts": found}))
        return
    robot = {
        name: Part(name, meshes, rng, device) for name, meshes in parts(data / "meshes.npz").items()
    }
    if "start" in options:
        rows, middle = earlier(Path(options["start"]))
        for name, part in robot.items():
            part.P = torch.tensor(rows[name], dtype=torch.float32, device=device)
            part.central = middle.get(name)
        if "afresh" in options:
            name, count = options["afresh"].split(":")
            CAPSULES[name] = int(count)
            robot[name].fit()
    else:
        for name, part in robot.items():
            volume = part.fit()
            print(f"{name}: excess {volume:.2f} l, {time.time() - began:.0f} s", flush=True)
    splits, steps = int(options.get("splits", 0)), int(options.get("steps", 3000))
    held = options.get("held", "").split(",")
    whole.refine(robot, data, splits, steps, device, held)
    result = {
        "boxes": {
            name: [part.central, len(part.P) - part.central]
            for name, part in robot.items()
            if part.central is not None
        },
        "parts": {name: part.P.double().cpu().numpy().tolist() for name, part in robot.items()},
    }
    (out / "fit_raw.json").write_text(json.dumps(result))


if __name__ == "__main__":
    main()

"""Fits capsules (arms) and rounded boxes (what stands) to the meshes; PyTorch, on a GPU."""

from __future__ import annotations

import json
import math
import sys
import time

import numpy as np
import torch
from parts import MIRRORED, parts, points

torch.manual_seed(0)
dev = "cuda" if torch.cuda.is_available() else "cpu"
DATA, OUT = sys.argv[1], sys.argv[2]
COUNTS = {"s0": 5, "s1": 4, "e0": 6, "e1": 6, "w0": 6, "w1": 5, "w2": 4, "f": 2}
BOXES = {"torso": (6, 6), "pedestal": (4, 3), "head": (3, 1)}  # in the middle, in mirrored pairs
START, STEPS, SPLITS = None, 3200, 0
for arg in sys.argv[3:]:
    k, v = arg.split("=")
    if k == "start":
        START = json.load(open(v))
        BOXES = {n: tuple(c) for n, c in START["boxes"].items()}
        COUNTS = {n: len(p) for n, p in START["parts"].items() if n not in BOXES}
        continue
    if k == "steps":
        STEPS = int(v)
        continue
    if k == "splits":
        SPLITS = int(v)
        continue
    if k in BOXES: BOXES[k] = tuple(map(int, v.split(",")))
    else: COUNTS[k] = int(v)
rng = np.random.default_rng(0)
t0 = time.time()
POINTS = {}
for name, meshes in parts(DATA + "/meshes.npz").items():
    S, X, D, cell = points(name, meshes, rng)
    POINTS[name] = [torch.tensor(a, dtype=torch.float32, device=dev) for a in (S, X, D)] + [cell]
    print(name, len(S), len(X), round(time.time() - t0, 1), flush=True)


def exp_so3(w):
    th = w.norm(dim=-1, keepdim=True).clamp_min(1e-8)
    k = w / th
    K = torch.zeros(*w.shape[:-1], 3, 3, device=w.device, dtype=w.dtype)
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 0] = -k[..., 2], k[..., 1], k[..., 2]
    K[..., 1, 2], K[..., 2, 0], K[..., 2, 1] = -k[..., 0], -k[..., 1], k[..., 0]
    s, c = th.sin()[..., None], th.cos()[..., None]
    return torch.eye(3, device=w.device) + s * K + (1 - c) * (K @ K)


def capsule_depth(P, X):
    """P (..., K, 7), X (N, 3) -> (..., K, N): how deep a point lies inside."""
    a, b, r = P[..., None, 0:3], P[..., None, 3:6], P[..., 6:7]
    d = b - a
    t = (((X - a) * d).sum(-1) / (d * d).sum(-1).clamp_min(1e-10)).clamp(0, 1).detach()
    return r.exp() - (X - a - t[..., None] * d).norm(dim=-1)


def box_depth(P, X, C):
    """P (..., K, 10): centre, rotation vector, log half sides, log radius; the first C are central."""
    c, w = P[..., 0:3].clone(), P[..., 3:6].clone()
    c[..., :C, 1] = 0.0
    w[..., :C, 0] = 0.0
    w[..., :C, 2] = 0.0
    R = exp_so3(w)
    h, r = P[..., None, 6:9].exp(), P[..., 9:10].exp()

    def one(X, c, R, h, r):
        y = (X - c[..., None, :]) @ R
        e = y.abs() - h
        return r - (e.clamp_min(0).square().sum(-1) + 1e-12).sqrt() - e.amax(-1).clamp_max(0)

    there = one(X, c, R, h, r)
    M = torch.tensor([1.0, -1, 1], device=X.device)
    mirrored = one(X * M, c[..., C:, :], R[..., C:, :, :], h[..., C:, :, :], r[..., C:, :])
    return torch.cat([there, mirrored], -2)


def depth_of(name, P, X):
    return box_depth(P, X, BOXES[name][0]) if name in BOXES else capsule_depth(P, X)


def start(name, restarts):
    S = POINTS[name][0]
    out = []
    for _ in range(restarts):
        if name in BOXES:
            C, Q = BOXES[name]
            K = C + Q
        else:
            K = COUNTS[name]
        seeds = S[torch.randint(len(S), (1,))]
        while len(seeds) < K:
            d = torch.cdist(S, seeds).amin(1)
            seeds = torch.cat([seeds, S[torch.multinomial(d**2, 1)]])
        if name in BOXES:  # those nearest the plane of symmetry are the central ones
            seeds = seeds[seeds[:, 1].argsort()]
        own = torch.cdist(S, seeds).argmin(1)
        rows = []
        for k in range(K):
            pts = S[own == k]
            if len(pts) < 10:
                pts = S[torch.randint(len(S), (50,))]
            c = pts.mean(0)
            if name in BOXES:
                if k < C:
                    pts = torch.cat([pts, pts * torch.tensor([1.0, -1, 1], device=dev)])
                    c = pts.mean(0)
                ext = (pts - c).abs().quantile(0.9, dim=0) * 0.7
                rows.append(torch.cat([c, torch.randn(3, device=dev) * 0.05, ext.clamp_min(0.005).log(), torch.tensor([math.log(0.02)], device=dev)]))
            else:
                U, s, V = torch.linalg.svd(pts - c, full_matrices=False)
                axis = V[0] if torch.rand(()) < 0.7 else V[1]
                half = ((pts - c) @ axis).abs().quantile(0.9) * 0.6
                rest = (pts - c) - ((pts - c) @ axis)[:, None] * axis
                rows.append(torch.cat([c - half * axis, c + half * axis, rest.norm(dim=1).mean().clamp_min(0.004).log()[None]]))
        out.append(torch.stack(rows))
    return torch.stack(out)


def inflate(name, P, margin=0.0001, S=None):
    """Raises radii until every point of the surface is inside."""
    S = POINTS[name][0] if S is None else S
    P = P.clone()
    C = BOXES[name][0] if name in BOXES else None
    with torch.no_grad():
        for _ in range(200):
            d = depth_of(name, P, S)
            best, k = d.max(0)
            need = margin - best
            if need.max() <= 1e-7:
                break
            i = need.argmax()
            kk = k[i].item()
            if C is not None and kk >= len(P):
                kk = kk - len(P) + C
            P[kk, -1] = (P[kk, -1].exp() + need[i]).log()
    return P


def protrusion(name, P, tau=None):
    _, X, D, cell = POINTS[name]
    d = depth_of(name, P, X).amax(-2)
    w = 1 + D / 0.01
    inside = (d > 0).float() if tau is None else torch.sigmoid(d / tau)
    return (inside * w).sum(-1) * cell * 1e3


def fit_part(name, restarts, steps):
    S, X, D, cell = POINTS[name]
    P = start(name, restarts).requires_grad_()
    opt = torch.optim.Adam([P], lr=4e-3)
    for i in range(steps):
        f = i / steps
        for g in opt.param_groups:
            g["lr"] = 4e-3 * (1 - f) + 2e-4
        tau = 0.008 * (1 - f) + 0.0015
        lam = 0.3 * 10 ** (2.5 * f)
        sub = torch.randint(len(S), (min(len(S), 5000),), device=dev)
        ext = torch.randint(len(X), (6000,), device=dev)
        d = depth_of(name, P, X[ext]).amax(-2)
        prot = (torch.sigmoid(d / tau) * (1 + D[ext] / 0.01)).sum(-1) * cell * 1e3 * len(X) / 6000
        cover = (torch.relu(0.0005 - depth_of(name, P, S[sub]).amax(-2)) / 0.001).square().mean(-1)
        loss = (prot + lam * cover * SCALE[name]).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    P = P.detach()
    best = None
    for r in range(restarts):
        Q = inflate(name, P[r])
        v = protrusion(name, Q).item()
        if best is None or v < best[0]:
            best = (v, Q, P[r])
    print(f"{name}: excess {best[0]:.3f}, before inflation {protrusion(name, best[2]).item():.3f}, {time.time() - t0:.0f} s", flush=True)
    return best[2]


SCALE = {n: 1.0 for n in POINTS}
SCALE["torso"] = 20.0
SCALE["pedestal"] = 20.0
SCALE["f"] = 0.1
FIT = {}
for name in POINTS if START is None else ():
    big = name in BOXES and name != "head"
    FIT[name] = fit_part(name, 16 if big else 24, 1000)

# ---- the whole robot -----------------------------------------------------------------------------
import whole  # noqa: E402

if START is not None:
    FIT = {n: torch.tensor(P, dtype=torch.float32, device=dev) for n, P in START["parts"].items()}

whole.refine(FIT, POINTS, BOXES, COUNTS, DATA, OUT, depth_of, inflate, protrusion, exp_so3, SCALE, dev, t0, STEPS, SPLITS)

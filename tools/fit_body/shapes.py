"""Primitives as rows of numbers that a gradient can move, and how deep points lie inside them.

A capsule is start, end and the logarithm of its radius (7 numbers); a rounded box is middle,
rotation vector, and the logarithms of its half sides and radius (10). Boxes of a part come in two
kinds: those in the middle, which are their own mirror images, and then those that stand for a pair.
"""

from __future__ import annotations

import torch


def rotation(w):
    """Rotation matrices of rotation vectors."""
    angle = w.norm(dim=-1, keepdim=True).clamp_min(1e-8)
    k = w / angle
    K = torch.zeros(*w.shape[:-1], 3, 3, device=w.device, dtype=w.dtype)
    K[..., 0, 1], K[..., 0, 2], K[..., 1, 0] = -k[..., 2], k[..., 1], k[..., 2]
    K[..., 1, 2], K[..., 2, 0], K[..., 2, 1] = -k[..., 0], -k[..., 1], k[..., 0]
    s, c = angle.sin()[..., None], angle.cos()[..., None]
    return torch.eye(3, device=w.device) + s * K + (1 - c) * (K @ K)


def box_frames(P, central):
    """Middles and axes of boxes; those in the middle turn about y alone."""
    c, w = P[..., 0:3].clone(), P[..., 3:6].clone()
    c[..., :central, 1] = 0.0
    w[..., :central, 0] = 0.0
    w[..., :central, 2] = 0.0
    return c, rotation(w)


def capsule_depth(P, X):
    """How deep points (N, 3) lie inside capsules (..., K, 7): (..., K, N)."""
    a, b, r = P[..., None, 0:3], P[..., None, 3:6], P[..., 6:7]
    d = b - a
    t = (((X - a) * d).sum(-1) / (d * d).sum(-1).clamp_min(1e-10)).clamp(0, 1).detach()
    return r.exp() - (X - a - t[..., None] * d).norm(dim=-1)


def box_depth(P, X, central):
    """The same for boxes (..., K, 10), the mirror images of pairs after them."""
    c, R = box_frames(P, central)
    h, r = P[..., None, 6:9].exp(), P[..., 9:10].exp()

    def depth(X, c, R, h, r):
        e = ((X - c[..., None, :]) @ R).abs() - h
        return r - (e.clamp_min(0).square().sum(-1) + 1e-12).sqrt() - e.amax(-1).clamp_max(0)

    mirror = torch.tensor([1.0, -1, 1], device=X.device)
    pairs = slice(central, None)
    image = depth(
        X * mirror, c[..., pairs, :], R[..., pairs, :, :], h[..., pairs, :, :], r[..., pairs, :]
    )
    return torch.cat([depth(X, c, R, h, r), image], -2)


def grown(P, surface, depth, central=None, margin=1e-4):
    """The same primitives with radii so large that every point is inside by a margin [m]."""
    P = P.clone()
    with torch.no_grad():
        for _ in range(200):
            best, k = depth(P, surface).max(0)
            need = margin - best
            if need.max() <= 1e-7:
                break
            i = need.argmax()
            row = k[i].item()
            if row >= len(P):  # a mirror image
                row += central - len(P)
            P[row, -1] = (P[row, -1].exp() + need[i]).log()
    return P

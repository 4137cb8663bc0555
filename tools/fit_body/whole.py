"""Refines the primitives of all parts together on configurations that the meshes call free."""

from __future__ import annotations

import numpy as np
import torch
from shapes import box_frames, grown

ARM = ("s0", "s1", "e0", "e1", "w0", "w1", "w2")
LEVEL = {"s0": 1, "s1": 2, "e0": 3, "e1": 4, "w0": 5, "w1": 6, "w2": 7}
"""Joints from base to a link."""
H = np.pi / 2
JOINTS = (
    ((0, 0, 0), (0, 0, 0)),
    ((0.069, 0, 0.27035), (-H, 0, 0)),
    ((0.102, 0, 0), (H, 0, H)),
    ((0.069, 0, 0.26242), (-H, -H, 0)),
    ((0.10359, 0, 0), (H, 0, H)),
    ((0.01, 0, 0.2707), (-H, -H, 0)),
    ((0.115975, 0, 0), (H, 0, H)),
)
"""Of Baxter's arm: xyz and rpy, as model/baxter.toml has them."""
MOUNT = {
    s: ((0.06402724, k * 0.25902738, 0.129626), (0, 0, k * 0.7854))
    for s, k in zip("lr", (1, -1), strict=True)
}
HEAD = (0.06, 0.0, 0.686)
EIGHT = 8
"""Primitives that a check looks at together."""
ROOM = {"e0": 2, "torso": 3, "pedestal": 2, "head": 2}
"""Such blocks of a part, where it is not one: halves that fill one up cost no time."""
CHUNK = 1500
"""Configurations that fit into memory at a time, with all their pairs."""


def pose(xyz, rpy):
    """A 4x4 of a position and roll, pitch, yaw."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(rpy), np.sin(rpy)
    Rz = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    Ry = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    Rx = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rz @ Ry @ Rx, xyz
    return T


def link_poses(Q, device):
    """Of joint positions (n, 14): (n, 14, 4, 4), left s0 ... w2, then right."""
    out = []
    for k, side in enumerate("lr"):
        T = torch.tensor(pose(*MOUNT[side]), dtype=torch.float32, device=device)
        T = T.expand(len(Q), 4, 4)
        for j in range(7):
            T = T @ torch.tensor(pose(*JOINTS[j]), dtype=torch.float32, device=device)
            q = Q[:, 7 * k + j]
            R = torch.zeros(len(Q), 4, 4, device=device)
            R[:, 0, 0] = R[:, 1, 1] = q.cos()
            R[:, 1, 0], R[:, 0, 1] = q.sin(), -q.sin()
            R[:, 2, 2] = R[:, 3, 3] = 1
            T = T @ R
            out.append(T)
    return torch.stack(out, 1)


class Whole:
    """All pairs of primitives that are checked, and their clearances."""

    def __init__(self, robot, device):
        self.robot, self.device = robot, device
        frame, self.owner = [], []  # of each capsule: its pose; side, link, number in the part
        for k, side in enumerate("lr"):
            for name in ARM:
                n = len(robot[name].P)
                frame += [7 * k + ARM.index(name)] * n
                self.owner += [(side, name, i) for i in range(n)]
        self.frame = torch.tensor(frame, device=device)
        self.boxes = []  # part, number in it
        for name, part in robot.items():
            if part.central is not None:
                n = len(part.P)
                self.boxes += [(name, k) for k in (*range(n), *range(part.central, n))]
        count = len(self.owner)
        pairs = [
            (i, j)
            for i, (s, a, _) in enumerate(self.owner)
            for j, (t, b, _) in enumerate(self.owner)
            if i < j and (s != t or abs(LEVEL[a] - LEVEL[b]) > 2)
        ]
        with_box = [
            (i, j)
            for i in range(count)
            for j, (part, _) in enumerate(self.boxes)
            if part == "head" or LEVEL[self.owner[i][1]] > 2
        ]
        self.pi, self.pj = torch.tensor(pairs, device=device).T
        self.bi, self.bj = torch.tensor(with_box, device=device).T

    def shapes(self, P):
        """Capsules in their links' frames, and boxes in base at head zero."""
        new = lambda *x: torch.tensor(x, dtype=torch.float32, device=self.device)  # noqa: E731
        a, b, r = [], [], []
        for _ in "lr":
            for name in ARM:
                rows = P[name]
                a.append(rows[:, 0:3])
                b.append(rows[:, 3:6])
                r.append(rows[:, 6].exp())
        c, R, h, br, mirror = [], [], [], [], new(1, -1, 1)
        for name, part in self.robot.items():
            if part.central is None:
                continue
            rows, pairs = P[name], slice(part.central, None)
            middle, axes = box_frames(rows, part.central)
            if name == "head":
                middle = middle + new(*HEAD)
            c += [middle, middle[pairs] * mirror]
            R += [axes, mirror[:, None] * axes[pairs] * mirror]
            h += [rows[:, 6:9].exp(), rows[pairs, 6:9].exp()]
            br += [rows[:, 9].exp(), rows[pairs, 9].exp()]
        return [torch.cat(x) for x in (a, b, r, c, R, h, br)]

    def clearance(self, T, shapes):
        """Of every pair at each configuration: (n, pairs of capsules, then pairs with a box)."""
        a, b, r, c, R, h, br = shapes
        TF = T[:, self.frame]
        A = (TF[..., :3, :3] @ a[:, :, None])[..., 0] + TF[..., :3, 3]
        D = (TF[..., :3, :3] @ (b - a)[:, :, None])[..., 0]
        p, d, q, e = A[:, self.pi], D[:, self.pi], A[:, self.pj], D[:, self.pj]
        with torch.no_grad():  # the derivative by where the nearest points are is zero
            w = p - q
            dd, ee = (x.square().sum(-1).clamp_min(1e-10) for x in (d, e))
            de, dw, ew = (d * e).sum(-1), (d * w).sum(-1), (e * w).sum(-1)
            s = ((de * ew - dw * ee) / (dd * ee - de * de).clamp_min(1e-12)).clamp(0, 1)
            t = ((de * s + ew) / ee).clamp(0, 1)
            s = ((de * t - dw) / dd).clamp(0, 1)
            t = ((de * s + ew) / ee).clamp(0, 1)
        v = p + s[..., None] * d - q - t[..., None] * e
        capsules = (v.square().sum(-1) + 1e-14).sqrt() - r[self.pi] - r[self.pj]
        p = torch.einsum("npi,pij->npj", A[:, self.bi] - c[self.bj], R[self.bj])
        d = torch.einsum("npi,pij->npj", D[:, self.bi], R[self.bj])
        half = h[self.bj]
        with torch.no_grad():  # halving: the slope of the distance along the segment grows
            low, high = torch.zeros_like(p[..., 0]), torch.ones_like(p[..., 0])
            for _ in range(16):
                t = 0.5 * (low + high)
                y = p + t[..., None] * d
                rising = ((y - torch.maximum(torch.minimum(y, half), -half)) * d).sum(-1) > 0
                high, low = torch.where(rising, t, high), torch.where(rising, low, t)
            t = 0.5 * (low + high)
        beyond = (p + t[..., None] * d).abs() - half
        outside = (beyond.clamp_min(0).square().sum(-1) + 1e-14).sqrt()
        boxes = outside + beyond.amax(-1).clamp_max(0) - r[self.bi] - br[self.bj]
        return torch.cat([capsules, boxes], 1)

    def nearest(self, T, P):
        """Clearance of the nearest pair at each configuration, and which pair that is."""
        with torch.no_grad():
            shapes = self.shapes(P)
            rows = [
                self.clearance(T[i : i + CHUNK], shapes).min(1) for i in range(0, len(T), CHUNK)
            ]
        return torch.cat([row.values for row in rows]), torch.cat([row.indices for row in rows])

    def members(self, pair):
        """The two primitives of a pair: part and number in it."""
        n = len(self.pi)
        if pair < n:
            ends = [self.owner[self.pi[pair]], self.owner[self.pj[pair]]]
            return [(name, k) for _, name, k in ends]
        _, name, k = self.owner[self.bi[pair - n]]
        return [(name, k), self.boxes[self.bj[pair - n]]]


def judge(whole, P, T, hit, title):
    """Prints how many free ones are rejected and touching ones missed; the rejecting pairs."""
    gap, pair = whole.nearest(T, P)
    rejected = (gap <= 0) & ~hit
    print(
        f"{title}: {100 * rejected.sum() / (~hit).sum():.2f} % of {(~hit).sum()} free rejected, "
        f"{((gap > 0) & hit).sum()} of {hit.sum()} touching missed",
        flush=True,
    )
    return pair[rejected].tolist()


def split(whole, rejecting, splits, held):
    """Halves the primitives that reject most, where the blocks of their part have room."""
    count: dict[tuple[str, int], int] = {}
    for pair in rejecting:
        for member in whole.members(pair):
            count[member] = count.get(member, 0) + 1
    before = {name: part.central for name, part in whole.robot.items()}
    done = 0
    for name, k in sorted(count, key=lambda member: -count[member]):
        part = whole.robot[name]
        pair = part.central is not None and k >= before[name]
        size = len(part.P) if part.central is None else 2 * len(part.P) - part.central
        if name in held or done == splits or size + 1 + pair > EIGHT * ROOM.get(name, 1):
            continue
        done += 1
        if pair:
            k += part.central - before[name]  # halves in the middle were put before the pairs
        one, two = part.P[k].clone(), part.P[k].clone()
        if part.central is None:
            one[3:6] = two[0:3] = 0.5 * (one[0:3] + one[3:6])
            at = len(part.P)
        else:
            half = one[6:9].exp()
            middle = k < part.central
            axis = max((0, 2) if middle else (0, 1, 2), key=lambda i: half[i].item())
            shift = box_frames(one[None], 0)[1][0][:, axis] * half[axis] * 0.5
            one[0:3] += shift
            two[0:3] -= shift
            one[6 + axis] -= np.log(2)
            two[6 + axis] -= np.log(2)
            at = part.central if middle else len(part.P)
            part.central += middle
        part.P[k] = one
        part.P = torch.cat([part.P[:at], two[None], part.P[at:]])


def refine(robot, data, splits, steps, device, held=()):
    """Moves the primitives so that free configurations are free and the meshes stay covered.

    Those of the parts in `held` stay.
    """

    def load(*names):
        files = [np.load(data / f"{name}.npz") for name in names]
        Q = torch.tensor(
            np.concatenate([f["Q"] for f in files]), dtype=torch.float32, device=device
        )
        hit = torch.tensor(np.concatenate([f["hit"] for f in files]), device=device)
        T = [link_poses(Q[i : i + 20_000], device) for i in range(0, len(Q), 20_000)]
        return torch.cat(T), hit

    T, hit = load("v_train", "v_train2")
    test, test_hit = load("v_test")
    whole = Whole(robot, device)
    rejecting = judge(whole, {n: p.P for n, p in robot.items()}, T, hit, "at the start")
    if splits:
        split(whole, rejecting, splits, held)
        whole = Whole(robot, device)
    P = {name: part.P.clone() for name, part in robot.items()}
    moved = {name: part for name, part in robot.items() if name not in held}
    variables = [P[name].requires_grad_() for name in moved]
    optimiser = torch.optim.Adam(variables, lr=1e-3)
    free = torch.nonzero(~hit)[:, 0]
    worst = {}
    for i in range(steps):
        f = i / steps
        for group in optimiser.param_groups:
            group["lr"] = 1.2e-3 * (1 - f) + 5e-5
        width, weight = 0.008 * (1 - f) + 0.002, 0.5 * 10 ** (2.2 * f)
        if i % 20 == 0:  # the points that are covered worst count in every step
            with torch.no_grad():
                for name, part in moved.items():
                    depth = part.depth(P[name], part.surface).amax(-2)
                    worst[name] = part.surface[depth.topk(800, largest=False).indices]
        if i % 100 == 0:
            gap, _ = whole.nearest(T[free], P)
            active = free[gap < 4 * width]
            print(f"step {i}: {100 * (gap <= 0).float().mean():.2f} % rejected", flush=True)
        some = active[torch.randint(len(active), (min(1000, len(active)),), device=device)]
        gap = whole.clearance(T[some], whole.shapes(P)).amin(1)
        loss = 100 * torch.sigmoid(-gap / width).mean() * len(active) / len(free)
        for name, part in moved.items():
            seen = part.surface[part.some(part.surface, 6000)]
            cover = part.uncovered(P[name], seen, 2e-4)
            cover = cover + 0.03 * part.uncovered(P[name], worst[name], 2e-4)
            volume = part.excess(P[name], 0.002, 3000) / part.weight
            loss = loss + weight * cover + 0.03 * volume
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(variables, 50.0)
        optimiser.step()
    for name, part in moved.items():
        part.P = P[name].detach()
    sure = {n: grown(p.P, p.surface, p.depth, p.central) for n, p in robot.items()}
    judge(whole, sure, test, test_hit, "unseen configurations, points covered")

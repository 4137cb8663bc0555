"""Refines the primitives of all parts together on configurations that the meshes call free."""

import json
import time

import numpy as np
import torch

ARM = ["s0", "s1", "e0", "e1", "w0", "w1", "w2", "fl", "fr"]
LEVEL = dict(s0=1, s1=2, e0=3, e1=4, w0=5, w1=6, w2=7, fl=8, fr=8)
H = np.pi / 2
JOINTS = [((0, 0, 0), (0, 0, 0)), ((0.069, 0, 0.27035), (-H, 0, 0)), ((0.102, 0, 0), (H, 0, H)), ((0.069, 0, 0.26242), (-H, -H, 0)),
          ((0.10359, 0, 0), (H, 0, H)), ((0.01, 0, 0.2707), (-H, -H, 0)), ((0.115975, 0, 0), (H, 0, H))]
MOUNT = {s: ((0.06402724, k * 0.25902738, 0.129626), (0, 0, k * 0.7854)) for s, k in (("l", 1), ("r", -1))}
OPEN = 0.020833


def pose(xyz, rpy):
    r, p, y = rpy
    cx, sx, cy, sy, cz, sz = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
    T = np.eye(4)
    T[:3, :3] = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]]) @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]]) @ np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    T[:3, 3] = xyz
    return T


def links(Q, dev):
    """(N, 14) -> (N, 14, 4, 4): left s0..w2, right s0..w2."""
    out = []
    for k, s in enumerate("lr"):
        T = torch.tensor(pose(*MOUNT[s]), dtype=torch.float32, device=dev).expand(len(Q), 4, 4)
        for j in range(7):
            T = T @ torch.tensor(pose(*JOINTS[j]), dtype=torch.float32, device=dev)
            q = Q[:, 7 * k + j]
            R = torch.zeros(len(Q), 4, 4, device=dev)
            R[:, 0, 0] = R[:, 1, 1] = q.cos()
            R[:, 1, 0] = q.sin()
            R[:, 0, 1] = -q.sin()
            R[:, 2, 2] = R[:, 3, 3] = 1
            T = T @ R
            out.append(T)
    return torch.stack(out, 1)


class Whole:
    def __init__(self, FIT, BOXES, exp_so3, dev):
        self.BOXES, self.exp, self.dev = BOXES, exp_so3, dev
        self.frame, self.owner = [], []  # of each capsule: index of pose, (side, name)
        for k, s in enumerate("lr"):
            for name in ARM:
                n = len(FIT[name if name[0] != "f" else "f"])
                self.frame += [7 * k + min(ARM.index(name), 6)] * n
                self.owner += [(s, name)] * n
        pairs = [(i, j) for i in range(len(self.owner)) for j in range(i + 1, len(self.owner)) if self.meets(self.owner[i], self.owner[j])]
        self.pi, self.pj = (torch.tensor(x, device=dev) for x in zip(*pairs))
        self.frame = torch.tensor(self.frame, device=dev)
        self.boxes = []
        for name, (C, Q) in BOXES.items():
            self.boxes += [(name, k, False) for k in range(C + Q)] + [(name, k, True) for k in range(C, C + Q)]
        bp = [(i, j) for i, (s, a) in enumerate(self.owner) for j, (b, _, _) in enumerate(self.boxes) if b == "head" or LEVEL[a] > 2]
        self.bi, self.bj = (torch.tensor(x, device=dev) for x in zip(*bp))

    @staticmethod
    def meets(a, b):
        return a[0] != b[0] or abs(LEVEL[a[1]] - LEVEL[b[1]]) > 2

    def local(self, FIT):
        a, b, r = [], [], []
        for s in "lr":
            for name in ARM:
                P = FIT[name if name[0] != "f" else "f"]
                A, B = P[:, 0:3], P[:, 3:6]
                if name[0] == "f":
                    y = torch.tensor([0.0, OPEN, 0], device=self.dev)
                    A, B = A + y, B + y
                    if name == "fr":
                        m = torch.tensor([-1.0, -1, 1], device=self.dev)
                        A, B = A * m, B * m
                a.append(A)
                b.append(B)
                r.append(P[:, 6].exp())
        c, R, h, br = [], [], [], []
        M = torch.tensor([1.0, -1, 1], device=self.dev)
        for name, (C, Q) in self.BOXES.items():
            P = FIT[name]
            cc, w = P[:, 0:3].clone(), P[:, 3:6].clone()
            cc[:C, 1] = 0
            w[:C, 0] = 0
            w[:C, 2] = 0
            RR = self.exp(w)
            if name == "head":
                cc = cc + torch.tensor([0.06, 0, 0.686], device=self.dev)
            c += [cc, cc[C:] * M]
            R += [RR, M[:, None] * RR[C:] * M]
            h += [P[:, 6:9].exp(), P[C:, 6:9].exp()]
            br += [P[:, 9].exp(), P[C:, 9].exp()]
        return [torch.cat(x) for x in (a, b, r, c, R, h, br)]

    def clearance(self, T, L, all_pairs=False):
        a, b, r, c, R, h, br = L
        TF = T[:, self.frame]
        A = (TF[..., :3, :3] @ a[:, :, None])[..., 0] + TF[..., :3, 3]
        B = (TF[..., :3, :3] @ b[:, :, None])[..., 0] + TF[..., :3, 3]
        # capsules
        p, d1 = A[:, self.pi], (B - A)[:, self.pi]
        q, d2 = A[:, self.pj], (B - A)[:, self.pj]
        with torch.no_grad():
            w = p - q
            aa, ee, ff = (d1 * d1).sum(-1).clamp_min(1e-10), (d2 * d2).sum(-1).clamp_min(1e-10), (d2 * w).sum(-1)
            cc, bb = (d1 * w).sum(-1), (d1 * d2).sum(-1)
            den = (aa * ee - bb * bb).clamp_min(1e-12)
            s = ((bb * ff - cc * ee) / den).clamp(0, 1)
            t = ((bb * s + ff) / ee).clamp(0, 1)
            s = ((bb * t - cc) / aa).clamp(0, 1)
            t = ((bb * s + ff) / ee).clamp(0, 1)
            s = ((bb * t - cc) / aa).clamp(0, 1)
        v = p + s[..., None] * d1 - q - t[..., None] * d2
        cl = (v.square().sum(-1) + 1e-14).sqrt() - r[self.pi] - r[self.pj]
        # boxes
        pb = torch.einsum("npi,pij->npj", A[:, self.bi] - c[self.bj], R[self.bj])
        db = torch.einsum("npi,pij->npj", (B - A)[:, self.bi], R[self.bj])
        hb = h[self.bj]
        with torch.no_grad():
            lo, hi = torch.zeros_like(pb[..., 0]), torch.ones_like(pb[..., 0])
            for _ in range(16):
                t = 0.5 * (lo + hi)
                y = pb + t[..., None] * db
                e = y - y.clamp(-hb, hb) if False else y - torch.maximum(torch.minimum(y, hb), -hb)
                g = (e * db).sum(-1)
                hi = torch.where(g > 0, t, hi)
                lo = torch.where(g > 0, lo, t)
            t = 0.5 * (lo + hi)
        e = (pb + t[..., None] * db).abs() - hb
        cb = (e.clamp_min(0).square().sum(-1) + 1e-14).sqrt() + e.amax(-1).clamp_max(0) - r[self.bi] - br[self.bj]
        both = torch.cat([cl, cb], 1)
        return both if all_pairs else both.amin(1)

    def label(self, k):
        n = len(self.pi)
        if k < n:
            return self.owner[self.pi[k]], self.owner[self.pj[k]]
        return self.owner[self.bi[k - n]], (self.boxes[self.bj[k - n]][0], "")


def evaluate(W, FIT, T, hit, title, chunk=1500):
    with torch.no_grad():
        L = W.local(FIT)
        cl, who = [], []
        for i in range(0, len(T), chunk):
            m, k = W.clearance(T[i:i + chunk], L, True).min(1)
            cl.append(m)
            who.append(k)
        cl, who = torch.cat(cl), torch.cat(who)
    free = ~hit
    rej = (cl <= 0) & free
    print(f"{title}: rejected {100 * rej.sum() / free.sum():.2f} % of {free.sum()}, missed {((cl > 0) & hit).sum()}, over 1 mm {((cl > 0.001) & hit).sum()} of {hit.sum()}", flush=True)
    return cl, who, rej


def split(W, FIT, BOXES, who, splits, exp):
    """Halves the primitives that reject most, in place."""
    count = {}
    sizes = {n: len(P) for n, P in FIT.items()}
    first, k = {}, 0
    for s in "lr":
        for name in ARM:
            first[s, name] = k
            k += sizes["f" if name[0] == "f" else name]
    n = len(W.pi)
    for k in who.tolist():
        caps = [W.pi[k].item(), W.pj[k].item()] if k < n else [W.bi[k - n].item()]
        keys = []
        for c in caps:
            s, name = W.owner[c]
            keys.append(("f" if name[0] == "f" else name, c - first[s, name]))
        if k >= n:
            b = W.boxes[W.bj[k - n].item()]
            keys.append((b[0], b[1]))
        for key in keys:
            count[key] = count.get(key, 0) + 1
    order = sorted(count.items(), key=lambda x: -x[1])
    print("who rejects", order[:25])
    old = {n: c[0] for n, c in BOXES.items()}
    for (name, k), _ in order[:splits]:
        if name in BOXES and k >= old[name]:
            k += BOXES[name][0] - old[name]  # central halves were put before the pairs
        P = FIT[name]
        row = P[k]
        if name in BOXES:
            C, Q = BOXES[name]
            R, h = exp(row[3:6]), row[6:9].exp()
            axes = [0, 2] if k < C else [0, 1, 2]
            i = max(axes, key=lambda j: h[j].item())
            one, two = row.clone(), row.clone()
            d = R[:, i] * h[i] * 0.5
            one[0:3] += d
            two[0:3] -= d
            one[6 + i] += np.log(0.5)
            two[6 + i] += np.log(0.5)
            P[k] = one
            FIT[name] = torch.cat([P[:C], two[None], P[C:]]) if k < C else torch.cat([P, two[None]])
            BOXES[name] = (C + 1, Q) if k < C else (C, Q + 1)
        else:
            mid = 0.5 * (row[0:3] + row[3:6])
            one, two = row.clone(), row.clone()
            one[3:6] = mid
            two[0:3] = mid
            P[k] = one
            FIT[name] = torch.cat([P, two[None]])


def refine(FIT, POINTS, BOXES, COUNTS, DATA, OUT, depth_of, inflate, protrusion, exp_so3, SCALE, dev, t0, steps, splits):
    W = Whole(FIT, BOXES, exp_so3, dev)
    print("pairs", len(W.pi), len(W.bi), "capsules", len(W.owner), "boxes", len(W.boxes))

    def data(name):
        Z = np.load(f"{DATA}/{name}.npz")
        Q = torch.tensor(Z["Q"], dtype=torch.float32, device=dev)
        return torch.cat([links(Q[i:i + 20000], dev) for i in range(0, len(Q), 20000)]), torch.tensor(Z["hit"], device=dev)

    Ttr, htr = (torch.cat(x) for x in zip(data("v_train"), data("v_train2")))
    Tte, hte = data("v_test")
    _, who, rej = evaluate(W, FIT, Ttr, htr, "at the start, not inflated")
    if splits:
        split(W, FIT, BOXES, who[rej], splits, exp_so3)
        W = Whole(FIT, BOXES, exp_so3, dev)
        print("pairs", len(W.pi), len(W.bi), "capsules", len(W.owner), "boxes", len(W.boxes), {n: len(P) for n, P in FIT.items()}, BOXES)
        evaluate(W, FIT, Tte, hte, "split")
    F = {n: P.clone().requires_grad_() for n, P in FIT.items()}
    opt = torch.optim.Adam(list(F.values()), lr=1e-3)
    free = torch.nonzero(~htr)[:, 0]
    hard = {}
    for i in range(steps):
        f = i / steps
        for g in opt.param_groups:
            g["lr"] = 1.2e-3 * (1 - f) + 5e-5
        tau = 0.008 * (1 - f) + 0.002
        lam = 0.5 * 10 ** (2.2 * f)
        if i % 20 == 0:  # the points that are covered worst count in every step
            with torch.no_grad():
                for n, P in F.items():
                    d = depth_of(n, P, POINTS[n][0]).amax(-2)
                    hard[n] = POINTS[n][0][d.topk(800, largest=False).indices]
        if i % 100 == 0:
            with torch.no_grad():
                L = W.local(F)
                cl = torch.cat([W.clearance(Ttr[free[k:k + 1500]], L) for k in range(0, len(free), 1500)])
            active = free[(cl < 4 * tau)]
            if i % 400 == 0:
                print(i, "active", len(active), "rejected %", round(100 * (cl <= 0).float().mean().item(), 2), round(time.time() - t0), flush=True)
        sub = active[torch.randint(len(active), (min(1000, len(active)),), device=dev)]
        cl = W.clearance(Ttr[sub], W.local(F))
        task = 100 * torch.sigmoid(-cl / tau).sum() / len(sub) * len(active) / len(free)
        loss = task
        for n, P in F.items():
            S, X, D, cell = POINTS[n]
            k = torch.randint(len(S), (min(len(S), 6000),), device=dev)
            loss = loss + lam * (torch.relu(0.0002 - depth_of(n, P, S[k]).amax(-2)) / 0.001).square().mean()
            worst = torch.relu(0.0002 - depth_of(n, P, hard[n]).amax(-2)) / 0.001
            loss = loss + lam * 0.03 * worst.square().mean()
            e = torch.randint(len(X), (3000,), device=dev)
            d = depth_of(n, P, X[e]).amax(-2)
            prot = (torch.sigmoid(d / 0.002) * (1 + D[e] / 0.01)).sum(-1) * cell * 1e3 * len(X) / 3000
            loss = loss + 0.03 * prot / SCALE[n]
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(F.values()), 50.0)
        opt.step()
    F = {n: P.detach() for n, P in F.items()}
    evaluate(W, F, Tte, hte, "refined, not inflated")
    G = {n: inflate(n, P) for n, P in F.items()}
    print("inflated by [mm]", {n: ((G[n][:, -1].exp() - F[n][:, -1].exp()) * 1e3).cpu().numpy().round(1).tolist() for n in F})
    cl, who, rej = evaluate(W, G, Tte, hte, "refined, inflated")
    count = {}
    for k in who[rej].tolist():
        a, b = W.label(k)
        key = " ".join(sorted([a[1] if a[0] == "l" or b[0] in BOXES else a[1] + "'", b[0] if b[0] in BOXES else b[1] + ("'" if b[0] != a[0] else "")]))
        count[key] = count.get(key, 0) + 1
    n = (~hte).sum().item()
    print("who rejects, % of the free:", {k: round(100 * v / n, 2) for k, v in sorted(count.items(), key=lambda x: -x[1])[:30]})
    for title, FF in (("raw", F), ("inflated", G)):
        json.dump({"boxes": BOXES, "parts": {k: v.double().cpu().numpy().tolist() for k, v in FF.items()}}, open(f"{OUT}/fit_{title}.json", "w"))

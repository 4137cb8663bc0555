"""Inverse kinematics on a GPU: rates and completeness, for bench_cuda.py."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from baxterkit import Arm
from baxterkit.ik import IkStatus

BLOCK = 1 << 22
TESTS = Path(__file__).resolve().parent.parent / "tests"
POSE_ERROR = 1e-9
"""Largest error of an answer [m, rad], as promised."""


def limits_of(arm: Arm) -> tuple[Any, Any]:
    return tuple(
        torch.tensor(np.array(x), device="cuda") for x in (arm.limits.lower, arm.limits.upper)
    )


def check(arm: Arm, T: Any, found: Any, solved: Any) -> float:
    """Largest error of solved targets by our own FK; fails where a joint is beyond a limit."""
    lower, upper = limits_of(arm)
    q = found.q[solved]
    if not len(q):
        return 0.0
    assert bool(((q >= lower) & (q <= upper)).all()), "beyond the limits"
    error = float((arm.fk(q.contiguous()) - T[solved]).abs().max())
    assert error < POSE_ERROR, error
    return error


def random_reachable(arm: Arm, n: int, generator: Any) -> Any:
    lower, upper = limits_of(arm)
    q = torch.rand(n, 7, dtype=torch.float64, device="cuda", generator=generator)
    return arm.fk(lower + (upper - lower) * q)


def timed(arm: Arm, T: Any) -> tuple[Any, float]:
    torch.cuda.synchronize()
    started = time.perf_counter()
    found = arm.ik(T)
    torch.cuda.synchronize()
    return found, time.perf_counter() - started


def ik(total: int = 100_000_000) -> dict[str, Any]:
    arm = Arm("left", backend="cuda")
    generator = torch.Generator("cuda").manual_seed(1)
    timed(arm, random_reachable(arm, 1 << 20, generator))
    rates, missed, settled, worst, done = [], 0, 0, 0.0, 0
    while done < total:
        n = min(BLOCK, total - done)
        T = random_reachable(arm, n, generator)
        found, seconds = timed(arm, T)
        solved = found.status == 0
        missed += int(n - solved.sum())
        settled += found.settled_by_processor
        worst = max(worst, check(arm, T, found, solved))
        rates.append(n / seconds * 1e-6)
        done += n
    result: dict[str, Any] = {
        "targets": done,
        "unsolved": missed,
        "by_processor": settled,
        "worst_error": worst,
        "M_per_s": round(float(np.median(rates)), 1),
    }
    print("random reachable", result, flush=True)
    return {
        "random": result,
        "mix": mix(arm, generator),
        "degenerate": degenerate(arm),
        "acceptance": acceptance(),
    }


def mix(arm: Arm, generator: Any, n: int = 1 << 22) -> dict[str, Any]:
    """A fifth infeasible, out of reach or by limits; and a fifth that only the limits forbid."""
    T = random_reachable(arm, n, generator)
    other = random_reachable(arm, n, generator)
    moved = torch.rand(n, device="cuda", generator=generator) < 0.364
    T[moved, :3, :3] = other[moved][:, :3, :3]
    result = rated(arm, T, "with infeasible")
    other[:, :3, :3] = other[torch.randperm(n, device="cuda", generator=generator)][:, :3, :3]
    forbidden = other[arm.ik(other).status == IkStatus.LIMITS]
    mixed = torch.cat([forbidden, random_reachable(arm, 4 * len(forbidden), generator)])
    order = torch.randperm(len(mixed), device="cuda", generator=generator)
    result["by_limits_alone"] = rated(arm, mixed[order].contiguous(), "with infeasible by limits")
    return result


def rated(arm: Arm, T: Any, name: str) -> dict[str, Any]:
    """Median rate of three runs; statuses of some are compared with the processor's."""
    rates = []
    for _ in range(3):
        found, seconds = timed(arm, T)
        rates.append(len(T) / seconds * 1e-6)
    few = torch.cat([torch.nonzero(found.status != code)[:4000, 0] for code in (0, 1)])
    expected = Arm("left").ik(T[few].cpu().numpy()).status
    assert np.array_equal(found.status[few].cpu().numpy(), expected), "statuses differ"
    check(arm, T, found, found.status == 0)
    result = {
        "targets": len(T),
        "infeasible": round(float((found.status != 0).double().mean()), 4),
        "by_limits": round(float((found.status == IkStatus.LIMITS).double().mean()), 4),
        "compared": len(few),
        "by_processor": found.settled_by_processor,
        "M_per_s": round(float(np.median(rates)), 2),
    }
    print(name, result, flush=True)
    return result


def nearest(n: int = 1 << 20, compared: int = 20_000) -> dict[str, Any]:
    """The solution nearest to a seed: any seed, and one near a solution, as in tracking."""
    arm, here = Arm("left", backend="cuda"), Arm("left")
    generator = torch.Generator("cuda").manual_seed(4)
    lower, upper = limits_of(arm)
    result = {}
    for name in ("random seeds", "seeds near a solution"):
        q, other = (
            lower + (upper - lower) * torch.rand(n, 7, dtype=torch.float64, device="cuda")
            for _ in range(2)
        )
        noise = torch.randn(n, 7, dtype=torch.float64, device="cuda", generator=generator)
        seed = other if name == "random seeds" else q + 0.1 * noise
        T = arm.fk(q)
        arm.ik(T[:4096].contiguous(), seed[:4096].contiguous(), "nearest")
        torch.cuda.synchronize()
        started = time.perf_counter()
        found = arm.ik(T, seed, "nearest")
        torch.cuda.synchronize()
        seconds = time.perf_counter() - started
        check(arm, T, found, found.status == 0)
        few = [x[:compared].cpu().numpy() for x in (T, seed, found.q)]
        started = time.perf_counter()
        expected = here.ik(few[0], few[1], "nearest")
        on_processor = time.perf_counter() - started
        ours, theirs = (((x - few[1]) ** 2).sum(axis=-1) for x in (few[2], expected.q))
        result[name] = {
            "targets": n,
            "unsolved": int(n - (found.status == 0).sum()),
            "by_processor": found.settled_by_processor,
            "compared": compared,
            "farther_by": float((ours - theirs).max()),
            "nearer_by": float((theirs - ours).max()),
            "nearer": int((theirs - ours > 1e-6).sum()),
            "M_per_s": round(n / seconds * 1e-6, 3),
            "processor_M_per_s": round(compared / on_processor * 1e-6, 4),
        }
        print("nearest", name, result[name], flush=True)
        assert result[name]["farther_by"] < 1e-9, "the processor's solution is nearer"
    return result


def every(n: int = 1 << 20, samples: int = 48, compared: int = 4000) -> dict[str, Any]:
    """All solutions of reachable targets, at many values of e0 each."""
    arm, here = Arm("left", backend="cuda"), Arm("left")
    solver = arm._cuda_all
    assert solver is not None
    generator = torch.Generator("cuda").manual_seed(5)
    T = random_reachable(arm, n // 8, generator)[:, None].contiguous()
    lower, upper = limits_of(arm)
    e0 = torch.linspace(float(lower[2]), float(upper[2]), samples, dtype=torch.float64).cuda()
    result = {}
    for limits in (True, False):
        arm.ik_all(T[:100].contiguous(), e0, limits)
        torch.cuda.synchronize()
        started = time.perf_counter()
        found = arm.ik_all(T, e0, limits)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - started
        started = time.perf_counter()
        expected = here.ik_all(T[:compared].cpu().numpy(), e0.cpu().numpy(), limits)
        on_processor = time.perf_counter() - started
        ours = found[:compared, :, : expected.shape[-2]].cpu().numpy()
        missed = int((np.isfinite(ours) != np.isfinite(expected)).any(axis=(-1, -2)).sum())
        result["within the limits" if limits else "all"] = {
            "tasks": n // 8 * samples,
            "solutions": int(torch.isfinite(found[..., 0]).sum()),
            "by_processor": solver.by_processor,
            "compared": compared * samples,
            "other_numbers_of_solutions": missed,
            "largest_difference": float(np.nanmax(np.abs(ours - expected))),
            "M_per_s": round(n // 8 * samples / seconds * 1e-6, 2),
            "processor_M_per_s": round(compared * samples / on_processor * 1e-6, 3),
        }
        print("all solutions", limits, result, flush=True)
    return result


def degenerate(arm: Arm, n: int = 200_000) -> dict[str, Any]:
    """Targets of configurations that are singular, next to singular, or on limits."""
    rng = np.random.default_rng(3)
    lower, upper = np.array(arm.limits.lower), np.array(arm.limits.upper)
    result = {}
    for name in SETS:
        q = SETS[name](rng.uniform(lower, upper, (n, 7)), rng, lower, upper)
        T = arm.fk(torch.tensor(np.clip(q, lower, upper), device="cuda"))
        found, seconds = timed(arm, T)
        solved = found.status == 0
        check(arm, T, found, solved)
        result[name] = {
            "targets": n,
            "unsolved": int(n - solved.sum()),
            "by_processor": found.settled_by_processor,
            "M_per_s": round(n / seconds * 1e-6, 3),
        }
        print(name, result[name], flush=True)
    return result


def _wrist(q: Any, rng: Any, lower: Any, upper: Any) -> Any:
    q[:, 5] = rng.choice([0.0, 1e-9, -1e-6, 1e-3], len(q))
    return q


def _elbow(q: Any, rng: Any, lower: Any, upper: Any) -> Any:
    q[:, 3] = 0.187126765288921 + rng.choice([0.0, 1e-9, 1e-6, 1e-3], len(q))
    return q


def _limits(q: Any, rng: Any, lower: Any, upper: Any) -> Any:
    pick = rng.random(q.shape)
    return np.where(pick < 0.3, lower, np.where(pick < 0.6, upper, q))


def _e0(q: Any, rng: Any, lower: Any, upper: Any) -> Any:
    q[:, 2] = rng.choice([0.0, np.pi / 2, -np.pi / 2, lower[2], upper[2]], len(q))
    return q


SETS = {
    "wrist in line": _wrist,
    "elbow stretched": _elbow,
    "joints on limits": _limits,
    "e0 at a quarter turn": _e0,
}


def acceptance(share: float = 1.0) -> dict[str, Any]:
    """The sets of the processor's acceptance run (tests/ik): both arms, every tool."""
    sys.path[:0] = [str(TESTS), str(TESTS / "ik")]
    import degenerate as hard
    import ik_sets
    from problems import SIDES, TOOLS, generator

    made: dict[str, list[tuple[str, str, Any]]] = {}
    for name, make in (ik_sets.IK_SETS | ik_sets.SMALL_LOOPS).items():
        q = [make(Arm("left"), 50_000, str(i)) for i in range(max(1, round(2 * share)))]
        made[name] = [("left", "hand", np.concatenate(q))]
    rounds = max(1, round(share * 1000 / len(hard.DEGENERATE)))
    for name in hard.DEGENERATE:
        made.setdefault(name, [])
        for i in range(rounds):
            side, tool = SIDES[i % 2], TOOLS[i // 2 % len(TOOLS)]
            rng = generator(f"acceptance {name}  {i}")
            made[name].append((side, tool, hard.sample(Arm(side, tool=tool), name, 10_000, rng)))
    result = {}
    for name, parts in made.items():
        targets = missed = settled = 0
        seconds = worst = 0.0
        arms = {(side, tool) for side, tool, _ in parts}
        for side, tool in sorted(arms):
            arm = Arm(side, tool=tool, backend="cuda")
            q = np.concatenate([x for s, t, x in parts if (s, t) == (side, tool)])
            T = arm.fk(torch.tensor(q, device="cuda"))
            found, took = timed(arm, T)
            solved = found.status == 0
            worst = max(worst, check(arm, T, found, solved))
            targets, missed = targets + len(q), missed + int(len(q) - solved.sum())
            settled, seconds = settled + found.settled_by_processor, seconds + took
        result[name] = {
            "targets": targets,
            "unsolved": missed,
            "by_processor": settled,
            "worst_error": worst,
            "M_per_s": round(targets / seconds * 1e-6, 3),
        }
        print("acceptance", name, result[name], flush=True)
    return result

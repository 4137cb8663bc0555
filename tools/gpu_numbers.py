"""The numbers of docs/gpu.md, from the kept results; `tools/doc_numbers.py` fills them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RESULTS = "bench_cuda.json"
TABLE = ("fk", "jacobian", "inertia", "inverse_dynamics", "forward_dynamics", "regressor")
ALONE, AMONG = "alone", "among 15 obstacles"
CHECKS = {
    "`in_collision`": ("verdict", "hit"),
    "`clearance`": ("clearance", "gap"),
    "`nearest`: pair, points, gradient": ("clearance with gradient", "near"),
    "`edge_free`, joints turn by 0.2 rad on average": ("edge_free", "edge"),
}
"""What a row of the table of collision checks shows, and what its values are called."""

PAGE = "docs/gpu.md"
_OF_CHECK = "| {shown} | {{{name}_alone}} million/s | {{{name}_among}} million/s |"
_OF_KERNEL = "| `{name}` | {{{name}_64}} billion/s | {{{name}_share}} % | {{{name}_32}} billion/s |"
SENTENCES = (
    *(_OF_CHECK.format(shown=shown, name=name) for shown, (_, name) in CHECKS.items()),
    *(_OF_KERNEL.format(name=name) for name in TABLE),
    "It is {edge_times} times as fast as 16 cores",
    "80 steps of Adam take {optimiser_s} on an H200. The straight\n"
    "motion would hit the box by {straight_mm} mm, the best one is clear of everything by "
    "{best_mm} mm",
    "takes {reach_s} of\ncomputation on an H200 with 16 cores, which alone take {reach_cores} s; "
    "every status is the same",
    "{body_s} instead of {body_cores}, and {body_differing} poses differ",
    "their clearance and manipulability in\n{full_s} instead of {full_cores}, with the same "
    "statuses and values in every cell",
    "with 10 million states it is {least_times} (forward dynamics) to {most_times} times "
    "(inverse dynamics) as fast as 16 cores",
    "a copy on that card moves {copy} TB/s",
    "| `ik`, random reachable targets | {ik} million/s, 10⁸ of 10⁸ solved | | |",
    "within the limits | {all} million/s (16 cores: {all_cores}) | | |",
    "seeds near a solution | {random} and {seeded} million/s (16 cores: {random_cores} and "
    "{seeded_cores}) | | |",
    "inverse dynamics then runs at {sustained_64} and {sustained_32} billion/s",
    "FK is {fk_torch} times as fast as the same written in PyTorch with batched matrix products, "
    "and {fk_jax} times as fast as in JAX\n(`vmap`, compiled); inverse dynamics {id_torch} and "
    "{id_jax} times. In float32 FK is {fk_pyroki} times as fast as PyRoki's",
    "solves {pyroki} million targets/s, {pyroki_solved} % of them to 5 mm",
    "most of them out of reach, runs at {mix} million/s; where the limits alone forbid those "
    "20 %, at {limits} million/s",
    "The first call of a kernel takes {first_least} to {first_most} s, until the driver has "
    "compiled it;",
    "later processes load it in {again_least} to {again_most} ms",
)
"""Parts of the page, with names of `values` in braces."""
LINES = tuple((PAGE, sentence) for sentence in SENTENCES)


def values(folder: Path) -> dict[str, str]:
    """The numbers by name, as they are printed."""
    content: dict[str, Any] = json.loads((folder / RESULTS).read_text("utf-8"))
    rates = {
        part: {(r["kernel"], r["dtype"]): r for r in rows}
        for part, rows in (
            ("kernels", content["kernels"]),
            ("sustained", content["sustained"]["rows"]),
        )
    }
    checks = {(r["what"], r["where"]): r for r in content["collision"]["rows"]}
    edges = [checks["edge_free", where] for where in (ALONE, AMONG)]
    peers = {(r["what"], r["peer"]): r for r in content["peers"] if r["dtype"] == "float64"}
    pyroki = {r["what"]: r for r in content["pyroki"]}
    largest = {
        r["kernel"]: r["cpu_all_us"] / r["gpu_us"]
        for r in content["crossover"]
        if r["rows"] == 10_000_000
    }
    optimiser, maps, loads = content["optimiser"], content["map"], content["loads"]
    nearest, mix = content["nearest"], content["ik"]["mix"]
    found = {
        "copy": f"{content['ceilings']['copy_TB_per_s']:.1f}",
        "ik": f"{content['ik']['random']['M_per_s']:.0f}",
        "mix": f"{mix['M_per_s']:.0f}",
        "limits": f"{mix['by_limits_alone']['M_per_s']:.0f}",
        "all": f"{content['ik_all']['within the limits']['M_per_s']:.1f}",
        "all_cores": f"{content['ik_all']['within the limits']['processor_M_per_s']:.1f}",
        "edge_times": f"{min(r['G_per_s'] / r['processor_G_per_s'] for r in edges):.0f}",
        "least_times": f"{min(largest.values()):.0f}",
        "most_times": f"{max(largest.values()):.0f}",
        "optimiser_s": f"{optimiser['seconds']:.1f} s",
        "straight_mm": f"{-optimiser['straight_clearance_mm']}",
        "best_mm": f"{optimiser['clearance_mm']}",
        "reach_s": f"{maps['reach_cuda_s']:.1f} s",
        "body_s": f"{maps['body_cuda_s']:.1f} s",
        "reach_cores": f"{maps['reach_processor_s']:.1f}",
        "body_cores": f"{maps['body_processor_s']:.1f} s",
        "body_differing": str(maps["body_differing"]),
        "full_s": f"{maps['full_cuda_s']:.1f} s",
        "full_cores": f"{maps['full_processor_s']:.1f} s",
        "first_least": f"{loads['first_s'][0]:.1f}",
        "first_most": f"{loads['first_s'][1]:.1f}",
        "again_least": f"{loads['again_ms'][0]:.0f}",
        "again_most": f"{loads['again_ms'][1]:.0f}",
        "pyroki": f"{pyroki['ik']['peer_M_per_s']:.1f}",
        "pyroki_solved": f"{100 * pyroki['ik']['solved_to_5_mm']:.1f}",
        "fk_pyroki": f"{pyroki['fk']['ratio']:.0f}",
    }
    for shown, seeds in (("random", "random seeds"), ("seeded", "seeds near a solution")):
        found[shown] = f"{nearest[seeds]['M_per_s']:.2f}"
        found[f"{shown}_cores"] = f"{nearest[seeds]['processor_M_per_s']:.2f}"
    for what, short in (("fk", "fk"), ("inverse_dynamics", "id")):
        found[f"{short}_torch"] = f"{peers[what, 'torch']['ratio']:.0f}"
        found[f"{short}_jax"] = f"{peers[what, 'jax.vmap']['ratio']:.0f}"
    for name in TABLE:
        double, single = (rates["kernels"][name, kind] for kind in ("float64", "float32"))
        found[f"{name}_64"], found[f"{name}_32"] = (f"{r['G_per_s']:.1f}" for r in (double, single))
        found[f"{name}_share"] = f"{100 * double['of_copy']:.0f}"
    for kind in ("64", "32"):
        row = rates["sustained"]["inverse_dynamics", f"float{kind}"]
        found[f"sustained_{kind}"] = f"{row['G_per_s']:.1f}"
    for what, name in CHECKS.values():
        digits = 1 if what == "edge_free" else 0
        for where, short in ((ALONE, "alone"), (AMONG, "among")):
            found[f"{name}_{short}"] = f"{1e3 * checks[what, where]['G_per_s']:,.{digits}f}"
    return found

"""Physically consistent links: bodies stay, impossible ones are moved to the nearest possible."""

from __future__ import annotations

import numpy as np
import pytest

from baxterkit import Arm
from baxterkit.equations.base_parameters import base_parameter_map, base_parameters
from baxterkit.identify.columns import Prior
from baxterkit.identify.consistency import (
    body_of,
    consistent_links,
    is_consistent,
    parameters_of,
)
from baxterkit.model.inertial import Inertial

ARM = Arm("left", "electric_standard")


def solve(beta: np.ndarray, sure: float) -> tuple[Inertial, ...]:
    return consistent_links(
        ARM.model.link_inertials(),
        base_parameter_map(ARM.model),
        beta,
        sure * np.eye(45),
        Prior().link_deviations(ARM),
    )


def beta_of(links: tuple[Inertial, ...]) -> np.ndarray:
    return base_parameter_map(ARM.model) @ np.concatenate([parameters_of(b) for b in links])


def test_parameters_and_bodies_are_inverse() -> None:
    for body in ARM.model.link_inertials():
        again = body_of(parameters_of(body))
        assert np.abs(again.inertia - body.inertia).max() < 1e-15
        assert np.abs(again.com - body.com).max() < 1e-15
        assert is_consistent(body)


def test_bodies_that_fit_are_kept() -> None:
    links = solve(base_parameters(ARM.model), 1e8)
    for found, body in zip(links, ARM.model.link_inertials(), strict=True):
        assert np.abs(parameters_of(found) - parameters_of(body)).max() < 1e-6


def test_sure_base_parameters_of_bodies_are_reached() -> None:
    rng = np.random.default_rng(1)
    moved = [
        Inertial(b.mass * x, b.com + d, b.inertia * y)
        for b, x, d, y in zip(
            ARM.model.link_inertials(),
            rng.uniform(0.8, 1.2, 7),
            rng.normal(0, 0.01, (7, 3)),
            rng.uniform(0.9, 1.1, 7),
            strict=True,
        )
    ]
    beta = beta_of(tuple(moved))
    links = solve(beta, 1e10)
    assert np.abs(beta_of(links) - beta).max() < 1e-5
    assert all(map(is_consistent, links))


@pytest.mark.parametrize("seed", range(5))
def test_impossible_base_parameters_give_bodies_all_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    beta = base_parameters(ARM.model) + rng.normal(0.0, 0.3, 45)
    links = solve(beta, 1e8)
    for body in links:
        body.check()
        assert is_consistent(body)
    nominal = np.linalg.norm(base_parameters(ARM.model) - beta)
    assert np.linalg.norm(beta_of(links) - beta) < nominal


def test_inconsistent_bodies_are_told() -> None:
    flat = Inertial(1.0, np.zeros(3), np.diag([1.0, 1.0, 3.0]))
    assert not is_consistent(flat)
    assert not is_consistent(Inertial(-1.0, np.zeros(3), np.eye(3)))
    assert is_consistent(Inertial(1.0, np.zeros(3), np.diag([1.0, 1.0, 1.5])))

"""The kernels' own sine and cosine: within an ulp of the truth, for every instruction set."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import problems
import pytest
from kernel_calls import ARM
from tolerances import SINCOS_ULP

from baxterkit import _native

mpmath = pytest.importorskip("mpmath")


def sincos(x: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of a flat array, through the kernel that does nothing else."""
    x = np.asarray(x, dtype=np.float64)
    padded = np.zeros(-(-len(x) // 7) * 7)
    padded[: len(x)] = x
    result = ARM._kernels.sincos(padded.reshape(-1, 7))
    return result[:, 0].ravel()[: len(x)], result[:, 1].ravel()[: len(x)]


def ulps(got: np.ndarray, exact: np.ndarray) -> float:
    """Largest error in units of the last place of the exact value (long double)."""
    error = np.abs(got.astype(np.longdouble) - exact)
    return float(np.max(error / np.spacing(np.abs(exact).astype(np.float64))))


def worst(x: np.ndarray) -> float:
    """Largest error in ulp against the long double library."""
    s, c = sincos(x)
    wide = x.astype(np.longdouble)
    return max(ulps(s, np.sin(wide)), ulps(c, np.cos(wide)))


def exact(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine to long double, by mpmath in as many digits as the argument needs."""
    with mpmath.workdps(400):
        pairs = [(mpmath.sin(mpmath.mpf(v)), mpmath.cos(mpmath.mpf(v))) for v in x.tolist()]
        with mpmath.workdps(30):
            text = [[mpmath.nstr(v, 25) for v in pair] for pair in pairs]
    table = np.array([[np.longdouble(v) for v in pair] for pair in text])
    return table[:, 0], table[:, 1]


def worst_exactly(x: np.ndarray) -> float:
    s, c = sincos(x)
    sine, cosine = exact(x)
    return max(ulps(s, sine), ulps(c, cosine))


pytestmark = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 60, reason="long double is no wider than double here"
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::baxterkit.errors.UnitsWarning")
@pytest.mark.parametrize("bound", [1e-8, 1e-3, 0.8, 3.2, 10.0, 100.0, 1e3, 1e4, 1e5])
def test_within_an_ulp_up_to_1e5(bound: float, isa: str) -> None:
    x = problems.generator(f"sincos {bound}").uniform(-bound, bound, 140_000)
    assert worst(x) <= SINCOS_ULP


def test_within_an_ulp_next_to_multiples_of_half_pi(isa: str) -> None:
    # The doubles nearest to k pi/2, and their neighbours: most digits of pi cancel here.
    k = np.arange(-6400, 6401)
    nearest = (k * (np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)) / 2).astype(float)
    x = np.concatenate([nearest, np.nextafter(nearest, np.inf), np.nextafter(nearest, -np.inf)])
    near = np.concatenate([x, x[::7] * (1 + 1e-9)])
    s, c = sincos(near)
    subset = np.r_[0 : len(near) : 61]
    sine, cosine = exact(near[subset])
    assert ulps(s[subset], sine) <= SINCOS_ULP
    assert ulps(c[subset], cosine) <= SINCOS_ULP
    assert worst(near) <= SINCOS_ULP


def test_the_hardest_arguments_are_within_an_ulp(isa: str) -> None:
    # Doubles below 1e5 that come closest to a multiple of pi/2, relative to their size, come from
    # the continued fraction of pi/2.
    with mpmath.workdps(60):
        half_pi = mpmath.pi / 2
        rest, (p0, p1), (q0, q1) = half_pi, (1, int(half_pi)), (0, 1)
        multiples = [1]
        for _ in range(12):
            rest = 1 / (rest - int(rest))
            p0, p1 = p1, int(rest) * p1 + p0
            q0, q1 = q1, int(rest) * q1 + q0
            multiples.append(q1)
    x = np.array([float(m * half_pi) for m in multiples if m * 1.6 < 1e5])
    extra = np.array([1e22, 1e5, np.nextafter(1e5, np.inf)])
    assert worst_exactly(np.concatenate([x, -x, extra, -extra])) <= SINCOS_ULP


def test_correct_beyond_the_range_of_the_reduction(isa: str) -> None:
    rng = problems.generator("sincos beyond")
    x = 10.0 ** rng.uniform(5.0, 300.0, 300) * rng.choice([-1.0, 1.0], 300)
    assert worst_exactly(x) <= SINCOS_ULP


def test_beyond_the_reduction_it_is_the_systems_library(isa: str) -> None:
    # 6381956970095103 * 2^797 is the double nearest to a multiple of pi/2; glibc is 8 ulp off.
    x = 10.0 ** problems.generator("libm").uniform(5.001, 308.0, 700)
    x[0] = 6381956970095103.0 * 2.0**797
    s, c = sincos(x)
    assert s.tolist() == [math.sin(v) for v in x]
    assert c.tolist() == [math.cos(v) for v in x]


def test_large_and_small_angles_in_one_vector_do_not_disturb_each_other(isa: str) -> None:
    x = problems.generator("mixed").uniform(-3.0, 3.0, 700)
    mixed = x.copy()
    mixed[::5] = 1e9
    for small, with_large in zip(sincos(x), sincos(mixed), strict=True):
        keep = np.arange(700) % 5 != 0
        assert small[keep].tobytes() == with_large[keep].tobytes()


def test_tiny_zero_and_subnormal_angles(isa: str) -> None:
    x = np.array([0.0, 5e-324, 1e-310, 2.3e-308, 1e-300, 1e-160, 1e-20, 1e-9])
    s, c = sincos(x)
    assert s.tolist() == x.tolist()
    assert sincos(-x)[0].tolist() == (-x).tolist()
    assert c.tolist() == [1.0] * len(x)


def test_sine_is_odd_and_cosine_even(isa: str) -> None:
    x = problems.generator("parity").uniform(-1e4, 1e4, 7000)
    s, c = sincos(x)
    minus_s, minus_c = sincos(-x)
    assert np.array_equal(minus_s, -s)
    assert np.array_equal(minus_c, c)


def test_values_stay_inside_the_unit_interval(isa: str) -> None:
    x = np.concatenate([np.arange(-20_000, 20_001) * (np.pi / 2), np.linspace(-4.0, 4.0, 50_000)])
    for values in sincos(x):
        assert np.abs(values).max() <= 1.0


def test_every_instruction_set_of_the_build_is_listed_once() -> None:
    names = _native.isas()
    assert len(names) == 1 or names[-1] == "baseline"  # one: compiled for this machine alone
    assert len(set(names)) == len(names)
    assert set(names) <= {"avx512", "avx2", "baseline"}

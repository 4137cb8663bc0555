from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from baxterkit import plot
from baxterkit.errors import InputError, ShapeError
from baxterkit.look.colors import GREY, INK

T = np.linspace(0.0, 4.0, 401)
TAU = np.sin(np.outer(T, np.arange(1.0, 8.0)))
JOINTS = ["s0", "s1", "e0", "e1", "w0", "w1", "w2"]


def panels(figure: object) -> dict[str, object]:
    """Axes by their titles."""
    return {ax.get_title(loc="left"): ax for ax in figure.axes if ax.get_title(loc="left")}  # type: ignore[attr-defined]


def test_every_joint_has_its_measured_and_predicted_torque() -> None:
    figure = plot.torques(T, TAU, {"rigid": 0.9 * TAU})
    for i, name in enumerate(JOINTS):
        measured, rigid = panels(figure)[name].get_lines()  # type: ignore[attr-defined]
        np.testing.assert_array_equal(measured.get_ydata(), TAU[:, i])
        np.testing.assert_array_equal(rigid.get_ydata(), 0.9 * TAU[:, i])
        assert measured.get_color() == GREY


def test_difference_is_measured_minus_model() -> None:
    figure = plot.torques(T, TAU, {"rigid": TAU - 2.0})
    drawn = [
        line.get_ydata()
        for ax in figure.axes
        if not ax.get_title(loc="left")
        for line in ax.get_lines()
        if len(line.get_ydata()) == len(T)
    ]
    assert len(drawn) == 7
    np.testing.assert_allclose(drawn, 2.0, rtol=0, atol=1e-14)


def test_last_panel_shows_the_root_mean_square() -> None:
    offset = np.arange(1.0, 8.0)
    figure = plot.torques(T, TAU, {"one": TAU + offset, "two": TAU - 2 * offset})
    bars = [bar.get_height() for bar in panels(figure)["RMS of measured − model"].patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(bars, [*offset, *(2 * offset)], rtol=1e-12, atol=0)


def test_tracking_error_is_in_thousandths_and_says_so() -> None:
    q = TAU
    figure = plot.tracking(T, q, {"PD": q + 0.002, "computed torque": q - 0.001})
    summary = panels(figure)["RMS of actual − reference"]
    assert summary.get_ylabel() == "[mrad]"  # type: ignore[attr-defined]
    bars = [bar.get_height() for bar in summary.patches]  # type: ignore[attr-defined]
    np.testing.assert_allclose(bars, [2.0] * 7 + [1.0] * 7, rtol=1e-9, atol=0)
    assert panels(figure)["s0"].get_lines()[0].get_color() == INK  # type: ignore[attr-defined]


def test_tip_positions_are_drawn_in_metres() -> None:
    figure = plot.tracking(T, TAU[:, :3], TAU[:, :3] + 0.001)
    assert {"x", "y", "z"} < set(panels(figure))
    assert panels(figure)["x"].get_ylabel() == "[m]"  # type: ignore[attr-defined]


def test_a_recording_brings_time_and_torque() -> None:
    recording = SimpleNamespace(t=T, tau=TAU, q=TAU)
    lines = panels(plot.torques(recording))["e1"].get_lines()  # type: ignore[attr-defined]
    np.testing.assert_array_equal(lines[0].get_ydata(), TAU[:, 3])
    plot.tracking(T, TAU, recording)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot.torques(T), "give the measured values with the time, or a recording"),
        (lambda: plot.torques(T[:-1], TAU), r"t has shape \(400,\), expected \(401,\)"),
        (lambda: plot.torques(T, TAU[:, 0]), r"measured has shape \(401,\), expected \(n, 7\)"),
        (
            lambda: plot.torques(T, TAU[:, :6]),
            r"measured has shape \(401, 6\), expected \(n, 7\): s0 s1 e0 e1 w0 w1 w2",
        ),
        (
            lambda: plot.torques(T, TAU, {"rigid": TAU[1:]}),
            r"rigid has shape \(400, 7\), expected \(401, 7\)",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_named(call: object, message: str) -> None:
    with pytest.raises((ShapeError, InputError), match=f"^{message}$"):
        call()  # type: ignore[operator]


def test_recording_without_torque_says_so() -> None:
    recording = SimpleNamespace(t=T, tau=None)
    with pytest.raises(InputError, match="this recording has no tau"):
        plot.torques(recording)
    with pytest.raises(
        InputError, match=r"holds the measured tau itself; give models by name: predicted="
    ):
        plot.torques(recording, TAU)


def test_named_torques_are_drawn_in_our_order() -> None:
    named = dict(sorted({f"left_{name}": TAU[:, i] for i, name in enumerate(JOINTS)}.items()))
    figure = plot.torques(T, named, {"model": named})
    for i, name in enumerate(JOINTS):
        for line in panels(figure)[name].get_lines():  # type: ignore[attr-defined]
            np.testing.assert_array_equal(line.get_ydata(), TAU[:, i])
    figure = plot.tracking(T, named, {"run": named})
    for i, name in enumerate(JOINTS):
        line = panels(figure)[name].get_lines()[0]  # type: ignore[attr-defined]
        np.testing.assert_array_equal(line.get_ydata(), TAU[:, i])

"""The live panels as HTML: small, inline-styled pieces for the browser."""

from __future__ import annotations

import html as escape

import numpy as np

from baxterkit.model.names import JOINTS
from baxterkit.viewer.state.readout import GREAT_MANIPULABILITY, Elbow, Readout

INK, GREY, PALE = "#2B2F36", "#8A9099", "#DDE1E6"
GREEN, BLUE, SKY, VERMILION = "#009E73", "#0072B2", "#56B4E9", "#D55E00"
WARN_LOAD = 0.8
"""Share of a torque's limit from which its bar turns red."""

_FONT = "font:12px system-ui,sans-serif"
_NUMBERS = "font-variant-numeric:tabular-nums"


def readout_html(readout: Readout) -> str:
    """The panel of one arm: tip, manipulability, gravity torques."""
    p = readout.T_base_tip[:3, 3]
    rows = [
        ("xyz [m]", p, 3),
        ("rpy [deg]", np.degrees(readout.rpy), 1),
        ("quat", readout.quaternion, 3),
    ]
    table = "".join(_pose_row(name, values, digits) for name, values, digits in rows)
    return _box(
        f'<div style="font-weight:600;font-size:13px">{readout.side.capitalize()} arm</div>'
        f'<table style="width:100%;border-spacing:0;{_NUMBERS}">{table}</table>'
        + _manipulability(readout)
        + _torques(readout)
        + _note(readout.message, VERMILION)
    )


def elbow_html(elbow: Elbow) -> str:
    """The strip below the e0 slider: the elbow's range."""
    span = elbow.upper - elbow.lower

    def part(low: float, high: float, color: str, opacity: float) -> str:
        x, width = 100.0 * (low - elbow.lower) / span, 100.0 * max(high - low, 0.004) / span
        return (
            f'<rect x="{x:.2f}" width="{width:.2f}" height="10" fill="{color}" '
            f'opacity="{opacity:g}"/>'
        )

    pieces = [part(elbow.lower, elbow.upper, PALE, 1.0)]
    pieces += [part(low, high, SKY, 0.55) for low, high in elbow.elsewhere]
    pieces += [part(low, high, GREEN, 1.0) for low, high in elbow.here]
    x = 100.0 * (elbow.e0 - elbow.lower) / span
    pieces.append(f'<rect x="{x - 0.5:.2f}" y="-2" width="1" height="14" fill="{INK}"/>')
    legend = " ".join(
        f'<span style="color:{color}">■</span> {text}'
        for color, text in ((GREEN, "slides"), (SKY, "other branch"), ("#C9CED6", "infeasible"))
    )
    return _box(
        f'<svg viewBox="0 -2 100 14" preserveAspectRatio="none" '
        f'style="width:100%;height:16px;display:block">{"".join(pieces)}</svg>'
        f'<div style="color:{GREY};font-size:11px">e0 = {elbow.e0:+.3f} rad &ensp; {legend}</div>'
    )


def note_html(text: str, *, warning: bool = False) -> str:
    """One line of text."""
    return _box(_note(text, VERMILION if warning else GREY))


def _pose_row(name: str, values: np.ndarray, digits: int) -> str:
    cells = "".join(
        f'<td style="text-align:right;width:21%">{_signed(value, digits)}</td>' for value in values
    )
    return f'<tr><td style="color:{GREY};white-space:nowrap">{name}</td>{cells}</tr>'


def _manipulability(readout: Readout) -> str:
    part = min(readout.manipulability / GREAT_MANIPULABILITY, 1.0)
    color = VERMILION if readout.singular else GREEN
    warning = (
        f'<span style="color:{VERMILION};font-weight:600"> near a singularity</span>'
        if readout.singular
        else ""
    )
    return (
        f'<div style="margin-top:6px"><span style="color:{GREY}">manipulability</span> '
        f'<b style="{_NUMBERS}">{readout.manipulability:.4f}</b>{warning}</div>'
        f'<svg viewBox="0 0 100 6" preserveAspectRatio="none" '
        f'style="width:100%;height:6px;display:block;border-radius:3px">'
        f'<rect width="100" height="6" fill="{PALE}"/>'
        f'<rect width="{100.0 * part:.2f}" height="6" fill="{color}"/></svg>'
    )


def _torques(readout: Readout) -> str:
    rows = []
    for name, torque, limit, load in zip(
        JOINTS, readout.gravity, readout.effort, readout.load, strict=True
    ):
        width = 50.0 * min(abs(load), 1.0)
        x = 50.0 if load >= 0.0 else 50.0 - width
        color = VERMILION if abs(load) > WARN_LOAD else BLUE
        rows.append(
            f'<tr><td style="color:{GREY};width:9%">{name}</td><td>'
            f'<svg viewBox="0 0 100 8" preserveAspectRatio="none" '
            f'style="width:100%;height:9px;display:block">'
            f'<rect width="100" height="8" fill="{PALE}"/>'
            f'<rect x="{x:.2f}" width="{width:.2f}" height="8" fill="{color}"/>'
            f'<rect x="49.8" width="0.4" height="8" fill="{INK}"/></svg></td>'
            f'<td style="text-align:right;width:34%">{_signed(torque, 2)} / {limit:g}</td></tr>'
        )
    return (
        f'<div style="margin-top:6px;color:{GREY}">gravity torque / limit [N m]</div>'
        f'<table style="width:100%;border-spacing:0 1px;{_NUMBERS}">{"".join(rows)}</table>'
    )


def _signed(value: float, digits: int) -> str:
    """A number with its sign; one that rounds to zero is +0."""
    return f"{round(float(value), digits) + 0.0:+.{digits}f}"


def _note(text: str, color: str) -> str:
    return f'<div style="color:{color};margin-top:4px">{escape.escape(text)}</div>' if text else ""


def _box(content: str) -> str:
    return f'<div style="{_FONT};color:{INK};padding:4px 10px">{content}</div>'

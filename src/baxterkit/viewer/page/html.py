"""The live panels as HTML: small, inline-styled pieces for the browser."""

from __future__ import annotations

import html as escape
from collections.abc import Sequence

import numpy as np

from baxterkit.look.colors import GREEN, GREY, INK, JOINT_COLORS, PALE, SKY, TOUCHING, VERMILION
from baxterkit.model.names import JOINTS
from baxterkit.types import JointVector
from baxterkit.viewer.state.readout import GREAT_MANIPULABILITY, Elbow, Readout

TOUCHES = "#{:02X}{:02X}{:02X}".format(*TOUCHING)
RED = "#C92A2A"
"""Of the stop button, and of the frame around the window while commands are sent."""
WARN_LOAD = 0.8
"""Part of a torque's limit from which its row is set in bold."""

_INSET, _BEFORE_SLIDER, _AFTER_SLIDER = 0.625, 6.8625, 3.875
"""Where viser's sliders have their tracks, so that the strip lies under its slider: inset of a
folder, label with padding, padding with the number field [em]."""

_FONT = "font:12px system-ui,sans-serif"
_NUMBERS = "font-variant-numeric:tabular-nums"
_COPY = "this.select();navigator.clipboard&&navigator.clipboard.writeText(this.value)"


def pose_html(readout: Readout) -> str:
    """Pose of one hand, and its manipulability."""
    p = readout.T_base_tip[:3, 3]
    rows = [
        ("x y z [m]", p, 3),
        ("r p y [deg]", np.degrees(readout.rpy), 1),
        ("quat xyzw", readout.quaternion, 3),
    ]
    table = "".join(_pose_row(name, values, digits) for name, values, digits in rows)
    return _box(
        f'<table style="width:100%;border-spacing:0;{_NUMBERS}">{table}</table>'
        + _manipulability(readout)
    )


def torques_html(readout: Readout) -> str:
    """The torques that hold one arm against gravity, joint by joint, against their limits."""
    return _box(_torques(readout))


def copy_html(q: JointVector) -> str:
    """Joint angles as a text that one click copies."""
    text = escape.escape("[" + ", ".join(f"{x:.6f}" for x in q + 0.0) + "]", quote=True)
    return _box(
        f'<div style="display:flex;align-items:center;gap:6px"><span style="color:{GREY};'
        f'white-space:nowrap">q [rad]</span><input readonly value="{text}" onclick="{_COPY}" '
        f'title="click to copy" aria-label="joint angles, click to copy" '
        f'style="flex:1;min-width:0;font:11px ui-monospace,monospace;color:{INK};'
        f'border:1px solid {PALE};border-radius:3px;padding:2px 4px;cursor:copy"/></div>'
    )


def code_html(text: str) -> str:
    """A program that one click copies."""
    rows = min(text.count("\n") + 1, 18)
    return _box(
        f'<textarea readonly rows="{rows}" wrap="off" onclick="{_COPY}" title="click to copy" '
        f'aria-label="program, click to copy" style="width:100%;box-sizing:border-box;'
        f"font:11px ui-monospace,monospace;color:{INK};border:1px solid {PALE};border-radius:3px;"
        f'padding:4px;cursor:copy">{escape.escape(text)}</textarea>'
        f'<div style="color:{GREY}">Click the program to copy it.</div>'
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
    pieces += [part(low, high, TOUCHES, 1.0) for low, high in elbow.blocked]
    x = 100.0 * (elbow.e0 - elbow.lower) / span
    pieces.append(f'<rect x="{x - 0.5:.2f}" y="-2" width="1" height="14" fill="{INK}"/>')
    legend = " ".join(
        f'<span style="color:{color}">■</span> {text}'
        for color, text in (
            (GREEN, "slides"),
            (TOUCHES, "touches"),
            (SKY, "other branch"),
            ("#C9CED6", "infeasible"),
        )
    )
    return (
        f'<div style="padding:0 {_INSET}em"><div style="margin:0 {_AFTER_SLIDER}em 0 '
        f'{_BEFORE_SLIDER}em"><svg viewBox="0 -2 100 14" preserveAspectRatio="none" class="e0" '
        f'style="width:100%;height:16px;display:block">{"".join(pieces)}</svg></div>'
        f'<div style="{_FONT};font-size:11px;color:{GREY}">{legend}</div></div>'
    )


def note_html(text: str, *, warning: bool = False) -> str:
    """A message for the top of the panel; nothing if there is none."""
    if not text:
        return ""
    color, ground = (VERMILION, "#FDF1EA") if warning else (INK, "#EEF2F6")
    return (
        f'<div style="{_FONT};color:{color};background:{ground};border-left:3px solid {color};'
        f'margin:6px 10px;padding:5px 8px">{escape.escape(text).replace("N m", "N&nbsp;m")}</div>'
    )


def sentence(text: str) -> str:
    """A message as a sentence: errors begin in lower case, and have no full stop."""
    first = text.partition(" ")[0]
    if first.islower() and first.isalpha():
        text = text[0].upper() + text[1:]
    return text if not text or text[-1] in ".!?:…)" else f"{text}."


def style_html() -> str:
    """Rules for all windows, and for narrow ones: a sheet at the bottom, as wide as the window.

    Hidden tabs with plots keep their width, since plots that are made there take it for good.
    """
    rules = (
        ('.mantine-Button-root[data-size="compact-xs"]', "padding:0 3px"),
        (".mantine-NumberInput-controls", "display:none"),
        (".mantine-NumberInput-input", "padding-left:4px", "padding-right:4px"),
    )
    sheet = (
        ('div[style*="width: 20em"]', "width:100%"),
        ('.mantine-Paper-root[style*="width: 20em"]', "max-height:52%",
         "border-radius:14px 14px 0 0", "box-shadow:0 -2px 14px rgba(0,0,0,.22)"),
        ('.mantine-Paper-root[style*="width: 20em"]::before', 'content:""', "position:absolute",
         "top:5px", "left:calc(50% - 20px)", "width:40px", "height:4px", "border-radius:2px",
         f"background:{GREY}", "z-index:1", "pointer-events:none"),
    )  # fmt: skip
    hidden = "display:block!important;visibility:hidden;height:0;padding:0;overflow:hidden"
    tabs = f'div[style="display: none;"]:has(.uplot-container){{{hidden}}}'
    tabs += _rules(
        (
            ('[role="tablist"]', "padding-left:6px"),
            ('[role="tab"]', "padding-left:3px", "padding-right:3px"),
            (
                '[role="tab"][aria-selected="true"]',
                "color:var(--mantine-color-blue-6)",
                "font-weight:700",
            ),
        )
    )
    many = '[role="tablist"]:has(>:nth-child(9))'
    wide = _rules(((many, "font-size:.78em"), (f"{many}>div", "padding:0 2px")))
    tabs += f"@media (min-width:36em){{{wide}}}"
    narrow = f"@media (max-width:600px){{{_rules(rules)}}}"
    return f"<style>{tabs}{narrow}@media (max-width:36em){{{_rules(sheet)}}}</style>"


def _rules(rules: tuple[tuple[str, ...], ...]) -> str:
    return "".join(f"{where}{{{'!important;'.join(what)}!important}}" for where, *what in rules)


def stop_html(button: str) -> str:
    """Rules for the stop button with this id: large and red, in a panel that stays open.

    It stays at the panel's top while the rest scrolls below it, and above viser's own settings
    when these take the place of the tabs. Nothing folds the panel: on a telephone, where it is a
    sheet, the title takes no taps, and in wide windows the buttons that fold it are hidden.
    """
    sheet, here = '.mantine-Paper-root[style*="bottom: 0"]', f'[id="{button}"]'
    open_sheet = f'{sheet}:has({here}):not(:has([style*="display: none"] {here}))'
    folded = 'div[style*="grid-template-rows: 0fr"]'
    rules = (
        (here, "height:3.4em", "font-size:22px", "letter-spacing:.08em", f"background:{RED}",
         "color:#fff"),
        (f"{here} span", "font-weight:800"),
        (f"div:has(>{here})", "position:sticky", "top:0", "z-index:20", "margin:0",
         "padding:4px var(--mantine-spacing-xs) 6px", "background:var(--mantine-color-body)"),
        (f'.mantine-ScrollArea-content div[style*="overflow: hidden"]:has({here})',
         "overflow:clip"),
        (f"div:has(>{folded} {here})", "display:flex", "flex-direction:column"),
        (f"{folded}:has({here})", "order:-1", "grid-template-rows:auto", "position:sticky",
         "top:0", "z-index:20"),
        (f"{folded}>div:has({here})", "opacity:1", "max-height:5.9em"),
        (f'{open_sheet} div[style*="cursor: pointer"][style*="height: 3.5em"]',
         "pointer-events:none"),
        (f"body:has({here}) :is([data-dock-region-collapse],[data-dock-minimize])",
         "display:none"),
    )  # fmt: skip
    return f"<style>{_rules(rules)}</style>"


def cursor_html(part: float) -> str:
    """A line across the plots at a part of their width, 0 to 1."""
    rules = (
        (".u-over::after", 'content:""', "position:absolute", "top:0", "bottom:0", "width:0",
         f"left:{100.0 * min(max(part, 0.0), 1.0):.2f}%", f"border-left:1.5px solid {INK}",
         "pointer-events:none"),
    )  # fmt: skip
    return f"<style>{_rules(rules)}</style>"


def frame_html() -> str:
    """A red frame around the window, through which everything can still be clicked."""
    rules = (
        ("body::after", 'content:""', "position:fixed", "inset:0", f"border:6px solid {RED}",
         "pointer-events:none", "z-index:9999"),
    )  # fmt: skip
    return f"<style>{_rules(rules)}</style>"


def clearance_html(names: tuple[str, str], gap: float) -> str:
    """Which two are nearest, and how far apart they are [m]; nothing if they overlap."""
    first, second = names
    if gap < 0.0:
        return ""
    return note_html(f"Nearest: {first} and {second}, {1e3 * gap:.0f} mm apart.")


def touching_html(names: tuple[str, str], gap: float) -> str:
    """A banner with the pair that touches, and its overlap [m]; nothing if none does."""
    if gap >= 0.0:
        return ""
    first, second = map(escape.escape, names)
    return (
        f'<div style="{_FONT};color:#fff;background:{TOUCHES};border-radius:4px;font-weight:600;'
        f'margin:6px 10px;padding:6px 8px">{first} touches {second}, by {-1e3 * gap:.0f} mm.</div>'
    )


def scale_html(label: str, low: float, high: float, colors: Sequence[tuple[float, ...]]) -> str:
    """A legend: a bar of colours from the lowest number to the highest."""
    stops = ",".join(f"rgb({r:.0f},{g:.0f},{b:.0f})" for r, g, b in colors)
    numbers = "".join(
        f"<span>{low + part * (high - low):.3g}</span>" for part in (0.0, 0.25, 0.5, 0.75, 1.0)
    )
    return _box(
        f'<div style="color:{GREY}">{escape.escape(label)}</div>'
        f'<div style="height:12px;border-radius:3px;background:linear-gradient(90deg,{stops})">'
        f'</div><div style="display:flex;justify-content:space-between;{_NUMBERS}">{numbers}</div>'
    )


def line_html(text: str) -> str:
    """One small line of text."""
    return _box(f'<span style="color:{GREY}">{escape.escape(text)}</span>') if text else ""


def _pose_row(name: str, values: np.ndarray, digits: int) -> str:
    cells = "".join(
        f'<td style="text-align:right;padding-left:1px">{_signed(value, digits)}</td>'
        for value in values
    )
    return f'<tr><td style="color:{GREY};white-space:nowrap;font-size:11px">{name}</td>{cells}</tr>'


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
    for name, color, torque, limit, load in zip(
        JOINTS, JOINT_COLORS, readout.gravity, readout.effort, readout.load, strict=True
    ):
        width = 50.0 * min(abs(load), 1.0)
        x = 50.0 if load >= 0.0 else 50.0 - width
        weight = "700" if abs(load) > WARN_LOAD else "400"
        rows.append(
            f'<tr style="font-weight:{weight}"><td style="width:12%;white-space:nowrap">'
            f'<span style="color:{color}">■</span> {name}</td><td>'
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


def _box(content: str) -> str:
    return f'<div style="{_FONT};color:{INK};padding:4px 10px">{content}</div>'

"""Colours and layouts every figure shares.

Ink, grid and hover colours are left to the stylesheet, so that switching the theme redraws nothing.
"""

from __future__ import annotations

import re
from typing import Any

from dashboard.plots.glyphs import fill_background, fill_bars, shape_of
from lifecycle.simulation.reports.tones import TONES, Tone

GOOD, WAITING, BAD, IDLE = (TONES[name].colour for name in ("ready", "starting", "crashing", "pending"))
# Revisions of a rollout, in turn: greys, since every other colour on the same chart means a state.
REVISIONS = ("#6c7a92", "#8a7a66", "#5f7a78", "#83748f", "#78786a")

FONT = "-apple-system, BlinkMacSystemFont, 'Segoe UI', Inter, Roboto, 'Liberation Sans', Arial, sans-serif"


UID = re.compile(r"\([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)")


def revision_tone(turn: int) -> str:
    """The name of the colour of the `turn`-th revision there was, from 0 on."""
    return f"revision-{turn % len(REVISIONS)}"


def revision_colour(turn: int) -> str:
    """The same as a colour."""
    return REVISIONS[turn % len(REVISIONS)]


def escape(text: object) -> str:
    """Names and messages are strangers' text, and Plotly reads a little HTML: make it plain."""
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def without_uids(text: str) -> str:
    """A text that names a pod by its uid as well: who reads it knows which one is meant."""
    return UID.sub("", text)


def duration(milliseconds: int) -> str:
    """`1h 02m`, `3m 07s`, `12.3s`, `40ms`: two units at most, as a person would say it."""
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    minutes, seconds = divmod(milliseconds // 1000, 60)
    if minutes < 60:
        return f"{minutes}m {seconds:02d}s"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h {minutes:02d}m"
    return f"{hours // 24}d {hours % 24:02d}h"


def clock(milliseconds: int) -> str:
    """An instant as the page's clock shows it: `00:03:07.4`, with days in front when there are any."""
    days, rest = divmod(milliseconds, 86_400_000)
    tenths = rest // 100
    time = f"{tenths // 36_000:02d}:{tenths // 600 % 60:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"
    return f"{days}d {time}" if days else time


def marker(tone: Tone) -> dict[str, Any]:
    """How bars of a tone look: its colour, and its pattern drawn in translucent white."""
    look: dict[str, Any] = {"color": tone.colour, "line": {"width": 0}}
    if tone.pattern:
        look["pattern"] = fill_bars(tone.pattern)
    return look


def ink(tone: Tone) -> str:
    """What is written on a bar of a tone: dark or light, 4.5:1 at least; patterns are light.

    The stylesheet knows by pure black what stands on a pattern.
    """
    channels = (int(tone.colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    luminance = sum(share * one for share, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    if tone.pattern:
        return "#000000"
    return "#050505" if luminance > 0.179 else "#ffffff"


def css_rule(tone: Tone) -> str:
    """A tone for the stylesheet: its colour, its pattern as a background, and the shape of its dot."""
    pattern = f" --pattern: {fill_background(tone.pattern)};" if tone.pattern else ""
    shape = shape_of(tone.name)
    dot = f" --shape: {shape}; --round: 0;" if shape else ""
    return f".tone-{tone.name} {{ --tone: {tone.colour};{pattern}{dot} }}"


def count_axis(height: float, top: int) -> dict[str, Any]:
    """Whole numbers from 0 up to `height`, of which `top` is the greatest that is drawn."""
    return {
        "range": [0, height],
        "autorange": False,
        "fixedrange": True,
        "tickformat": "d",
        "dtick": round_step(top),
        "zeroline": False,
        "tickfont": {"size": 11},
        "ticks": "",
        # So the instants of all figures of a page stand below one another.
        "ticklabelposition": "inside top",
        # Clear of the line of a flag at the very beginning.
        "ticklabelstandoff": 4,
    }


def time_axis(side: str = "top") -> dict[str, Any]:
    """Virtual milliseconds; the browser writes the tick labels for the range it shows."""
    return {
        "type": "linear",
        "side": side,
        "showgrid": True,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "tickfont": {"size": 11},
        "autorange": False,
        "range": [0, 60_000],
        # Else Plotly measures every label at every drawing.
        "tickangle": 0,
        "ticklabeloverflow": "allow",
        "tickmode": "array",
        "tickvals": [],
        "ticktext": [],
    }


def round_step(top: int) -> int:
    """From tick to tick of an axis up to `top`: 1, 2 or 5 times a power of ten, about five."""
    steps = (digit * 10**power for power in range(10) for digit in (1, 2, 5))
    return next((step for step in steps if top <= step * 6), 10**10)


def layout(**more: Any) -> dict[str, Any]:
    """The frame of every figure: transparent, quiet, nothing but data."""
    return {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 12},
        "showlegend": False,
        # What is at the pointer, the page says itself, beside it.
        "hovermode": False,
        "dragmode": "zoom",
        # Above the instants there is room for flags.
        "margin": {"l": 8, "r": 16, "t": 46, "b": 8, "pad": 0},
        **more,
    }

"""States told without colour: a pattern on bars, and a shape for the dots beside names."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

# Tiles of 8 by 8 pixels that join, as bars lie upon them anyhow.
# On its way, not there yet, not in order, not so.
_DRAWN = {
    ">": "M0,0H2.6L6.6,4L2.6,8H0L4,4Z",
    "o": "M4,0.7A3.3,3.3 0 1 1 3.99,0.7ZM4,2.2A1.8,1.8 0 1 0 4.01,2.2Z",
    "^": "M0,8V5.4L4,1.4L8,5.4V8L4,4Z",
    "_": "M1,3.4H5V4.6H1Z",
}
_TILE_PX = 8
_LINES = "repeating-linear-gradient({}deg, #fff9 0 1.5px, #0000 1.5px 4px)"
# What Plotly has a shape for, as a background.
_LIKE_PLOTLY = {
    "|": _LINES.format(90),
    "-": _LINES.format(0),
    "/": _LINES.format(-45),
    "\\": _LINES.format(45),
    "x": f"{_LINES.format(45)}, {_LINES.format(-45)}",
    ".": "radial-gradient(#fffc 0 1px, #0000 1.4px) 0 0 / 4px 4px",
}
# Corners in hundredths. What is well is a plain circle.
_SHAPES = {
    "pending": "0 0, 100 0, 100 100, 0 100, 0 0, 26 26, 26 74, 74 74, 74 26, 26 26",
    "starting": "8 0, 100 50, 8 100",
    "notReady": "50 4, 100 96, 0 96",
    "stuck": "4 0, 38 0, 38 100, 4 100, 4 0, 62 0, 96 0, 96 100, 62 100, 62 0",
    "crashing": "18 0, 50 32, 82 0, 100 18, 68 50, 100 82, 82 100, 50 68, 18 100, 0 82, 32 50, 0 18",
    "terminating": "0 4, 100 4, 50 96",
    "succeeded": "0 55, 18 38, 38 58, 82 8, 100 26, 38 96",
    "failed": "50 0, 100 50, 50 100, 0 50",
    "unknown": "0 30, 100 30, 100 70, 0 70",
}
# What other lanes say, by the state that it is most like.
_LIKE_STATES = {
    "value-waiting": "starting",
    "value-idle": "pending",
    "value-bad": "crashing",
    "value-done": "succeeded",
    "value-leaving": "terminating",
    "requests-unready": "notReady",
    "requests-lost": "crashing",
}


def fill_bars(pattern: str) -> dict[str, Any]:
    """A pattern as Plotly draws it, in translucent white."""
    drawn = _DRAWN.get(pattern)
    look = {"path": drawn, "size": _TILE_PX} if drawn else {"shape": pattern, "size": 6, "solidity": 0.3}
    return {**look, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.45}


def fill_background(pattern: str) -> str:
    """The same as a CSS background."""
    if pattern not in _DRAWN:
        return _LIKE_PLOTLY[pattern]
    tile = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_TILE_PX}" height="{_TILE_PX}">'
        f'<path d="{_DRAWN[pattern]}" fill="#fff" fill-opacity=".6"/></svg>'
    )
    return f'url("data:image/svg+xml,{quote(tile)}")'


def shape_of(name: str) -> str:
    """The dot of a state as a CSS clip-path; empty for a plain one."""
    corners = _SHAPES.get(_LIKE_STATES.get(name, name), "")
    return (
        f"polygon({', '.join('% '.join(one.split()) + '%' for one in corners.split(','))})" if corners else ""
    )

"""What is still to come of a figure: the part right of an instant, drawn pale beside the rest of it."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
OPACITY = 0.35
_OF_POINTS = ("x", "y", "base", "offset", "width", "hovertext")
"""What a trace has for each of its bars or marks, as far as it is drawn of what is to come."""
_LOOK = ("type", "mode", "orientation", "name", "line", "fill", "fillcolor", "fillpattern", "cliponaxis")


def cut_future(figure: Json, from_ms: int) -> Json:
    """A figure that ends later, from an instant on.

    `traces` as Plotly has them; `lanes`, where rows may be new; `yaxis`, which may reach higher.
    """
    traces = [_cut(trace, from_ms) for trace in figure["data"]]
    frame = figure["layout"]
    has_lanes = frame["yaxis"].get("type") == "category"
    rows = frame["meta"]["rows"] if has_lanes else []
    return {
        "traces": [trace for trace in traces if trace["x"]],
        "lanes": [{"key": row["key"], "label": row["label"]} for row in rows],
        **({} if has_lanes else {"yaxis": frame["yaxis"]}),
    }


def _cut(trace: Json, from_ms: int) -> Json:
    look = {name: trace[name] for name in _LOOK if name in trace} | {"opacity": OPACITY, "isAhead": True}
    if trace["type"] == "bar":
        return look | _cut_bars(trace, from_ms)
    if trace["mode"] == "markers":
        return look | _cut_marks(trace, from_ms)
    # What is stacked of the past stands by itself.
    stack = {"stackgroup": f"{trace['stackgroup']}-ahead"} if "stackgroup" in trace else {}
    return look | stack | _cut_line(trace, from_ms)


def _cut_bars(trace: Json, from_ms: int) -> Json:
    """Those that end later, from the instant on."""
    kept = [
        place
        for place, (start, length) in enumerate(zip(trace["base"], trace["x"], strict=True))
        if start + length > from_ms
    ]
    cut = _foretell(_pick(trace, kept)) | {"marker": trace["marker"]}
    ends = [start + length for start, length in zip(cut["base"], cut["x"], strict=True)]
    cut["base"] = [max(start, from_ms) for start in cut["base"]]
    cut["x"] = [end - start for start, end in zip(cut["base"], ends, strict=True)]
    return cut


def _cut_marks(trace: Json, from_ms: int) -> Json:
    kept = [place for place, at_ms in enumerate(trace["x"]) if at_ms > from_ms]
    own = {
        name: [values[place] for place in kept] if isinstance(values, list) else values
        for name, values in trace["marker"].items()
    }
    return _foretell(_pick(trace, kept)) | {"marker": own}


def _cut_line(trace: Json, from_ms: int) -> Json:
    """Its steps after the instant, and there what holds by then; nothing of one that is over."""
    kept = [place for place, at_ms in enumerate(trace["x"]) if at_ms > from_ms]
    if not kept:
        return {"x": [], "y": []}
    cut = _pick(trace, [kept[0] - 1, *kept] if kept[0] else kept)
    cut["x"][0] = max(cut["x"][0], from_ms)
    return cut


def _pick(trace: Json, kept: list[int]) -> Json:
    return {name: [trace[name][place] for place in kept] for name in _OF_POINTS if name in trace}


def _foretell(cut: Json) -> Json:
    """Below the name of each bar or mark stands when it is."""
    return cut | {"hovertext": [text.replace("<br>", "<br>to come: ", 1) for text in cut["hovertext"]]}

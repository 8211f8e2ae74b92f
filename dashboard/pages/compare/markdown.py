"""The comparison of two clusters as Markdown, for a pull request."""

from __future__ import annotations

from dashboard.pages.compare.readings import Comparison
from dashboard.plots.theme import clock


def write_markdown(told: Comparison) -> str:
    """The comparison for a pull request."""
    left, right = told.left.address, told.right.address
    lines = [f"### {left} and {right}, {clock(told.since_ms)} to {clock(told.until_ms)}", ""]
    lines += _list_fields(told)
    for cluster, asked in zip((left, right), told.asked, strict=True):
        lines += [f"- asked of {cluster} at {one.at}: {_cell(f'{one.what} {one.subject}')}" for one in asked]
    if told.first is None:
        lines += ["", "Nothing to compare yet." if told.is_empty else "No difference."]
    for one in told.workloads:
        if one.differs:
            lines += ["", f"| {_cell(one.name)} | {left} | {right} |", "|---|---|---|"]
            lines += [f"| {what} | {here} | {there} |" for what, here, there in one.rows]
    if told.differences:
        lines += ["", f"| First differences of {told.total} | {left} | {right} |", "|---|---|---|"]
        for parted in told.differences:
            sides = (_cell(side.what) if side else "nothing more" for side in (parted.left, parted.right))
            lines.append(f"| {parted.at} {_cell(parted.subject)} | {' | '.join(sides)} |")
    return "\n".join(lines) + "\n"


def _list_fields(told: Comparison) -> list[str]:
    """What their manifests have otherwise."""
    rows = [
        f"| {_cell(f'{one.name} {field.path}')} | {_cell(field.left) or '–'} | {_cell(field.right) or '–'} |"
        for one in told.changed
        for field in one.fields
    ]
    rows += [f"| {_cell(one.name)} | only in {one.only} | |" for one in told.changed if one.only]
    if not rows:
        return []
    return [f"| Field | {told.left.address} | {told.right.address} |", "|---|---|---|", *rows, ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

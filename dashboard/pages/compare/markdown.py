"""The comparison of two clusters as Markdown, for a pull request."""

from __future__ import annotations

from dashboard.pages.compare.readings import Comparison
from dashboard.plots.theme import clock


def write_markdown(told: Comparison) -> str:
    """The comparison for a pull request."""
    left, right = told.left.address, told.right.address
    lines = [f"### {left} and {right}, {clock(told.since_ms)} to {clock(told.until_ms)}", ""]
    for cluster, asked in zip((left, right), told.asked, strict=True):
        lines += [f"- asked of {cluster} at {one.at}: {_cell(f'{one.what} {one.subject}')}" for one in asked]
    if told.first is None:
        lines += ["", "No difference."]
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


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")

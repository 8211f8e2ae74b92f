"""All differences by their kind: what real Kubernetes has, what Podline has, how often, where. Markdown."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.recordings.compare import Finding, Result

Key = tuple[str, str, str, str, str]
"""(kind, kind of object, what, real, ours), without names and numbers of one scenario."""

TITLES = {
    "object": "Objects that only one side has",
    "field": "Values that only one side has",
    "refusal": "Refusals",
    "event": "Events that only one side has",
    "event-count": "How often an event is told",
    "text": "Texts of conditions and container states",
    "event-text": "Texts of events",
    "times": "Instants",
}
MOST_ROWS = 60
MOST_CHARACTERS = 320
OTHER_NUMBERS = "other numbers"


@dataclass
class Kind:
    """Differences that are alike: how many, in which scenarios, one of them."""

    example: Finding
    count: int = 0
    scenarios: list[str] = field(default_factory=list)


def print_report(results: list[Result]) -> None:
    """Print a table for each kind of difference, most frequent first."""
    kinds = _group(results)
    total = sum(kind.count for kind in kinds.values())
    print(
        f"# Differences\n\n{len(results)} scenarios, {total} differences, {len(kinds)} kinds of difference."
    )
    for title in TITLES:
        own = {key: kind for key, kind in kinds.items() if key[0] == title}
        if own:
            print("\n".join(_list_lines(title, own)))


def _group(results: list[Result]) -> dict[Key, Kind]:
    kinds: dict[Key, Kind] = {}
    scenarios: defaultdict[Key, dict[str, None]] = defaultdict(dict)
    for result in results:
        for finding in result.findings:
            key = _key_of(finding)
            kinds.setdefault(key, Kind(finding)).count += 1
            scenarios[key][result.name] = None
    for key, kind in kinds.items():
        kind.scenarios = list(scenarios[key])
    return kinds


def _list_lines(title: str, kinds: dict[Key, Kind]) -> Iterator[str]:
    count = sum(kind.count for kind in kinds.values())
    yield f"\n## {TITLES[title]}: {len(kinds)} kinds, {count} in all\n"
    yield "| scenarios | times | what | real Kubernetes | Podline | examples |\n|---|---|---|---|---|---|"
    order = sorted(kinds.items(), key=lambda item: (-len(item[1].scenarios), -item[1].count))
    for (_, owner, what, real, podline), kind in order[:MOST_ROWS]:
        if title in ("times", "event-count", "event") or real == OTHER_NUMBERS:
            real, podline = kind.example.real, kind.example.podline
        cells = (f"{owner} {what}", real, podline, ", ".join(kind.scenarios[:3]))
        yield f"| {len(kind.scenarios)} | {kind.count} | {' | '.join(map(_make_cell, cells))} |"
    if len(order) > MOST_ROWS:
        yield f"\n… and {len(order) - MOST_ROWS} kinds more."


def _key_of(finding: Finding) -> Key:
    kind, real, podline = finding.kind, finding.real, finding.podline
    where = finding.where
    owner = where.split("/")[0] if "/" in where else where.split(" ")[0]
    what = re.sub(r"container\.[^. ]+\.", "container.*.", finding.what)
    what = re.sub(r"endpoint\.[^ ]+", "endpoint.*", what)
    if kind == "times":
        late = re.search(r"(late|early)", podline)
        return kind, owner, re.sub(r"\d+", "N", what), "", late[0] if late else ""
    if kind == "event-count":
        is_more = _read_number(podline) > _read_number(real)
        return kind, owner, what, "", "more often" if is_more else "less often"
    if kind == "field" and re.fullmatch(r"[\d→ –]*", real + podline):
        return kind, owner, what, OTHER_NUMBERS, OTHER_NUMBERS
    if kind == "event":
        return kind, owner, what, *("–" if said == "–" else "told" for said in (real, podline))
    return kind, owner, _generalize(what) if kind == "text" else what, _generalize(real), _generalize(podline)


def _generalize(text: str) -> str:
    """A value without the names and numbers of its scenario."""
    text = re.sub(r"[\w.-]*<[^>]+>[\w.<>-]*", "<name>", text)
    text = re.sub(
        r'\b(pod|pods|Pod|job|Job|replica set|deployment)( "?)[a-z0-9][a-z0-9.-]*', r"\1\2<name>", text
    )
    return re.sub(r"(?<![\w:-])\d+(\.\d+)?\b", "N", text)


def _read_number(text: str) -> int:
    return int(re.sub(r"\D", "", text) or 0)


def _make_cell(text: str) -> str:
    text = text.replace("|", "\\|").replace("\n", " ")
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 10] + "…"

"""What agents are told, in plain lines and never more than they can read at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.telling.verdicts import tell_instant, tell_span
from lifecycle.input.differences import MADE_BY_PARTS, list_fields, map_manifests, name_key
from lifecycle.pod_judge import UNWELL
from lifecycle.simulation.seen import controller_of
from lifecycle.simulation.verdicts_at_end import VerdictSink

MOST_LETTERS, MOST_LINES, MOST_OF_A_LINE = 20_000, 400, 2_000
MOST_FINDINGS, MOST_BECAUSE, MOST_DIFFERENCES = 20, 6, 60
_AVAILABLE = ("availableReplicas", "numberAvailable")
Json = Mapping[str, Any]
_NOTHING: Json = {"metadata": {}}


def bound(text: str, offset: int = 0) -> str:
    """The lines of a text from `offset` on, as many as are read at once; what is left out is said."""
    lines = text.split("\n")
    shown, letters = list[str](), 0
    for line in lines[offset : offset + MOST_LINES]:
        if len(line) > MOST_OF_A_LINE:
            line = f"{line[:MOST_OF_A_LINE]}… ({len(line) - MOST_OF_A_LINE:,} letters more)"
        letters += len(line) + 1
        if letters > MOST_LETTERS:
            break
        shown.append(line)
    end = offset + len(shown)
    if offset:
        shown.insert(0, f"({min(offset, len(lines)):,} lines before these were left out)")
    if left := max(0, len(lines) - end):
        shown.append(
            f"({left:,} more lines were left out: ask again with offset {end}, or for less,"
            " such as one object or one namespace)"
        )
    return "\n".join(shown)


def tell_now(engine: Engine) -> str:
    """What time it is in a cluster, since it began: `00:05:00`."""
    return tell_instant(engine.now_ms)


def tell_verdicts(engine: Engine, sink: VerdictSink) -> str:
    """A line for each workload and pod that nobody owns: how it is, and why it is not well."""
    told = [
        f"{one.kind} {one.namespace}/{one.name}: {one.verdict}"
        for one in sink.tell(engine)
        if controller_of(engine.get(one.kind, one.namespace, one.name) or _NOTHING) is None
    ]
    return "\n".join(told) or "There are no workloads and no pods."


def tell_course(engine: Engine, sink: VerdictSink, rows: Sequence[Json], from_ms: int, end: str) -> str:
    """What came of a change that was tried: how it ended, the fewest available, troubles on the way.

    `rows`: transitions and events since then, as JSON. `end`: why it was followed no longer.
    """
    span = tell_span(engine.now_ms - from_ms)
    lines = [f"Tried in a copy that is gone now, for {span} from {tell_instant(from_ms)} on, {end}."]
    lines += _tell_available(rows)
    lines += _tell_troubles(rows)
    return "\n".join([*lines, "In the end:", tell_verdicts(engine, sink)])


def _tell_available(rows: Iterable[Json]) -> Iterator[str]:
    least: dict[tuple[str, str, str], tuple[int, int, int]] = {}
    for row in rows:
        if row["type"] == "transition" and row["field"] in _AVAILABLE and row["owner"] is None:
            key = row["kind"], row["namespace"] or "", row["name"]
            before, now = int(row["old"] or 0), int(row["new"] or 0)
            first, fewest, at_ms = least.get(key, (before, before, row["at_ms"]))
            least[key] = (first, now, row["at_ms"]) if now < fewest else (first, fewest, at_ms)
    for (kind, namespace, name), (first, fewest, at_ms) in sorted(least.items()):
        if fewest < first:
            left = f"only {fewest} of {first} pods available"
            yield f"{kind} {namespace}/{name}: {left} at {tell_instant(at_ms)}"


def _tell_troubles(rows: Iterable[Json]) -> Iterator[str]:
    """The first pod that got into each kind of trouble, and how often pods did."""
    first: dict[tuple[str, str], Json] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        is_state = row["type"] == "transition" and row["field"] == "state" and row["kind"] == POD_KIND.name
        if is_state and row["new"] in UNWELL and row["old"] != row["new"]:
            key = row["new"], row["reason"] or ""
            first.setdefault(key, row)
            counts[key] += 1
    for (state, reason), row in first.items():
        times = f", {counts[state, reason]} times in all" if counts[state, reason] > 1 else ""
        why = f" ({reason})" if reason else ""
        yield f"Pod {row['namespace']}/{row['name']} is {state}{why} at {tell_instant(row['at_ms'])}{times}"


def tell_differences(ours: Engine, theirs: Engine, names: tuple[str, str]) -> list[str]:
    """What the manifests of two clusters have otherwise: `Deployment shop/web spec.replicas: 3 | 5`."""
    left, right = (map_manifests(_list_given(one)) for one in (ours, theirs))
    lines = []
    for key in sorted({**left, **right}):
        one, other = left.get(key), right.get(key)
        if one is None or other is None:
            lines.append(f"{name_key(key)}: only in {names[0 if other is None else 1]}")
        else:
            lines += [
                f"{name_key(key)} {each.path}: {each.left or '–'} | {each.right or '–'}"
                for each in list_fields(one, other)
            ]
    left_out = len(lines) - MOST_DIFFERENCES
    return [*lines[:MOST_DIFFERENCES], *([f"and {left_out} differences more"] if left_out > 0 else [])]


def _list_given(engine: Engine) -> Iterator[Json]:
    for kind in sorted(engine.kinds()):
        if kind not in MADE_BY_PARTS:
            yield from (one for one in engine.list(kind) if not one["metadata"].get("ownerReferences"))


def tell_findings(report: Json) -> str:
    """A check's report, of the shape of `podline check --output json`, in lines."""
    findings, ordeals = report["findings"], report["ordeals"]
    lines = [f"{len(ordeals)} ordeals tried, {len(findings)} findings, the gravest first."]
    for one in findings[:MOST_FINDINGS]:
        lines.append(f"{one['severity']} {one['object']} {one['claim']} in {one['ordeal']}: {one['text']}")
        lines += [f"  because {text}" for text in one["because"][:MOST_BECAUSE]]
        lines += [f"  would help: {cure['text']}" for cure in one["remedies"]]
    if (left := len(findings) - MOST_FINDINGS) > 0:
        lines.append(f"and {left} findings more: name fewer ordeals to see them")
    return "\n".join(lines)

"""Compares the history of a real cluster with ours. README.md says what counts as the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from tests.recordings.align import SHARE, SLACK_SECONDS, Ends, Lane, align
from tests.recordings.normalize import without_claims
from tests.recordings.scenario_files import Json

JITTER = 1.5
"""A kubelet draws how long it waits before it tries a pod again: 1 to JITTER times the back-off."""
RETRIED = re.compile(
    r"Running|True|\d+$|[1-9]\d*/|Waiting |ErrImagePull|Init:|PodInitializing|CrashLoop|ImagePullBack"
)
"""What such a try leads to."""
NODE_LOOK_SECONDS = 10
"""A kubelet looks at its Node so often, in a phase of its own: what it sees it tells within that."""
SEEN_OF_NODE = re.compile(r"Node(Not)?Schedulable ")
BACKING_OFF = re.compile(r"Waiting .*(BackOff|Error|ErrImage)")
WORKLOADS = (
    "StatefulSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "ReplicationController",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
)


@dataclass(frozen=True)
class Finding:
    """One difference. `kind`: object, field, times, text, event, event-text, event-count, refusal."""

    kind: str
    where: str
    what: str
    real: str
    podline: str
    at: float | None = None


@dataclass
class Result:
    """Of one scenario."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    coalesced: int = 0
    is_backing_off: bool = False
    idle_kinds: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """same, coalesced, times or differs."""
        kinds = {one.kind for one in self.findings}
        if kinds - {"times"}:
            return "differs"
        return "times" if kinds else "coalesced" if self.coalesced else "same"

    @property
    def agrees(self) -> bool:
        return self.verdict in ("same", "coalesced")

    def add(self, kind: str, where: str, what: str, real: str, podline: str, at: float | None = None) -> None:
        self.findings.append(Finding(kind, where, what, real, podline, at))


def compare(name: str, real: Json, mine: Json) -> Result:
    """All differences between two histories of one scenario."""
    result = Result(name)
    if not name.removeprefix("own-").startswith("claim-"):
        real, mine = without_claims(real), without_claims(mine)
    result.idle_kinds = _find_idle_kinds(real, mine)
    result.beyond = mine.get("beyond", [])
    pairs, missing, extra = pair_objects(real["objects"], mine["objects"])
    for names, objects, is_real in ((missing, real["objects"], True), (extra, mine["objects"], False)):
        for one in names:
            _note_lone_object(objects[one], real["until"], is_real, result)
    for a, b in pairs:
        _compare_objects(a, real["objects"][a], mine["objects"][b], real["until"], result)
    _compare_events(real["events"], mine["events"], real["until"], result)
    _compare_refusals(real["refusals"], mine["refusals"], result)
    return result


# --- objects ----------------------------------------------------------------------------------------------


def pair_objects(
    real: dict[str, Json], mine: dict[str, Json]
) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Pairs within each group, the likest first; then what is missing here and what is extra."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for side, objects in enumerate((real, mine)):
        for name, one in objects.items():
            groups.setdefault(one["group"], ([], []))[side].append(name)
    pairs: list[tuple[str, str]] = []
    missing, extra = [], []
    for ours, theirs in groups.values():
        found = list(_pair_group(ours, theirs, real, mine))
        pairs += found
        missing += [name for name in ours if name not in {a for a, _ in found}]
        extra += [name for name in theirs if name not in {b for _, b in found}]
    return pairs, missing, extra


def _pair_group(
    ours: list[str], theirs: list[str], real: dict[str, Json], mine: dict[str, Json]
) -> Iterator[tuple[str, str]]:
    if not any("<" in name for name in (*ours, *theirs)):
        # Incarnations of one name are told apart by their order.
        yield from zip(ours, theirs, strict=False)
        return
    order = sorted(
        (_count_unlikeness(real[a], mine[b]), i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs)
    )
    used: tuple[set[int], set[int]] = (set(), set())
    for _, i, j in order:
        if i not in used[0] and j not in used[1]:
            used[0].add(i)
            used[1].add(j)
            yield ours[i], theirs[j]


def _count_unlikeness(real: Json, mine: Json) -> float:
    """How unlike two interchangeable objects are."""
    total = 0.0
    for name in ("exists", "deletion", "phase", "status"):
        a, b = real["fields"].get(name, []), mine["fields"].get(name, [])
        total += 8 * ([one[1] for one in a] != [one[1] for one in b])
        total += sum(min(30.0, abs(x[0] - y[0])) for x, y in zip(a, b, strict=False))
        total += 20 * abs(len(a) - len(b))
    # Of those that came together the one that was lost with its node is paired with one that was, too.
    changes = [len(side["fields"].get("condition.Ready", [])) for side in (real, mine)]
    return total + abs(changes[0] - changes[1])


def _note_lone_object(one: Json, until: float, is_real: bool, result: Result) -> None:
    at = one["fields"].get("exists", [[0.0]])[0][0]
    if until - at > SLACK_SECONDS:
        said = "created" if at or one["kind"] != "Node" else "changed"
        sides = (said, "–") if is_real else ("–", said)
        result.add("object", one["group"], "object", *sides, at)


def _compare_objects(where: str, real: Json, mine: Json, until: float, result: Result) -> None:
    result.is_backing_off = _has_backed_off(real)
    ends = (_find_end(real), _find_end(mine))
    for what in sorted({*real["fields"], *mine["fields"]}):
        left, right = real["fields"].get(what, []), mine["fields"].get(what, [])
        compare_lanes(left, right, until, where, what, result, ends)


def _has_backed_off(one: Json) -> bool:
    """Whether a pod ever waited for its kubelet to try again."""
    lanes = [lane for field, lane in one["fields"].items() if field.endswith(".state")]
    return any(BACKING_OFF.match(str(entry[1])) for lane in lanes for entry in lane)


def _find_end(one: Json) -> float | None:
    """When an object other than a pod was removed; a pod's last values are its verdict."""
    last = one["fields"].get("exists", [[0.0, ""]])[-1]
    return last[0] if last[1] == "deleted" and one["kind"] != "Pod" else None


# --- fields -----------------------------------------------------------------------------------------------


def compare_lanes(
    real: Lane, mine: Lane, until: float, where: str, what: str, result: Result, ends: Ends = (None, None)
) -> None:
    """Add what differs in one field's values, instants and messages."""
    pairs, missing, extra = align(real, mine, until, ends)
    start = (0, 0)
    for i, j in [*pairs, (len(real), len(mine))]:
        ours = [real[k] for k in range(start[0], i) if missing[k]]
        theirs = [mine[k] for k in range(start[1], j) if extra[k]]
        if ours or theirs:
            result.add("field", where, what, _show(ours), _show(theirs), (ours or theirs)[0][0])
        start = (i + 1, j + 1)
    is_complete = len(pairs) == len(real) == len(mine)
    if not any(missing) and not any(extra) and not is_complete:
        result.coalesced += 1
    _compare_times(real, mine, pairs, where, what, result)
    for i, j in pairs:
        said, mine_said = real[i][2], mine[j][2]
        if said != mine_said and (what.startswith("condition.") or (said and mine_said)):
            result.add("text", where, f"{what} = {real[i][1]}", said, mine_said, real[i][0])


def _show(lane: Lane) -> str:
    return " → ".join(str(one[1]) for one in lane) or "–"


def _compare_times(
    real: Lane, mine: Lane, pairs: list[tuple[int, int]], where: str, what: str, result: Result
) -> None:
    """Instants, or else the time since the pair before: a delay counts once, where it arises."""
    before: tuple[float, float] | None = None
    for i, j in pairs:
        there, here = real[i][0], mine[j][0]
        slack = max(SLACK_SECONDS, SHARE * (there - (real[i - 1][0] if i else 0.0)))
        is_off = abs(there - here) > slack
        if is_off and before is not None:
            wait, mine_wait = there - before[0], here - before[1]
            may_draw = result.is_backing_off and RETRIED.match(str(real[i][1]))
            is_drawn = may_draw and 5 < mine_wait < wait <= JITTER * mine_wait + SLACK_SECONDS
            is_off = abs(wait - mine_wait) > slack and not is_drawn
        if is_off:
            late = here - there
            word = f"{abs(late):.1f} s {'late' if late > 0 else 'early'}"
            result.add(
                "times", where, f"{what} = {real[i][1]}", f"at {there:.1f}", f"at {here:.1f} ({word})", there
            )
        before = (there, here)


# --- events, refusals, kinds without a controller -----------------------------------------------------------


def _compare_events(real: Json, mine: Json, until: float, result: Result) -> None:
    for key in sorted({*real, *mine}):
        where, what = key.split(" ", 1)
        if key in real and key in mine:
            _compare_event(real[key], mine[key], where, what, result)
            continue
        one = real.get(key) or mine[key]
        if until - one["first"] > _slack_seconds(what):
            said = f"×{one['count']}: {one['messages'][0]}"
            sides = (said, "–") if key in real else ("–", said)
            result.add("event", where, what, *sides, one["first"])


def _compare_event(left: Json, right: Json, where: str, what: str, result: Result) -> None:
    at = left["first"]
    ours = [text for text in left["messages"] if text not in right["messages"]]
    theirs = [text for text in right["messages"] if text not in left["messages"]]
    for said, mine_said in _pair_texts(ours, theirs):
        result.add("event-text", where, what, said, mine_said, at)
    if left["source"] != right["source"]:
        result.add("event-text", where, f"{what} source", left["source"], right["source"], at)
    if abs(left["count"] - right["count"]) > max(1, 0.2 * left["count"]):
        result.add("event-count", where, what, f"×{left['count']}", f"×{right['count']}", at)
    if where.startswith("Pod/") and what.endswith("(Normal)") and right["told"] > left["told"]:
        # What comes again counts up one event.
        result.add("event-count", where, what, f"{left['told']} events", f"{right['told']} events", at)
    if abs(at - right["first"]) > max(_slack_seconds(what), SHARE * at):
        result.add("times", where, f"event {what}", f"at {at:.1f}", f"at {right['first']:.1f}", at)


def _slack_seconds(event: str) -> float:
    return NODE_LOOK_SECONDS if SEEN_OF_NODE.match(event) else SLACK_SECONDS


def _pair_texts(left: list[str], right: list[str]) -> list[tuple[str, str]]:
    """Each text of one side beside the likest of the other."""
    order = sorted(((SequenceMatcher(None, a, b).ratio(), a, b) for a in left for b in right), reverse=True)
    pairs: list[tuple[str, str]] = []
    a_left, b_left = list(left), list(right)
    for likeness, a, b in order:
        if likeness > 0.4 and a in a_left and b in b_left:
            pairs.append((a, b))
            a_left.remove(a)
            b_left.remove(b)
    return pairs + [(a, "–") for a in a_left] + [("–", b) for b in b_left]


def _compare_refusals(real: dict[str, str], mine: dict[str, str], result: Result) -> None:
    titles = {_shorten(title): text for title, text in real.items()}
    for title in sorted({*titles, *mine}):
        a, b = titles.get(title), mine.get(title)
        if a != b:
            result.add("refusal", title, "refusal", a or "accepted", b or "accepted")


def _shorten(title: str) -> str:
    found = re.match(r"(\w+)( \d+)?", title)
    assert found, title
    return found[0]


def _find_idle_kinds(real: Json, mine: Json) -> list[str]:
    """Kinds that only real Kubernetes acts on: Podline has no controller for them, or none that woke up."""
    told: tuple[set[str], set[str]] = (set(), set())
    for side, history in enumerate((real, mine)):
        for one in history["objects"].values():
            if one["kind"] in WORKLOADS and set(one["fields"]) - {"exists", "suspended", "deletion"}:
                told[side].add(one["kind"])
    return sorted(told[0] - told[1])

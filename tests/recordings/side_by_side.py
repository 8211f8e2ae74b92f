"""Both histories of a scenario, field by field, for people."""

from __future__ import annotations

import json

from tests.recordings.align import Lane
from tests.recordings.compare import Result, compare_lanes, pair_objects
from tests.recordings.scenario_files import Json


def print_side_by_side(real: Json, mine: Json) -> None:
    """Print objects, then events, refusals and what programs printed, of both sides."""
    pairs, missing, extra = pair_objects(real["objects"], mine["objects"])
    nothing: Json = {"fields": {}}
    rows = [(a, real["objects"][a], mine["objects"][b]) for a, b in pairs]
    rows += [(a, real["objects"][a], nothing) for a in missing]
    rows += [(b, nothing, mine["objects"][b]) for b in extra]
    for name, left, right in sorted(rows, key=lambda row: row[0]):
        print(f"{name}\n    {'real Kubernetes':58} Podline")
        for what in sorted({*left["fields"], *right["fields"]}):
            _print_lanes(left["fields"].get(what, []), right["fields"].get(what, []), what, real["until"])
    _print_rest("real", real)
    _print_rest("Podline", mine)


def _print_lanes(real: Lane, mine: Lane, what: str, until: float) -> None:
    result = Result("")
    compare_lanes(real, mine, until, "", what, result)
    kinds = {one.kind for one in result.findings}
    sign = "≠" if "field" in kinds else "t" if kinds else "~" if result.coalesced else " "
    print(f"  {sign} {what}")
    for index in range(max(len(real), len(mine))):
        left, right = (
            f"{lane[index][0]:8.2f} {lane[index][1]}" if index < len(lane) else "" for lane in (real, mine)
        )
        print(f"    {left:58} {right}")


def _print_rest(title: str, history: Json) -> None:
    print(f"events, {title}")
    for key, event in sorted(history["events"].items(), key=lambda item: item[1]["first"]):
        texts = " | ".join(event["messages"])[:240]
        print(f"  {event['first']:8.2f} {key} ×{event['count']} [{event['source']}] {texts}")
    print(f"refusals, {title}: {json.dumps(history['refusals'], indent=2)}")
    for now, what, stream, line in history["outputs"]:
        print(f"  {now:8.2f} {what} {stream}: {line}")

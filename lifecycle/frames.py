"""What goes to the browser, as typed dicts: rows of the trace, summaries of objects, frames.

A row of the trace has the keys of `docs/formats.md`, in their order, whether it comes from the engine
or from the database. The group message around a frame is for consumers:
`{"type": "cluster.frame", "epoch_id", "from", "seq", "rv", "at_ms", "text"}`, where `text` is the frame as
JSON, ready to be sent on.
"""

import re
from typing import Any, TypedDict

import orjson

from lifecycle.engine.heart.trace import EVENT_KEYS, TRANSITION_KEYS
from lifecycle.models import Cluster, Event, StoredObject, Transition

MAX_ROWS = 2000
MAX_BYTES = 256 * 1024


class Summary(TypedDict):
    """The columns lists of objects show; decided by the engine's `columns.summarize`."""

    uid: str
    kind: str
    namespace: str | None
    name: str
    owner: str | None
    node: str | None
    state: str | None
    phase: str | None
    status: str | None
    ready: str | None
    restarts: int | None
    revision: int | None
    created_ms: int
    deleted_ms: int | None
    rv: int
    group: str


SUMMARY_COLUMNS = tuple(Summary.__annotations__)

Frame = TypedDict(
    "Frame",
    {
        "epoch_id": str,
        "from": int,
        "seq": int,
        "at_ms": int,
        "speed": float,
        "paused": bool,
        "achieved_speed": float | None,
        "transitions": list[dict[str, Any]],
        "events": list[dict[str, Any]],
        "objects": list[Summary],
        "rv_from": int,
        "rv": int,
        "refetch": bool,
    },
    total=False,
)

# Column -> the trace's key; a column is the key in snake_case.
TRANSITION_COLUMNS = {key: key for key in TRANSITION_KEYS}
EVENT_COLUMNS = {re.sub("[A-Z]", lambda big: f"_{big[0].lower()}", key): key for key in EVENT_KEYS}


def transition_json(row: Transition) -> dict[str, Any]:
    """A recorded transition as the trace's object."""
    return {"type": "transition"} | {key: getattr(row, column) for column, key in TRANSITION_COLUMNS.items()}


def event_json(row: Event) -> dict[str, Any]:
    """A recorded event as the trace's object."""
    return {"type": "event"} | {key: getattr(row, column) for column, key in EVENT_COLUMNS.items()}


def summary_of(stored: StoredObject) -> Summary:
    """The summary columns of a stored object."""
    return {column: getattr(stored, column) for column in SUMMARY_COLUMNS}  # type: ignore[return-value]


def make_frame(
    cluster: Cluster,
    from_seq: int,
    from_rv: int,
    rows: list[dict[str, Any]],
    objects: list[Summary],
    is_large: bool = False,
) -> Frame:
    """One frame up to the cluster's cursor. Too much to send: no rows, and `refetch`."""
    frame: Frame = {
        "epoch_id": str(cluster.epoch_id),
        "from": from_seq,
        "seq": cluster.seq,
        "at_ms": cluster.instant_ms,
        "speed": cluster.speed,
        "paused": cluster.paused,
        "achieved_speed": cluster.achieved_speed,
        "transitions": [],
        "events": [],
        "objects": [],
        "rv_from": from_rv,
        "rv": cluster.rv,
    }
    if is_large or len(rows) + len(objects) > MAX_ROWS:
        frame["refetch"] = True
        return frame
    frame["transitions"] = [row for row in rows if row["type"] == "transition"]
    frame["events"] = [row for row in rows if row["type"] == "event"]
    frame["objects"] = objects
    return frame


def join(first: Frame, later: Frame) -> Frame:
    """Two frames as one; only the later one when it does not follow: watchers see the gap."""
    if (first["epoch_id"], first["seq"], first["rv"]) != (later["epoch_id"], later["from"], later["rv_from"]):
        return later
    joined = later | {"from": first["from"], "rv_from": first["rv_from"]}
    objects = {summary["uid"]: summary for summary in [*first["objects"], *later["objects"]]}
    rows = sum(len(frame[kind]) for frame in (first, later) for kind in ("transitions", "events"))
    if first.get("refetch") or later.get("refetch") or rows + len(objects) > MAX_ROWS:
        return joined | {"transitions": [], "events": [], "objects": [], "refetch": True}
    joined["transitions"] = first["transitions"] + later["transitions"]
    joined["events"] = first["events"] + later["events"]
    joined["objects"] = list(objects.values())
    return joined


def encode(frame: Frame) -> str:
    """The frame as JSON text; above 256 KiB its rows are left out and `refetch` is set."""
    text = orjson.dumps(frame)
    if len(text) > MAX_BYTES:
        frame = frame | {"transitions": [], "events": [], "objects": [], "refetch": True}
        text = orjson.dumps(frame)
    return text.decode()


def group_message(frame: Frame) -> dict[str, Any]:
    """What the Channels group gets."""
    return {
        "type": "cluster.frame",
        "epoch_id": frame["epoch_id"],
        "from": frame["from"],
        "seq": frame["seq"],
        "rv": frame["rv"],
        "at_ms": frame["at_ms"],
        "text": encode(frame),
    }

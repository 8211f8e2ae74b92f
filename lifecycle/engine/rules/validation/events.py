"""Events that clients write: what the core group asks of them, and what events.k8s.io asks beside that.

An Event is looked at in the form of the core group, in which it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .words.field_error import FieldError
from .words.names import check_qualified, check_subdomain
from .words.part import Part, gathers

_SHORT, _LONG = 128, 1024
_WIDE_NAMESPACES = ("default", "kube-system")
_UNSET = ("firstTimestamp", "lastTimestamp", "count")
_KEPT = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
)
_TELLER = {"reportingComponent": "reportingController"}


@gathers("")
def validate_event(event: Part) -> None:
    """What is asked of every Event, in whichever group it is written."""
    about, own = event.part("involvedObject"), event.part("metadata")["namespace"] or ""
    given = about["namespace"] or ""
    if not event["eventTime"]:
        # Old clients write about what is in no namespace into the default one.
        if given != own and (given or own not in ("", "default")):
            about.refuse("namespace", "does not match event.namespace", given)
    else:
        if not given and own not in _WIDE_NAMESPACES:
            about.refuse("namespace", "does not match event.namespace", "")
        _validate_telling(event)
    event.complain("namespace", check_subdomain(own), own)


def _validate_telling(event: Part) -> None:
    """Who tells of what, in an Event that says when."""
    teller = event["reportingComponent"] or ""
    event.need("reportingComponent")
    event.complain("reportingComponent", check_qualified(teller), teller)
    for field, most in (("reportingInstance", _SHORT), ("action", _SHORT), ("reason", _SHORT)):
        event.need(field)
        _limit(event, field, most)
    _limit(event, "message", _LONG)


def _limit(event: Part, field: str, most: int) -> None:
    if len(event[field] or "") > most:
        event.refuse(field, f"can have at most {most} characters", "")


@gathers("")
def validate_newer_event(event: Part) -> None:
    """What events.k8s.io asks of a new Event beside that."""
    _validate_series(event)
    event.need("eventTime")
    if event["type"] not in ("Normal", "Warning"):
        event.refuse("type", f"has invalid value: {event['type'] or ''}", "")
    for field in _UNSET:
        if event[field]:
            event.refuse(field, "needs to be unset", "")
    if event.part("source")["component"] or event.part("source")["host"]:
        event.refuse("source", "needs to be unset", "")


def _validate_series(event: Part) -> None:
    series = event["series"]
    if series is None:
        return
    if (series.get("count") or 0) < 2:
        event.refuse("series.count", "should be at least 2", "")
    if not series.get("lastObservedTime"):
        event.require("series.lastObservedTime")


def validate_newer_change(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[FieldError]:
    """What events.k8s.io has against a change: all but the series stays for life."""
    event = Part(new)
    if old.get("series") != new.get("series"):
        _validate_series(event)
    for field in (*_KEPT, "reportingComponent", "reportingInstance"):
        if (old.get(field) or None) != (new.get(field) or None):
            event.refuse(_TELLER.get(field, field), "field is immutable", new.get(field))
    return event.errors

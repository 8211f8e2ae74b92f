"""Events of containers, as the kubelet tells them: of core v1 and of events.k8s.io.

Times of the kubelet's events have whole seconds, but an event's name ends with the instant of its first
occurrence in nanoseconds (GenerateEventName of client-go/tools/record/util).
"""

from __future__ import annotations

from lifecycle.calibration.fields import Fields
from lifecycle.calibration.windows import Window
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

PULLING, PULLED, STARTED, FAILED = "Pulling", "Pulled", "Started", "Failed"
KILLING, UNHEALTHY = "Killing", "Unhealthy"
_REASONS = (PULLING, PULLED, STARTED, FAILED, KILLING, UNHEALTHY)
_GROUP = "events.k8s.io/"
_PLACE = late_pattern(r"spec\.\w+\{(.+)\}")
_STAMP = late_pattern(r".*\.([0-9a-f]{15,16})")
# What a recorder tells once for many events that are nearly the same.
_COMBINED = "(combined from similar events): "


@dataclass(frozen=True, slots=True)
class Told:
    """What was told of one container. `uid` and `pod` (namespace/name) say whose it is; either may be "".

    `event` (namespace/name) is the event's own; "" of one without a name.
    """

    event: str
    uid: str
    pod: str
    container: str
    reason: str
    message: str
    node: str
    first: Window
    last: Window
    count: int


def read_event(event: Fields) -> Told | None:
    """An event that says something of a container; None for any other, or one without what is needed."""
    reason = event.text("reason")
    is_newer = event.text("apiVersion").startswith(_GROUP)
    about = event.mapping("regarding" if is_newer else "involvedObject")
    if reason not in _REASONS or about.text("kind") != "Pod":
        return None
    found = _PLACE.fullmatch(about.text("fieldPath"))
    if found is None:
        # `Failed` and `Killing` may be of the pod as a whole.
        return None
    metadata = event.mapping("metadata")
    first = _read_first(event, metadata, is_newer)
    if first is None:
        event.note("eventTime" if is_newer else "firstTimestamp", "the event has no time")
        return None
    series = event.mapping("series")
    last = event.window("deprecatedLastTimestamp" if is_newer else "lastTimestamp")
    source = event.mapping("deprecatedSource" if is_newer else "source")
    name = metadata.text("name")
    return Told(
        f"{metadata.text('namespace')}/{name}" if name else "",
        about.text("uid"),
        f"{about.text('namespace')}/{about.text('name')}",
        found[1],
        reason,
        event.text("note" if is_newer else "message").removeprefix(_COMBINED),
        source.text("host") or event.text("reportingInstance"),
        _sharpen(first, name),
        series.window("lastObservedTime") or last or first,
        series.whole("count") or event.whole("deprecatedCount" if is_newer else "count") or 1,
    )


def _read_first(event: Fields, metadata: Fields, is_newer: bool) -> Window | None:
    """Recorders of either API fill their own field, and leave the other one empty."""
    return (
        event.window("eventTime")
        or event.window("deprecatedFirstTimestamp" if is_newer else "firstTimestamp")
        or metadata.window("creationTimestamp")
    )


def _sharpen(first: Window, name: str) -> Window:
    """To the millisecond, where the event's name agrees with its time."""
    found = _STAMP.fullmatch(name)
    at_ms = int(found[1], 16) // 1_000_000 if found else 0
    return Window(at_ms, at_ms) if first.low_ms <= at_ms <= first.high_ms else first

"""What a dump holds: `kubectl get pods,events -A -o yaml`, or several of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lifecycle.calibration.events import Told, read_event
from lifecycle.calibration.fields import Fields
from lifecycle.calibration.pods import Container, Pod, read_pod
from lifecycle.calibration.windows import Window
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem
from lifecycle.lean_dataclasses import dataclass

_EVENTS = ("v1", "events.k8s.io/v1", "events.k8s.io/v1beta1")


@dataclass(frozen=True, slots=True)
class Seen:
    """One container: of which pod, and what was told of it, in order.

    Pod and container are None of a pod that is gone, of which only events are left.
    """

    pod: Pod | None
    container: Container | None
    told: tuple[Told, ...]

    def list_told(self, reason: str) -> list[Told]:
        """The events of one reason."""
        return [one for one in self.told if one.reason == reason]


@dataclass(frozen=True, slots=True)
class Dump:
    """Pods and events; `seen` has each container once. `problems`: what was left out of them."""

    pods: tuple[Pod, ...]
    events: int
    seen: tuple[Seen, ...]
    problems: tuple[Problem, ...]

    @property
    def span(self) -> Window | None:
        """From the first instant that the dump tells of to the last; None where it tells of none."""
        found = [window for seen in self.seen for window in _list_instants(seen)]
        return Window(min(one.low_ms for one in found), max(one.low_ms for one in found)) if found else None


def read_dump(documents: Iterable[Document]) -> Dump:
    """Read what is of use. Of objects that are given twice, as in later dumps, the last one counts."""
    problems: list[Problem] = []
    pods: dict[str, Pod] = {}
    told: dict[str, Told] = {}
    for document in documents:
        api_version, kind = document.data.get("apiVersion"), document.data.get("kind")
        fields = Fields(document, document.data, problems)
        if (api_version, kind) == ("v1", "Pod"):
            if pod := read_pod(fields):
                pods[pod.uid or pod.name] = pod
        elif api_version in _EVENTS and kind == "Event" and (event := read_event(fields)):
            told[event.event or str(len(told))] = event
    seen = tuple(_list_seen(pods, told.values()))
    return Dump(tuple(pods.values()), len(told), seen, tuple(problems))


def _list_instants(seen: Seen) -> Iterator[Window]:
    for told in seen.told:
        yield from (told.first, told.last)
    container = seen.container
    if container is not None:
        times = [container.running_since, *(end.finished for end in container.ends)]
        yield from (one for one in times if one is not None)
    if seen.pod is not None and seen.pod.ready_since is not None:
        yield seen.pod.ready_since


def _list_seen(pods: Mapping[str, Pod], told: Iterable[Told]) -> Iterator[Seen]:
    by_name = {pod.name: key for key, pod in pods.items()}
    by_place: dict[tuple[str, str], list[Told]] = {}
    for one in sorted(told, key=lambda one: (one.first.low_ms, one.reason, one.message)):
        key = one.uid or by_name.get(one.pod, one.pod)
        by_place.setdefault((key, one.container), []).append(one)
    for key, pod in pods.items():
        for container in pod.containers:
            yield Seen(pod, container, tuple(by_place.pop((key, container.name), ())))
    for left in by_place.values():
        yield Seen(None, None, tuple(left))

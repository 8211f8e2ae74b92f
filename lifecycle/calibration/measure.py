"""Measures all that a dump tells of, image by image."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle.calibration.dumps import Dump, Seen
from lifecycle.calibration.ends import has_lived, measure_life, measure_stop
from lifecycle.calibration.measured import Measured
from lifecycle.calibration.pulls import choose_pulls, find_image_told, list_pulls
from lifecycle.calibration.readiness import measure_ready
from lifecycle.calibration.starts import measure_start

A_LOOK = "pull: the node had the image, so that this was a look at the registry"
MAY_BE_LOOK = "pull: imagePullPolicy Always: where the node had the image, it was a look at the registry"
Find = Callable[[str], Measured]


def measure(dump: Dump) -> list[Measured]:
    """What each image of the dump took, in the order of their names."""
    found: dict[str, Measured] = {}

    def find(image: str) -> Measured:
        return found.setdefault(image, Measured(image))

    _measure_pulls(dump, find)
    until_ms = dump.span.high_ms if dump.span else 0
    for seen in dump.seen:
        if image := find_image_told(seen):
            _measure_one(seen, until_ms, find(image))
    return sorted(found.values(), key=lambda one: one.image)


def _measure_pulls(dump: Dump, find: Find) -> None:
    counted, looks = choose_pulls(list_pulls(dump.seen))
    for pull, takes in counted:
        find(pull.image).pulls.append(takes)
    for pull in looks:
        find(pull.image).leave(A_LOOK)
    pulling = {seen.container.image for seen in dump.seen if seen.container and seen.container.pulls_always}
    for image in sorted(pulling & {pull.image for pull, _ in counted}):
        find(image).doubts.append(MAY_BE_LOOK)


def _measure_one(seen: Seen, until_ms: int, into: Measured) -> None:
    into.restarts += seen.container.restarts if seen.container else 0
    if start := measure_start(seen):
        into.starts.append(start)
    ready = measure_ready(seen)
    if ready.after:
        into.readies.append(ready.after)
    stop, no_stop = measure_stop(seen)
    if stop:
        into.stops.append(stop)
    no_life = ""
    if has_lived(seen.container):
        life, no_life = measure_life(seen, until_ms)
        into.lives.append(life)
    for why in (ready.why_not, no_stop, no_life):
        if why:
            into.leave(why)

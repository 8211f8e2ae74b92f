"""How long images took to be pulled, from what the kubelet tells (pkg/kubelet/images/image_manager.go).

`Successfully pulled image "x" in 2.3s (3.1s including waiting). Image size: 5 bytes.`: the first figure is
the pull, the second the turn it waited for besides. Since v1.27 so; before, `in 2.345678901s`, and long ago
no figure at all. `already present on machine` tells of no pull, but that the node has the image.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lifecycle.calibration.dumps import Seen
from lifecycle.calibration.events import PULLED, PULLING, Told
from lifecycle.calibration.windows import Window
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.rules.pods.image_names import full_name
from lifecycle.late_patterns import late_pattern
from lifecycle.lean_dataclasses import dataclass

_SUCCESS = late_pattern(r'Successfully pulled image "([!-~]+)"(?: in ([^ ]+?)(?:\.? .*|\.)?)?', re.DOTALL)
_PRESENT = late_pattern(r'Container image "([!-~]+)" already present on machine.*', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Pull:
    """A node that has an image from `ended` on. `takes` is None where it had it before."""

    image: str
    node: str
    ended: Window
    takes: Window | None


def find_image_told(seen: Seen) -> str:
    """The image of a container, as its pod names it, else as its events do; "" where neither does."""
    if seen.container is not None:
        return seen.container.image
    return next((pull.image for pull in list_pulls([seen])), "")


def list_pulls(seen: Iterable[Seen]) -> list[Pull]:
    """Everything that nodes tell of having an image, in order."""
    found = [pull for one in seen for told in one.list_told(PULLED) if (pull := _read_pull(one, told))]
    return sorted(found, key=lambda pull: (pull.ended.low_ms, pull.image, pull.node))


def choose_pulls(pulls: Iterable[Pull]) -> tuple[list[tuple[Pull, Window]], list[Pull]]:
    """Those that count, with how long they took, and those that found the image on their node.

    A pull of an image that the node has is a look at the registry (imagePullPolicy Always) and no pull.
    """
    counted: list[tuple[Pull, Window]] = []
    looks: list[Pull] = []
    had: dict[tuple[str, str], int] = {}
    for pull in pulls:
        place = full_name(pull.image), pull.node
        if pull.takes is not None:
            begun_ms = pull.ended.high_ms - pull.takes.low_ms
            if pull.node and had.get(place, begun_ms) < begun_ms:
                looks.append(pull)
            else:
                counted.append((pull, pull.takes))
        had[place] = min(had.get(place, pull.ended.low_ms), pull.ended.low_ms)
    return counted, looks


def _read_pull(seen: Seen, told: Told) -> Pull | None:
    node = told.node or (seen.pod.node if seen.pod else "")
    named = seen.container.image if seen.container else ""
    if present := _PRESENT.fullmatch(told.message):
        return Pull(named or present[1], node, told.first, None)
    success = _SUCCESS.fullmatch(told.message)
    if success is None:
        return None
    takes_ms = read_duration_ms(success[2])
    takes = _measure(seen, told) if takes_ms is None else Window(takes_ms, takes_ms)
    return Pull(named or success[1], node, told.first, takes) if takes else None


def _measure(seen: Seen, pulled: Told) -> Window | None:
    """From Pulling to Pulled, where the message has no figure; not where it took several tries."""
    begun = [one for one in seen.list_told(PULLING) if one.first.low_ms <= pulled.first.high_ms]
    return pulled.first.since(begun[-1].first) if begun and begun[-1].count == 1 else None

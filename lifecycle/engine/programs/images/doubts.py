"""Images that nobody knows: whether they can be pulled and start is the user's to say; what may be meant.

A registry is asked for nothing here. A name that no table and no profile has is taken to be there; a verdict
over it holds on that condition, and a name that is hardly another one's is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...objects.names import BEHAVIOR
from ...objects.pods.pod import PodSpec
from ...rules.pods.image_names import full_name
from ..behavior_yaml import read_annotation
from ..profiles import choose_profile, read_profile
from .known import KNOWN_IMAGES
from .sources import find_image

Json = Mapping[str, Any]
_HUB = "docker.io/"
_SHORT = 4
"""In names up to so many letters none is taken for another: `mode` and `base` are not `node` and `bash`."""
_LONG = 7
"""From so many letters on two may be wrong."""
_MOST_TOLD = 2


def list_doubts(pods: Iterable[Json], profiles: Iterable[Json]) -> list[str]:
    """The images of these pods, or pod templates, that nobody knows, each once, in order."""
    known = [read_profile(one)[0] for one in profiles]
    found = set[str]()
    for pod in pods:
        meta, spec = pod.get("metadata") or {}, PodSpec.from_json(pod.get("spec") or {})
        labels, note = meta.get("labels") or {}, (meta.get("annotations") or {}).get(BEHAVIOR)
        stated = read_annotation(note).behaviors if note else {}
        for one in spec.all_containers:
            is_stated = one.name in stated or choose_profile(known, one.image, one.name, labels) is not None
            if one.image and not is_stated and find_image(one.image) is None:
                found.add(one.image)
    return sorted(found)


def tell_condition(images: Sequence[str]) -> str:
    """`if ngnix:1.27 can be pulled and starts (did you mean nginx:1.27?)`; "" without images."""
    if not images:
        return ""
    asked = sorted(images, key=lambda image: (not find_meant(image), image))
    shown, hidden = asked[:_MOST_TOLD], len(asked) - _MOST_TOLD
    if hidden > 0:
        shown = [*shown, f"{hidden} more image{'s' if hidden > 1 else ''}"]
    listed = " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    told = f"if {listed} can be pulled and start{'s' if len(shown) == 1 else ''}"
    meant = [name for name in map(find_meant, asked[:_MOST_TOLD]) if name]
    return f"{told} (did you mean {', '.join(meant)}?)" if meant else told


@lru_cache(maxsize=1024)
def find_meant(image: str) -> str:
    """The well-known image whose name it nearly has, with its own tag; "" where there is none.

    Of Docker Hub alone: what another registry has, nobody here knows.
    """
    name = image.partition("@")[0]
    full = full_name(name)
    if not full.startswith(_HUB) or find_image(image) is not None:
        return ""
    path, _, _ = full.removeprefix(_HUB).removeprefix("library/").rpartition(":")
    found = min(((_count_edits(path, one), one) for one in _list_names() if _may_be(path, one)), default=None)
    if found is None or found[0] > _count_allowed(path):
        return ""
    tag = name.rpartition("/")[2].partition(":")[2]
    return f"{found[1]}:{tag}" if tag else found[1]


@lru_cache(maxsize=1)
def _list_names() -> tuple[str, ...]:
    """The repositories in the table, without our own and without what is no name of one."""
    return tuple(
        sorted({one for one in KNOWN_IMAGES if not one.startswith("sim/") and not set(one) & {" ", ":"}})
    )


def _count_allowed(path: str) -> int:
    """How many letters may be wrong."""
    return 1 if len(path.rpartition("/")[2]) < _LONG else 2


def _may_be(path: str, known: str) -> bool:
    """Whether two names can be alike enough at all."""
    if abs(len(path) - len(known)) > _count_allowed(path) or path.count("/") != known.count("/"):
        return False
    return len(path) > _SHORT or len(path) != len(known) or sorted(path) == sorted(known)


def _count_edits(one: str, other: str) -> int:
    """How many letters are to be added, taken away, changed, or swapped with the next (optimal alignment)."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, another in enumerate(other, 1):
            edits = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                edits = min(edits, rows[-2][j - 2] + 1)
            row.append(edits)
        rows.append(row)
    return rows[-1][-1]

"""Resource versions: how they are read, and objects as they were at one of them, from what was recorded."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lifecycle.kube_api.status import Refusal
from lifecycle.kube_api.watching.records import BEGINNING_RV
from lifecycle.models import Cluster
from lifecycle.recorded.versions import NotKept, replay

Json = dict[str, Any]
_MOST = 2**64


class Expired(Exception):
    """What was so long ago is no longer known."""


class NotANumber(Exception):
    """The text is no version; the message says so in Go's words."""


def parse(text: str) -> int:
    """The number of a version; 0 of "" and "0". Raises NotANumber."""
    if not (text.isascii() and text.isdigit()) and text:
        raise NotANumber(f'strconv.ParseUint: parsing "{text}": invalid syntax')
    if len(text) > 20 or int(text or 0) >= _MOST:
        raise NotANumber(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text or 0)


def is_given(data: Json) -> bool:
    """Whether an object names a version above 0."""
    text = data["metadata"].get("resourceVersion")
    try:
        return isinstance(text, str) and parse(text) > 0
    except NotANumber:
        return False


def complain(text: str, problem: NotANumber) -> str:
    """How a malformed version is said to be wrong."""
    return f'resourceVersion: Invalid value: "{text}": {problem}'


def is_too_old(cluster: Cluster, version: int) -> bool:
    """Whether what followed a version is no longer recorded."""
    return version < BEGINNING_RV or version + 1 < cluster.oldest_rv


def too_large(version: int, current: int) -> Refusal:
    """Nobody was told of such a version yet."""
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    message = f"Timeout: Too large resource version: {version}, current: {current}"
    refusal = Refusal(504, message, "Timeout", details)
    refusal.headers["Retry-After"] = "1"
    return refusal


@dataclass(frozen=True, slots=True)
class Row:
    """An object as it is stored now: `data` at its version `rv`."""

    uid: str
    rv: int
    is_deleted: bool
    data: Json


def as_of(cluster: Cluster, rows: Iterable[Row], version: int) -> Iterator[Json]:
    """The objects that were there at a version. Raises Expired when one has changed and its past is gone."""
    for row in rows:
        if row.rv > version:
            past = rebuild(cluster, row.uid, version)
            if past is not None:
                yield past
        elif not row.is_deleted:
            yield row.data


def rebuild(cluster: Cluster, uid: str, version: int) -> Json | None:
    """An object as it was at a version, None when it was not there. Raises Expired."""
    try:
        data, rv = replay(cluster, uid, version)
    except NotKept:
        raise Expired from None
    if data is None:
        if is_too_old(cluster, version):
            raise Expired
        return None
    return {**data, "metadata": {**data["metadata"], "resourceVersion": str(rv)}}

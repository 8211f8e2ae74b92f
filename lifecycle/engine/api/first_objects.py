"""What every cluster has before anybody asks for anything: namespaces, the API server's Service, classes.

They are the same in each cluster, so the first one that makes them finds out for all others of its gates how
they are with their defaults, and that nothing is wrong with them. What comes of that is the same history.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ..kinds.namespace import NAMESPACE
from ..kinds.plain import PRIORITY_CLASS
from ..kinds.registry import kind_of_json
from ..kinds.service import API_SERVER, API_SERVER_ENDPOINTS
from ..rules.validation.classes import SYSTEM_CLASS_TEXTS, SYSTEM_CLASSES
from ..store.store import Store
from .kind_hooks import list_companions
from .template_cache import CachedTemplate

Json = dict[str, Any]
NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_MOST_SETS_OF_GATES = 16


def list_namespaces() -> Iterator[Json]:
    """Each of them comes with its companions."""
    kind = NAMESPACE.kind
    for name in NAMESPACES:
        yield {"apiVersion": kind.api_version, "kind": kind.name, "metadata": {"name": name}}


def list_others() -> Iterator[Json]:
    """What stands in these namespaces, or in none."""
    yield from (API_SERVER, *API_SERVER_ENDPOINTS)
    kind = {"apiVersion": PRIORITY_CLASS.api_version, "kind": PRIORITY_CLASS.name}
    for name, value in SYSTEM_CLASSES.items():
        yield {**kind, "metadata": {"name": name}, "value": value, "description": SYSTEM_CLASS_TEXTS[name]}


def list_missing(store: Store) -> list[Json]:
    """What every cluster and every namespace has and this one has not: an older engine made less."""
    own = [*list_others()]
    for namespace in store.list(NAMESPACE.kind.id):
        own += list_companions(namespace) if namespace.meta.deletion_ms is None else []
    return [data for data in own if not _has(store, data["kind"], data["metadata"])]


def _has(store: Store, kind: str, metadata: Json) -> bool:
    return store.get(kind, metadata.get("namespace"), metadata["name"]) is not None


class KnownObject(CachedTemplate):
    """One of them, and what it is with its defaults."""

    __slots__ = ("_known", "_text")

    def __init__(self, known: KnownObjects) -> None:
        super().__init__()
        self._known = known
        self._text = ""

    def take(self, sent: Json, completed: Json) -> None:
        """Remember the first one for good. It is kept as a text: nobody changes what another cluster has."""
        if not self._text:
            self._text, self._sent = json.dumps(completed), json.loads(json.dumps(sent))

    def fits(self, data: Json) -> bool:
        """Whether it is the very same object."""
        return self.made is not None and data == self._sent

    def fill(self, data: Json) -> Json:
        """The object with its defaults."""
        filled: Json = json.loads(self._text)
        return filled

    def of_companion(self, data: Json) -> CachedTemplate | None:
        """What comes with it is known as well."""
        return self._known.of(data)


class KnownObjects:
    """Those of all clusters with the same gates, by kind, namespace and name."""

    __slots__ = ("_by_address",)

    def __init__(self) -> None:
        self._by_address: dict[tuple[str, str, str], KnownObject] = {}

    def of(self, data: Json) -> KnownObject | None:
        """What is known of an object that is about to be made; None for one in a namespace of a user."""
        meta = data["metadata"]
        address = kind_of_json(data).id, meta.get("namespace") or "", meta["name"]
        if address[1] not in ("", *NAMESPACES):
            return None
        return self._by_address.setdefault(address, KnownObject(self))


def known_objects(gates: Mapping[str, bool]) -> KnownObjects:
    """What is known where these gates are on and off."""
    return _known_by(frozenset(gates.items()))


@lru_cache(maxsize=_MOST_SETS_OF_GATES)
def _known_by(gates: frozenset[tuple[str, bool]]) -> KnownObjects:
    return KnownObjects()

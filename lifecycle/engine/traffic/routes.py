"""Which Services an Ingress or an HTTPRoute sends to."""

from __future__ import annotations

from collections.abc import Callable

from ..objects.meta import StoredObject
from ..rules.network.requests import list_routed_services
from ..store.store import Store

ROUTES = ("Ingress", "HTTPRoute.gateway.networking.k8s.io")
Key = tuple[str, str]


class Routes:
    """Counted by the Service's namespace and name; `on_change` hears of each that changes."""

    def __init__(self, store: Store, on_change: Callable[[Key], None]) -> None:
        self._store = store
        self._on_change = on_change
        self._counts: dict[Key, int] = {}
        for kind in ROUTES:
            store.listen(kind, self._on_route)

    def is_routed(self, key: Key) -> bool:
        """Whether any sends to a Service."""
        return self._counts.get(key, 0) > 0

    def restore(self) -> None:
        """Count those that there are."""
        self._counts.clear()
        for kind in ROUTES:
            for route in self._store.list(kind):
                self._count(route, 1)

    def _on_route(self, old: StoredObject | None, new: StoredObject | None) -> None:
        for route, number in ((old, -1), (new, 1)):
            for key in self._count(route, number) if route is not None else ():
                self._on_change(key)

    def _count(self, route: StoredObject, number: int) -> list[Key]:
        spec, own = route.spec or (route.extra or {}).get("spec") or {}, route.meta.namespace or ""
        keys = [(space or own, name) for space, name in list_routed_services(route.kind.name, spec)]
        for key in keys:
            self._counts[key] = self._counts.get(key, 0) + number
        return keys

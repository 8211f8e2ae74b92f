"""An index of Services by cluster IP and node port, and of the EndpointSlices of each Service.

Built at the first lookup, and updated by every write from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..objects.endpoint_slice import ENDPOINT_SLICE_KIND
from ..objects.meta import StoredObject
from ..rules.network.services import SERVICE_NAME_LABEL, list_addresses, list_ingress, read_node_ports
from ..store.store import Store

SERVICE = "Service"
Uids = dict[str, None]
Key = TypeVar("Key")


class ServiceDirectory:
    """Who has which address and port, and by which slices a Service sends."""

    __slots__ = ("_by_address", "_by_node_port", "_is_built", "_slices", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_built = False
        self._by_address: dict[str, Uids] = {}
        self._by_node_port: dict[int, Uids] = {}
        self._slices: dict[tuple[str, str], Uids] = {}
        store.listen(SERVICE, self._on_service)
        store.listen(ENDPOINT_SLICE_KIND.id, self._on_slice)

    # --- asking -----------------------------------------------------------------------------------------

    def list_by_address(self, address: str) -> Sequence[StoredObject]:
        """The Services reached by an address: their own, from outside, or of their load balancer."""
        return self._find(self._built()._by_address.get(address))

    def find_by_address(self, address: str) -> StoredObject | None:
        """The Service whose own address this is."""
        found = self.list_by_address(address)
        return next((one for one in found if address in list_addresses(one.spec or {})), None)

    def list_by_node_port(self, port: int) -> Sequence[StoredObject]:
        """The Services that hold a port of the nodes."""
        return self._find(self._built()._by_node_port.get(port))

    def slices_of(self, namespace: str, name: str) -> Sequence[StoredObject]:
        """The EndpointSlices that are labelled as a Service's, whoever made them, oldest first."""
        return self._find(self._built()._slices.get((namespace, name)))

    def _find(self, uids: Iterable[str] | None) -> Sequence[StoredObject]:
        found = map(self._store.find, uids or ())
        return [one for one in found if one is not None]

    # --- following --------------------------------------------------------------------------------------

    def _built(self) -> ServiceDirectory:
        if not self._is_built:
            self._is_built = True
            for service in self._store.list(SERVICE):
                self._on_service(None, service)
            for endpoint_slice in self._store.list(ENDPOINT_SLICE_KIND.id):
                self._on_slice(None, endpoint_slice)
        return self

    def _on_service(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._is_built:
            return
        for service, is_there in ((old, False), (new, True)):
            if service is None:
                continue
            spec, uid = service.spec or {}, service.meta.uid
            outside = [one["ip"] for one in list_ingress(service.status_json()) if one.get("ip")]
            for address in (*list_addresses(spec), *(spec.get("externalIPs") or ()), *outside):
                _file(self._by_address, address, uid, is_there)
            for port in read_node_ports(spec):
                _file(self._by_node_port, port, uid, is_there)

    def _on_slice(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._is_built:
            return
        was, is_now = _service_of(old), _service_of(new)
        if was == is_now:
            return
        if old is not None and was is not None:
            _file(self._slices, was, old.meta.uid, False)
        if new is not None and is_now is not None:
            _file(self._slices, is_now, new.meta.uid, True)


def _service_of(endpoint_slice: StoredObject | None) -> tuple[str, str] | None:
    if endpoint_slice is None:
        return None
    name = endpoint_slice.meta.labels.get(SERVICE_NAME_LABEL)
    return (endpoint_slice.meta.namespace or "", name) if name else None


def _file(shelf: dict[Key, Uids], key: Key, uid: str, is_there: bool) -> None:
    if is_there:
        shelf.setdefault(key, {})[uid] = None
    elif key in shelf:
        shelf[key].pop(uid, None)
        if not shelf[key]:
            del shelf[key]

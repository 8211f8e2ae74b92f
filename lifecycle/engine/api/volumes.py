"""An index of claims, volumes and the pods that use them.

Built at the first lookup, and updated from then on, so clusters without claims pay nothing for it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from lifecycle.userland.file_layers import FileLayer

from ..objects.meta import StoredObject
from ..objects.names import HOSTNAME
from ..objects.node import Node
from ..objects.pods.pod import POD_KIND, Pod
from ..objects.selector import Selector
from ..objects.storage import ATTACHMENT, AVAILABLE, CLAIM, STORAGE_CLASS, VOLUME
from ..rules.volumes.claims import (
    attached_volume,
    attacher_of,
    bytes_in,
    bytes_wanted,
    choose_default,
    claim_ref,
    class_of,
    is_reserved_for,
    list_claims,
    mode_of,
    modes_of,
    only_host,
    phase_of,
    reaches,
    spec_of,
    volume_name,
)
from ..store.audience import Useless
from ..store.store import Store

_DRIVER = "CSIDriver"
Shelf = tuple[str, str, str]
"""Class, attributes class and mode: claims only get volumes that agree in these."""
Lot = tuple[str, frozenset[str]]
"""The host that volumes are bound to ("": none alone), and the ways in which they may be used."""
Place = tuple[int, int, str]
"""Bytes, number in order of arrival, and name of a volume."""


class Volumes:
    """The storage of one cluster."""

    __slots__ = (
        "_attachments",
        "_count",
        "_epoch_ms",
        "_free",
        "_is_built",
        "_places",
        "_reserved",
        "_store",
        "_users",
        "files",
    )

    def __init__(self, store: Store, epoch_ms: int) -> None:
        self._store = store
        self._epoch_ms = epoch_ms
        self._is_built = False
        self._count = 0
        self.files: dict[str, FileLayer] = {}
        """What is on each volume that a container has seen, by the volume's uid."""
        self._free: dict[Shelf, dict[Lot, list[Place]]] = {}
        # Where each free volume stands, by its name.
        self._places: dict[str, tuple[Shelf, Lot, Place]] = {}
        # Names of volumes by the claim they are for, and of attachments by their volume.
        self._reserved: dict[tuple[str, str], dict[str, None]] = {}
        self._attachments: dict[str, dict[str, None]] = {}
        # uids of pods by the claim they use.
        self._users: dict[tuple[str, str], dict[str, None]] = {}
        store.listen(VOLUME, self._on_volume)
        store.listen(ATTACHMENT, self._on_attachment)
        store.listen_to_shape(POD_KIND.id, self._on_pod, Useless.READINESS | Useless.SIMPLE)

    def save_files(self) -> dict[str, Any]:
        """Plain data of what is on the volumes."""
        return {uid: layer.save() for uid, layer in self.files.items()}

    def load_files(self, saved: Mapping[str, Any]) -> None:
        """Go on from what `save_files` described."""
        self.files = {uid: FileLayer.load(one) for uid, one in saved.items()}

    # --- what is asked ------------------------------------------------------------------------------------

    def claim(self, namespace: str | None, name: str) -> StoredObject | None:
        """The claim of that name."""
        return self._store.get(CLAIM, namespace, name)

    def volume(self, name: str) -> StoredObject | None:
        """The volume of that name."""
        return self._store.get(VOLUME, "", name) if name else None

    def storage_class(self, name: str) -> StoredObject | None:
        """The class of that name."""
        return self._store.get(STORAGE_CLASS, "", name) if name else None

    def default_class(self) -> StoredObject | None:
        """The class of claims that name none, if there is one."""
        return choose_default(self._store.list(STORAGE_CLASS), self._epoch_ms)

    def volume_of(self, namespace: str | None, claim_name: str) -> StoredObject | None:
        """The volume that a claim names, if both are there."""
        claim = self.claim(namespace, claim_name)
        return self.volume(volume_name(claim)) if claim is not None else None

    def users(self, namespace: str | None, claim: str) -> list[Pod]:
        """The pods that name a claim, in the order in which they came; finished ones are among them."""
        self._build()
        pods = self._store.pods
        return [pods[uid] for uid in self._users.get((namespace or "", claim), ()) if uid in pods]

    def attachments(self, volume: str) -> list[StoredObject]:
        """Where a volume is attached, or is being attached."""
        self._build()
        found = (self._store.get(ATTACHMENT, "", name) for name in self._attachments.get(volume, ()))
        return [one for one in found if one is not None]

    def reserved(self, claim: StoredObject) -> StoredObject | None:
        """The first volume that is for this claim and does for it in size and modes."""
        self._build()
        for name in self._reserved.get((claim.meta.namespace or "", claim.meta.name), ()):
            volume = self.volume(name)
            if volume is None or volume.meta.deletion_ms is not None or not is_reserved_for(volume, claim):
                continue
            is_large_enough = bytes_in(volume) >= bytes_wanted(claim)
            if is_large_enough and mode_of(volume) == mode_of(claim) and modes_of(claim) <= modes_of(volume):
                return volume
        return None

    def find_best(
        self, claim: StoredObject, node: Node | None = None, taken: Collection[str] = ()
    ) -> StoredObject | None:
        """The smallest free volume that does for a claim, and can be reached from a node where one is given.

        Without a node those come first that may be used in the fewest ways beside the wanted ones.
        """
        self._build()
        wanted = modes_of(claim)
        lots = [lot for lot in self._free.get(_shelf(claim), ()) if wanted <= lot[1]]
        if node is not None:
            host = node.meta.labels.get(HOSTNAME, "")
            lots = [lot for lot in lots if lot[0] in ("", host)]
            return self._find_in(claim, lots, node, taken)
        for count in sorted({len(lot[1]) for lot in lots}):
            found = self._find_in(claim, [lot for lot in lots if len(lot[1]) == count], None, taken)
            if found is not None:
                return found
        return None

    def has_free(self, class_name: str) -> bool:
        """Whether a volume of a class is free."""
        self._build()
        return any(lots and shelf[0] == class_name for shelf, lots in self._free.items())

    def _find_in(
        self, claim: StoredObject, lots: Iterable[Lot], node: Node | None, taken: Collection[str]
    ) -> StoredObject | None:
        shelf, least = self._free.get(_shelf(claim), {}), bytes_wanted(claim)
        raw = spec_of(claim).get("selector")
        selector = Selector(raw) if raw is not None else None
        best: tuple[Place, StoredObject] | None = None
        for lot in lots:
            places = shelf[lot]
            for place in _from(places, least):
                if best is not None and place > best[0]:
                    break
                volume = self.volume(place[2])
                assert volume is not None, place
                is_meant = selector is None or selector.matches(volume.meta.labels)
                if place[2] not in taken and is_meant and (node is None or reaches(volume, node)):
                    best = place, volume
                    break
        return best[1] if best is not None else None

    def must_be_attached(self, volume: StoredObject) -> bool:
        """Whether a volume is of use on a node only when it has been attached there."""
        driver = attacher_of(volume)
        found = self._store.get(_DRIVER, "", driver) if driver else None
        return bool(driver) and (found is None or spec_of(found).get("attachRequired") is not False)

    # --- what happens -------------------------------------------------------------------------------------

    def _build(self) -> None:
        if self._is_built:
            return
        self._is_built = True
        for volume in self._store.list(VOLUME):
            self._on_volume(None, volume)
        for attachment in self._store.list(ATTACHMENT):
            self._on_attachment(None, attachment)
        for pod in self._store.pods.values():
            self._on_pod(None, pod)

    def _on_volume(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is None and old is not None:
            self.files.pop(old.meta.uid, None)
        if not self._is_built:
            return
        for one in (old, new):
            # Also what is new: it may have been there when all this was built.
            if one is not None:
                self._take_off(one)
        if new is None:
            return
        ref, name = claim_ref(new), new.meta.name
        if ref:
            self._reserved.setdefault((ref.get("namespace", ""), ref.get("name", "")), {})[name] = None
        elif phase_of(new) == AVAILABLE and new.meta.deletion_ms is None:
            self._count += 1
            shelf, lot = _shelf(new), (only_host(new), modes_of(new))
            place = bytes_in(new), self._count, name
            insort(self._free.setdefault(shelf, {}).setdefault(lot, []), place)
            self._places[name] = shelf, lot, place

    def _take_off(self, old: StoredObject) -> None:
        ref, name = claim_ref(old), old.meta.name
        if ref:
            _drop(self._reserved, (ref.get("namespace", ""), ref.get("name", "")), name)
        known = self._places.pop(name, None)
        if known is None:
            return
        shelf, lot, place = known
        places = self._free[shelf][lot]
        del places[bisect_left(places, place)]
        if not places:
            del self._free[shelf][lot]

    def _on_attachment(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if not self._is_built:
            return
        if new is not None:
            self._attachments.setdefault(attached_volume(new), {})[new.meta.name] = None
        elif old is not None:
            _drop(self._attachments, attached_volume(old), old.meta.name)

    def _on_pod(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        if pod is None or not self._is_built or not pod.spec.volumes or (old is not None and new is not None):
            return
        for _volume, claim in list_claims(pod):
            key, uid = (pod.meta.namespace or "", claim), pod.meta.uid
            if new is not None:
                self._users.setdefault(key, {})[uid] = None
            else:
                _drop(self._users, key, uid)


def _shelf(one: StoredObject) -> Shelf:
    return class_of(one), str(spec_of(one).get("volumeAttributesClassName") or ""), mode_of(one)


def _from(places: list[Place], least: int) -> Iterator[Place]:
    return (places[index] for index in range(bisect_left(places, (least, 0, "")), len(places)))


def _drop(index: dict[Any, dict[str, None]], key: Any, name: str) -> None:
    members = index.get(key)
    if members is not None:
        members.pop(name, None)
        if not members:
            del index[key]

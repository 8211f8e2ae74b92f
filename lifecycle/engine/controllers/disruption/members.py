"""The pods of one budget, counted as they change: nobody walks them."""

from __future__ import annotations

from ...objects.pods.pod import Pod

NOBODY = ""
"""Stands for the controller of pods that have none."""


class Members:
    """Which pods a budget selects, which of them are healthy, and who controls them."""

    __slots__ = ("_healthy", "by_owner", "owners")

    def __init__(self) -> None:
        # uids of the pods by their controller's uid.
        self.by_owner: dict[str, dict[str, None]] = {}
        self.owners: dict[str, str] = {}
        """The controller's uid by the pod's."""
        self._healthy: set[str] = set()

    @property
    def count(self) -> int:
        """How many pods there are."""
        return len(self.owners)

    @property
    def healthy(self) -> int:
        """How many are ready and not being deleted."""
        return len(self._healthy)

    def put(self, pod: Pod) -> None:
        """Take in a pod as it is now."""
        uid, owner = pod.meta.uid, pod.meta.controller
        owner_uid = owner.uid if owner is not None else NOBODY
        if self.owners.get(uid) != owner_uid:
            self.drop(uid)
            self.owners[uid] = owner_uid
            self.by_owner.setdefault(owner_uid, {})[uid] = None
        if pod.meta.deletion_ms is None and pod.is_ready:
            self._healthy.add(uid)
        else:
            self._healthy.discard(uid)

    def drop(self, uid: str) -> None:
        """Forget a pod."""
        owner_uid = self.owners.pop(uid, None)
        if owner_uid is None:
            return
        pods = self.by_owner[owner_uid]
        del pods[uid]
        if not pods:
            del self.by_owner[owner_uid]
        self._healthy.discard(uid)

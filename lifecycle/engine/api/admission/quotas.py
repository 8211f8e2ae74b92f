"""ResourceQuota: checks each create against the quotas of the namespace, and sums up the used amounts.

Models the admission plugin and the sums of the quota controller. Left out: that a terminating pod does not
count after its grace period.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...heart.errors import Forbidden
from ...objects.meta import StoredObject
from ...objects.pods.pod import Pod
from ...rules.limits.quotas import (
    BARE_COUNTS,
    CLAIM,
    OF_CLAIMS,
    SERVICE,
    Amounts,
    count_usage,
    find_unspecified,
    is_in_scope,
    only,
    read_hard,
    write_amount,
    write_hard,
)
from ...store.store import Store

QUOTA = "ResourceQuota"
SIZED = (SERVICE, CLAIM)
"""Kinds beside pods of which one object may take more than another."""


class _Sum:
    """One quota: its limits, and what is used of them."""

    __slots__ = ("hard", "quota", "used")

    def __init__(self, quota: StoredObject, used: dict[str, int]) -> None:
        self.quota = quota
        self.hard = read_hard(quota)
        self.used = used

    def add(self, obj: StoredObject, sign: int) -> bool:
        """Count an object in (1) or out (-1); whether that makes a difference."""
        usage = self.usage(obj)
        for name, amount in usage.items():
            self.used[name] += sign * amount
        return bool(usage)

    def usage(self, obj: StoredObject) -> dict[str, int]:
        """What an object takes of the quota."""
        return only(count_usage(obj), self.hard) if is_in_scope(self.quota, obj) else {}


class QuotaSums:
    """What is used of each quota: counted when first asked for, then kept change by change."""

    __slots__ = ("_is_following", "_store", "_sums", "on_change")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._is_following = False
        # By namespace, then by the quota's uid.
        self._sums: dict[str, dict[str, _Sum]] = {}
        self.on_change: Callable[[str], None] = lambda _namespace: None

    def used(self, quota: StoredObject) -> Amounts:
        """What the namespace of a quota uses of each of its resources."""
        return self._sum(quota).used

    def _sum(self, quota: StoredObject) -> _Sum:
        sums = self._sums.setdefault(quota.meta.namespace or "", {})
        known = sums.get(quota.meta.uid)
        if known is None or known.quota.spec is not quota.spec:
            known = sums[quota.meta.uid] = _Sum(quota, count_used(self._store, quota))
            if not self._is_following:
                # Only from the first quota on: a cluster without any pays nothing.
                self._is_following = True
                self._store.listen_to_shape("", self._on_change)
        return known

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new if new is not None else old
        assert some is not None, "a write has an old or a new object"
        sums = self._sums.get(some.meta.namespace or "")
        if not sums or (old is not None and new is not None and _counts_alike(old, new)):
            return
        if new is None:
            sums.pop(some.meta.uid, None)
        changed = False
        for one in sums.values():
            was_counted = old is not None and one.add(old, -1)
            is_counted = new is not None and one.add(new, 1)
            changed = changed or was_counted or is_counted
        if changed:
            self.on_change(some.meta.namespace or "")

    def require_room(self, new: StoredObject, old: StoredObject | None = None) -> None:
        """Raise Forbidden when an object does not fit into a quota of its namespace.

        A changed object needs room for what it takes more than the old one does.
        """
        name = new.meta.name
        asked = [one for one in self._store.list(QUOTA, new.meta.namespace) if is_in_scope(one, new)]
        # Also of a quota of which the object takes nothing, and before any amount is looked at.
        for quota in asked:
            missing = find_unspecified(new, self._sum(quota).hard)
            if missing:
                _refuse(new, name, f"failed quota: {quota.meta.name}: must specify {missing}")
        for quota in asked:
            known = self._sum(quota)
            hard, used, wanted = known.hard, known.used, known.usage(new)
            has = known.usage(old) if old is not None else {}
            more = {one: amount - has.get(one, 0) for one, amount in wanted.items()}
            over = [one for one in sorted(more) if more[one] > 0 and used[one] + more[one] > hard[one]]
            if over:
                amounts = {
                    "requested": {one: write_amount(one, more[one]) for one in over},
                    "used": {one: write_amount(one, used[one]) for one in over},
                    "limited": write_hard(quota),
                }
                texts = [
                    f"{word}: {','.join(f'{one}={shown[one]}' for one in over)}"
                    for word, shown in amounts.items()
                ]
                _refuse(new, name, f"exceeded quota: {quota.meta.name}, {', '.join(texts)}")


def _counts_alike(old: StoredObject, new: StoredObject) -> bool:
    """Whether a change cannot change what an object takes: few ask for amounts, and only pods finish."""
    if isinstance(old, Pod) and isinstance(new, Pod):
        return old.spec is new.spec and old.is_finished == new.is_finished
    return new.kind.id not in SIZED or (old.spec == new.spec and old.status == new.status)


def _refuse(new: StoredObject, name: str, why: str) -> None:
    kind = new.kind
    raise Forbidden(f'{kind.resource} "{name}" is forbidden: {why}', kind.plural, name, group=kind.group)


# --- counting ------------------------------------------------------------------------------------------


def count_used(store: Store, quota: StoredObject) -> dict[str, int]:
    """What the namespace of a quota uses of each of its resources."""
    hard = read_hard(quota)
    used = dict.fromkeys(hard, 0)
    for obj in _objects(store, quota.meta.namespace, hard):
        if is_in_scope(quota, obj):
            for name, amount in only(count_usage(obj), hard).items():
                used[name] += amount
    return used


def _objects(store: Store, namespace: str | None, hard: Amounts) -> Iterable[StoredObject]:
    counted = {
        name.removeprefix("count/") for name in hard if name.startswith("count/") or name in BARE_COUNTS
    }
    counted |= {"services" for name in hard if name.startswith("services.")}
    counted |= {"persistentvolumeclaims" for name in hard if name.endswith(OF_CLAIMS)}
    for kind in store.kinds():
        found = store.list(kind, namespace)
        for obj in found:
            # All objects of a kind are of one resource: the first tells whether any of them counts.
            if kind != "Pod" and obj.kind.resource not in counted:
                break
            yield obj

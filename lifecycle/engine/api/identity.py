"""Who an object is: its name, uid, first generation and instant of creation.

Uids and made-up names are drawn by what an owner has made so far, so a history that is lived again has the
same ones. A number that was given out is never given again, even if the write is refused in the end.
"""

from __future__ import annotations

from typing import Any

from ..kinds.registry import kind_of_json
from ..objects.meta import ObjectMeta, StoredObject
from ..store.store import Store
from .context import Context

Json = dict[str, Any]


def count_up(store: Store, owner: str) -> int:
    """The number of what `owner` makes next, from 1."""
    number = store.creations.get(owner, 0) + 1
    store.creations[owner] = number
    return number


def with_name(context: Context, data: Json) -> Json:
    """The object with a name: its own, or one made of its `generateName`."""
    meta = data.get("metadata") or {}
    if meta.get("name") or not meta.get("generateName"):
        return data
    stem = f"{kind_of_json(data).id}/{meta.get('namespace') or ''}/{meta['generateName']}"
    _uid, suffix = context.chance.uid_and_suffix(stem, count_up(context.store, stem))
    return {**data, "metadata": {**meta, "name": meta["generateName"] + suffix}}


def foresee_uid(context: Context, data: Json) -> str:
    """The uid that an object will have if it is created now."""
    meta = ObjectMeta.from_json(data.get("metadata") or {}, context.clock.epoch_ms)
    stem = _stem_of(kind_of_json(data).id, meta)
    return context.chance.uid_and_suffix(stem, context.store.creations.get(stem, 0) + 1)[0]


def _stem_of(kind: str, meta: ObjectMeta) -> str:
    owner = meta.controller
    return owner.uid if owner is not None else f"{kind}/{meta.namespace or ''}/{meta.name}"


def identify(context: Context, new: StoredObject) -> None:
    """Give a new object its identity. Its uid is keyed by its owner's count, without one by its address.

    So is the suffix that makes a name of `generateName` for an object without one.
    """
    meta = new.meta
    stem = _stem_of(new.kind.id, meta)
    uid, suffix = context.chance.uid_and_suffix(stem, count_up(context.store, stem))
    new.meta = meta.replace(
        name=meta.name or meta.generate_name + suffix,
        uid=uid,
        creation_ms=context.clock.now_ms,
        generation=1 if new.spec is not None else 0,
        namespace=meta.namespace if new.kind.namespaced else None,
    )

"""The metadata of a new object: name (also from `generateName`), uid, generation and creation timestamp.

Uids and generated names are drawn by the number of objects that an owner has created so far, so a replayed
history has the same ones. A number is used only once, even if the write is refused later.
"""

from __future__ import annotations

from typing import Any

from ..kinds.generations import has_generation
from ..kinds.registry import entry_of_json, kind_of_json
from ..objects.meta import ObjectMeta, StoredObject
from ..objects.pods.overlay import PodOverlay
from ..rules.validation.words.field_error import each_invalid
from ..rules.validation.words.metadata import validate_labels
from ..rules.validation.words.names import check_label, generate
from ..rules.validation.words.refusal import make_invalid
from ..store.store import Store
from .context import Context

Json = dict[str, Any]
_LONGEST_LABEL = 63


def count_up(store: Store, owner: str) -> int:
    """The number of what `owner` makes next, from 1."""
    number = store.creations.get(owner, 0) + 1
    store.creations[owner] = number
    return number


def name_asked(data: Json) -> str:
    """What the API server calls an object before it makes a name of its `generateName`."""
    meta = data.get("metadata") or {}
    return meta.get("name") or meta.get("generateName") or ""


def with_name(context: Context, data: Json) -> Json:
    """The object with a name: its own, or one made of its `generateName`."""
    meta = data.get("metadata") or {}
    if meta.get("name") or not meta.get("generateName"):
        return data
    stem = f"{kind_of_json(data).id}/{meta.get('namespace') or ''}/{meta['generateName']}"
    _uid, suffix = context.chance.uid_and_suffix(stem, count_up(context.store, stem))
    return {**data, "metadata": {**meta, "name": generate(meta["generateName"], suffix)}}


def with_uid(context: Context, data: Json) -> Json:
    """A new object's JSON without a client's uid, or with its own and what its kind makes of that."""
    entry, metadata = entry_of_json(data), data["metadata"]
    if entry.identify is None:
        return {**data, "metadata": {name: metadata[name] for name in metadata if name != "uid"}}
    owners = (one.get("uid") or "" for one in metadata.get("ownerReferences") or () if one.get("controller"))
    address = entry.kind.id, metadata.get("namespace") or "", metadata.get("name") or ""
    uid, _suffix = _draw(context, next(owners, None), address)
    return entry.identify(data, uid)


def identify(context: Context, new: StoredObject) -> None:
    """Give a new object its identity. Its uid is keyed by its owner's count, without one by its address.

    So is the suffix that makes a name of `generateName` for an object without one.
    """
    meta = new.meta
    if meta.uid:
        uid, suffix = meta.uid, ""
    else:
        owner, address = meta.controller, (new.kind.id, meta.namespace or "", meta.name)
        uid, suffix = _draw(context, owner.uid if owner is not None else None, address)
    new.meta = meta.replace(
        name=meta.name or generate(meta.generate_name, suffix),
        uid=uid,
        creation_ms=context.clock.now_ms,
        generation=1 if has_generation(new) else 0,
        namespace=meta.namespace if new.kind.namespaced else None,
    )


def _draw(context: Context, owner_uid: str | None, address: tuple[str, str, str]) -> tuple[str, str]:
    """uid and suffix of what an owner makes next; without one (None), of what stands at an address next."""
    stem = owner_uid if owner_uid is not None else "/".join(address)
    return context.chance.uid_and_suffix(stem, count_up(context.store, stem))


def require_fitting(meta: ObjectMeta, overlay: PodOverlay) -> None:
    """What a pod has beside its template, which was looked at with its owner, is made of names: they may be
    too long for labels and host names. Raises Invalid.
    """
    host_name = overlay.spec.get("hostname") or ""
    if max((len(host_name), *map(len, overlay.labels.values()))) <= _LONGEST_LABEL:
        return
    errors = validate_labels(overlay.labels, "metadata.labels")
    errors += each_invalid("spec.hostname", host_name, check_label(host_name))
    raise make_invalid("Pod", meta.name, errors, "v1")

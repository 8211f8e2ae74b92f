"""Commands that are one request to the API server each."""

from __future__ import annotations

from ..api.patching.patches import APPLY
from ..api.requests import SCALE
from ..heart.errors import NotFound
from ..kinds.registry import entry_of_json
from ..objects.pods.pod import POD_KIND, Pod
from ..objects.propagation import BACKGROUND
from .client import DEFAULT_NAMESPACE, Answer, Client, Payload


def create(client: Client, payload: Payload) -> Answer:
    """`kubectl create`. Raises ApiError."""
    data = payload["object"]
    if not client.options.is_request:
        data = client.api.read(data, client.options)
    return 201, client.api.create_json(data, client.options)


def replace(client: Client, payload: Payload) -> Answer:
    """`kubectl replace`. Raises ApiError."""
    data, subresource = payload["object"], payload.get("subresource") or None
    # A size is no object that a definition's schema knows.
    if subresource != SCALE or not entry_of_json(data).is_custom:
        data = client.api.read(data, client.options)
    old = client.find_stored(data)
    if old is None:
        kind, name = entry_of_json(data).kind, (data.get("metadata") or {}).get("name") or ""
        raise NotFound(f'{kind.resource} "{name}" not found', kind.plural, name)
    return 200, client.api.update_json(old, data, subresource, client.options)


def patch(client: Client, payload: Payload) -> Answer:
    """`kubectl patch`. Raises ApiError."""
    how, subresource = payload.get("type") or "strategic", payload.get("subresource") or None
    if how == APPLY:
        return _apply(client, payload, subresource or "")
    found = client.find(payload)
    return 200, client.api.patch(found, payload.get("patch"), how, subresource, client.options)


def _apply(client: Client, payload: Payload, subresource: str) -> Answer:
    """Server-side apply, which creates what is not there, unless it was sent to a subresource."""
    kind = client.kind_of(payload)
    target = {"apiVersion": payload.get("apiVersion") or kind.api_version, "kind": kind.name}
    names = {"name": payload["name"]}
    if kind.namespaced:
        names["namespace"] = payload.get("namespace") or DEFAULT_NAMESPACE
    old = client.store.get(kind.id, names.get("namespace"), payload["name"])
    if old is None and subresource:
        old = client.find(payload)
    target["metadata"] = names
    patch = payload.get("patch")
    if not client.options.is_request and isinstance(patch, dict):
        # A step of a scenario need not say again whom it is sent to.
        meta = patch.get("metadata")
        patch = {**target, **patch, "metadata": {**names, **(meta if isinstance(meta, dict) else {})}}
    done = client.api.apply(old, target, patch, subresource, client.options)
    return 201 if old is None else 200, done


def scale(client: Client, payload: Payload) -> Answer:
    """`kubectl scale`: a patch of the subresource of that name. Raises ApiError."""
    size = {"spec": {"replicas": payload["replicas"]}}
    return 200, client.api.patch(client.find(payload), size, "merge", "scale", client.options)


def delete(client: Client, payload: Payload) -> Answer:
    """`kubectl delete`, which always says what becomes of dependents, or a plain request. Raises ApiError.

    `options`: false for a request without any; a map for one of the API, which leaves the rest to the kind.
    """
    options = payload.get("options")
    is_kubectl = options in (None, True)
    removed = client.api.delete(
        client.find(payload),
        grace_seconds=_read_grace(payload) if is_kubectl else payload.get("gracePeriodSeconds"),
        propagation=payload.get("propagationPolicy") or (BACKGROUND if is_kubectl else None),
        has_options=options is not False,
        preconditions=payload.get("preconditions"),
    )
    return 200, removed


def evict(client: Client, payload: Payload) -> Answer:
    """A request to the eviction API. Raises ApiError."""
    pod = client.find(payload, POD_KIND)
    assert isinstance(pod, Pod), "it was asked for by kind"
    # A plain request: what kubectl makes of 0 is its own.
    grace_seconds = 0 if payload.get("force") else payload.get("gracePeriodSeconds")
    is_dry_run = payload.get("dryRun") is True
    return 201, client.api.evict(pod, grace_seconds, payload.get("preconditions"), is_dry_run)


def _read_grace(payload: Payload) -> int | None:
    """The seconds a pod is given to end; None: its own."""
    seconds: int | None = payload.get("gracePeriodSeconds")
    if seconds is None:
        return 0 if payload.get("force") else None
    # kubectl asks for 1 when told 0 without --force (FORCE-03).
    return 1 if seconds == 0 and not payload.get("force") else seconds

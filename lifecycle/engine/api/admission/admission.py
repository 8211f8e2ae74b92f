"""Validating admission: refuses objects by the state of the cluster.

In this order: namespace (exists, not terminating), the limit of pods in a cluster, service account,
priority and runtime class, LimitRange, pod security, admission policies, quotas.
"""

from __future__ import annotations

from typing import Any

from ...heart.errors import ApiError, Forbidden
from ...kinds.plain import PRIORITY_CLASS
from ...objects.meta import ObjectMeta, StoredObject
from ...objects.names import POLICY_BINDING
from ...objects.node import NODE_KIND, Node
from ...objects.pods.pod import POD_KIND, Pod, PodSpec
from ...objects.storage import CLAIM
from ...releases.switches import RESIZE_VALIDATED_BY_NODE
from ...rules.actions import CREATE, UPDATE
from ...rules.validation.pods.pod_security import is_significant
from ..context import Context
from ..options import WriteOptions
from ..storage import require_growth
from .classes import find_default
from .namespaces import find_namespace, require_lasting, require_security
from .plugins import forbid
from .quotas import QUOTA, SIZED

Json = dict[str, Any]


def admit_new(context: Context, new: StoredObject) -> None:
    """A new object whose identity and first status are complete. Raises Forbidden, or as a policy refuses."""
    if isinstance(new, Pod):
        admit_pod(context, new.spec, new.meta, new.meta.name)
    else:
        require_lasting(find_namespace(context.store, new.meta), new.kind, new.meta.name)
        _admit_any(context, new)
    admit_last(context, new)


def admit_last(context: Context, new: StoredObject) -> None:
    """What looks at a new object when all else has: policies, and quotas. Raises ApiError."""
    ask_policies(context, CREATE, new)
    if context.store.count(QUOTA):
        context.quotas.require_room(new)


def admit_pod(context: Context, spec: PodSpec, meta: ObjectMeta, asked: str) -> None:
    """What every new pod has to pass, whoever makes it; quotas are asked apart. Raises Forbidden.

    `asked`: its name as it was given, or what one was made of.
    """
    store = context.store
    if len(store.pods) >= context.most_pods:
        full = f"the cluster holds {context.most_pods:,} pods, as many as it can"
        raise Forbidden(f'pods "{meta.name}" is forbidden: {full}', "pods", meta.name)
    namespace, version = find_namespace(store, meta), context.completion.version
    passed = spec.notes.passed
    if passed is not None and passed[0] is namespace and passed[1] == version:
        return
    require_lasting(namespace, POD_KIND, asked)
    context.completion.require(spec, meta, asked)
    require_security(namespace, spec.raw, meta, context.features)
    spec.notes.passed = (namespace, version) if namespace is not None else None


def admit_changed(context: Context, old: StoredObject, new: StoredObject, subresource: str) -> None:
    """A change of a stored object. Raises Forbidden."""
    if isinstance(old, Pod) and is_significant(old.spec.raw, new.spec.raw):
        namespace = find_namespace(context.store, old.meta)
        require_security(namespace, new.spec.raw, old.meta, context.features)
    if old.kind.id == CLAIM and not subresource:
        require_growth(context, old, new)
    if subresource == "resize":
        context.completion.require_within(new)
        if context.switches[RESIZE_VALIDATED_BY_NODE] and isinstance(new, Pod):
            _require_capacity(context, old, new)
    elif not subresource and new.meta.deletion_ms is None:
        _admit_any(context, new)
    ask_policies(context, UPDATE, new, old, subresource)
    if context.store.count(QUOTA) and _may_take_more(old, new, subresource):
        context.quotas.require_room(new, old=old)


def mutate(context: Context, data: Json, options: WriteOptions, subresource: str = "") -> Json:
    """An object as mutating webhooks want it, if any were asked. Raises ApiError where it cannot be so."""
    if not options.patches:
        return data
    from .mutations import apply_patches

    return apply_patches(context, data, options.patches, subresource)


def ask_policies(
    context: Context,
    operation: str,
    new: StoredObject | None,
    old: StoredObject | None = None,
    subresource: str = "",
) -> None:
    """Hold a write to admission policies, if any is bound. Raises ApiError as the policy wants it."""
    if context.store.count(POLICY_BINDING):
        from .policies import ask_policies as ask

        try:
            ask(context, operation, new, old, subresource)
        except ApiError as refusal:
            refusal.is_by_policy = True
            raise


def _require_capacity(context: Context, old: StoredObject, new: Pod) -> None:
    """What a resized pod asks for is no more than its node can allot at all (PodResizeValidator)."""
    from ...rules.pods.resizing import find_resize_problem

    if not new.node_name or (isinstance(old, Pod) and old.spec.raw == new.spec.raw):
        return
    node = context.store.get(NODE_KIND.id, "", new.node_name)
    why, cause = find_resize_problem(new.spec, node if isinstance(node, Node) else None, new.node_name)
    if why:
        text = f'pods "{new.meta.name}" is forbidden: {why}'
        raise Forbidden(text, POD_KIND.plural, new.meta.name, causes=[{"reason": cause}] if cause else ())


def _may_take_more(old: StoredObject, new: StoredObject, subresource: str) -> bool:
    """Whether a change has to fit into quotas: a resize, another scope of a pod, other ports or storage."""
    if isinstance(old, Pod) and isinstance(new, Pod):
        deadlines = (old.spec.active_deadline_seconds is None, new.spec.active_deadline_seconds is None)
        return subresource == "resize" or (not subresource and deadlines[0] != deadlines[1])
    return not subresource and new.kind.id in SIZED


def _admit_any(context: Context, new: StoredObject) -> None:
    """What is asked of single kinds, new or changed. Raises Forbidden."""
    if new.kind.id == CLAIM:
        context.completion.require_within(new)
    elif new.kind.id == PRIORITY_CLASS.id and (new.extra or {}).get("globalDefault"):
        only = find_default(context.store)
        if only is not None and only.meta.name != new.meta.name:
            name = only.meta.name
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            forbid(why, new.kind, new.meta.name)

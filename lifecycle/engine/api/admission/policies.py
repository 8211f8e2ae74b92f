"""ValidatingAdmissionPolicy: writes are held to the policies that are bound, whoever writes.

Of controllers these are what they create, scale, patch and delete but for pods. Not asked: their updates and
their deletions of pods, what kubelets report, and CONNECT. Warnings of a component's write go nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...heart.errors import ApiError, Forbidden, Invalid, RequestEntityTooLarge, Unauthorized
from ...kinds.registry import entry_of_json, list_forms
from ...objects.kinds import Kind
from ...objects.meta import StoredObject
from ...objects.names import POLICY, POLICY_BINDING
from ...objects.selector import Selector
from ...rules.cel.evaluator import Budget
from ...rules.policies.matching import Request, match_policy
from ...rules.policies.validating import Denial, fail_to_configure, judge
from ..context import Context
from ..options import as_operation

Json = dict[str, Any]
_REASONS: Mapping[str, type[ApiError]] = {
    "Forbidden": Forbidden,
    "Unauthorized": Unauthorized,
    "RequestEntityTooLarge": RequestEntityTooLarge,
}
_MOST_WARNINGS = 20
_NOT_FOUND = "no params found for policy binding with `Deny` parameterNotFoundAction"
_CLUSTER_WIDE = "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
_NEEDLESS = "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"


def ask_policies(
    context: Context,
    operation: str,
    new: StoredObject | None,
    old: StoredObject | None = None,
    subresource: str = "",
) -> None:
    """Hold a write to the policies. Raises what the first that refuses says: Invalid, or its reason."""
    store = context.store
    request = _make_request(context, operation, new, old, subresource)
    if request.is_exempt:
        return
    bindings = [(one.to_json(), one.spec or {}) for one in store.list(POLICY_BINDING)]
    denials: list[Denial] = []
    budget = Budget()
    for policy in (one.to_json() for one in store.list(POLICY)):
        governed = policy.get("spec") or {}
        version = match_policy(governed.get("matchConstraints") or {}, request)
        if version is None:
            continue
        for binding, spec in bindings:
            if spec.get("policyName") != policy["metadata"]["name"]:
                continue
            if match_policy(spec.get("matchResources") or {}, request) is None:
                continue
            try:
                params = _find_params(context, governed, spec, request.namespace)
            except ValueError as problem:
                judgement = fail_to_configure(policy, binding, str(problem))
            else:
                judgement = judge(policy, binding, request, version, params, budget)
            context.warn(judgement.warnings[:_MOST_WARNINGS])
            denials += judgement.denials
    if denials:
        kind, name, first = request.kind, request.name, denials[0]
        make = _REASONS.get(first.reason, Invalid)
        text = f'{kind.resource} "{name}" is forbidden: {first.message}'
        raise make(text, kind.plural, name, causes=[{"message": first.message}], group=kind.group)


def _make_request(
    context: Context, operation: str, new: StoredObject | None, old: StoredObject | None, subresource: str
) -> Request:
    seen = new or old
    assert seen is not None, "a write is of something"
    epoch_ms, writer = context.clock.epoch_ms, context.writer
    after, before = (None if one is None else one.to_json(epoch_ms) for one in (new, old))
    namespace = seen.meta.namespace or (seen.meta.name if seen.kind.id == "Namespace" else "")
    home = context.store.get("Namespace", "", namespace) if namespace else None
    kind = seen.kind
    return Request(
        operation,
        kind,
        _list_versions(context, kind, after or before or {}),
        namespace,
        seen.meta.name,
        subresource,
        after,
        before,
        writer.user if writer is not None else None,
        None if home is None else home.to_json(epoch_ms),
        as_operation(writer.shown if writer is not None else {}, operation),
        list_forms(kind),
    )


def _list_versions(context: Context, kind: Kind, data: Json) -> Sequence[str]:
    """The versions of a kind, first that which was asked by: an object says only how it is stored."""
    sent = context.writer.api_version if context.writer is not None else ""
    is_of_kind = bool(sent) and sent.rpartition("/")[0] == kind.group
    return context.definitions.list_versions(kind, {"apiVersion": sent} if is_of_kind else data)


def _find_params(context: Context, policy: Json, binding: Json, namespace: str) -> Sequence[Json | None]:
    """What a policy is asked with. Raises ValueError where a binding names nothing that can be found."""
    wanted, given = policy.get("paramKind"), binding.get("paramRef")
    if not wanted or not given:
        return [None]
    kind = _find_kind(context, wanted)
    place = given.get("namespace") or namespace
    if not kind.namespaced and given.get("namespace"):
        raise ValueError(_NEEDLESS)
    if kind.namespaced and not place:
        raise ValueError(_CLUSTER_WIDE)
    if name := given.get("name"):
        one = context.store.get(kind.id, place if kind.namespaced else "", name)
        found = [one] if one is not None else []
    else:
        selector = Selector(given.get("selector") or {})
        found = [
            one
            for one in context.store.list(kind.id)
            if (not kind.namespaced or one.meta.namespace == place) and selector.matches(one.meta.labels)
        ]
    if not found and given.get("parameterNotFoundAction") == "Deny":
        raise ValueError(_NOT_FOUND)
    return [one.to_json(context.clock.epoch_ms) for one in found]


def _find_kind(context: Context, wanted: Json) -> Kind:
    """Raises ValueError for a kind that nobody knows."""
    entry = entry_of_json(wanted)
    if entry.is_custom and context.definitions.find(entry.kind.id) is None:
        named = f"{wanted.get('apiVersion')}, Kind={wanted.get('kind')}"
        raise ValueError(f"paramKind kind `{named}` not known")
    return context.definitions.kind_of(entry.kind)

"""Writing roles and bindings: who is held to the cluster's roles gives nobody more than they have.

Models the policy-based storages of pkg/registry/rbac. What is to be written is first made as a dry run, as
patches and applied objects are only known then.
"""

from collections.abc import Sequence
from typing import Any

from lifecycle.engine.objects.names import RBAC_GROUP
from lifecycle.engine.rules.access.attributes import Attributes
from lifecycle.engine.rules.access.covering import FULL_AUTHORITY, find_missing, tell_escalation
from lifecycle.engine.rules.access.policy import CLUSTER_ROLE, ROLE, MissingRole, Policy
from lifecycle.engine.rules.access.rules import Rule
from lifecycle.kube_api.access.policies import load_policy
from lifecycle.kube_api.asking.asked import Asked
from lifecycle.kube_api.status import Refusal, about, forbidden

Json = dict[str, Any]
_ROLES = (ROLE, CLUSTER_ROLE)
_OF_AGGREGATION = "must have cluster-admin privileges to use the aggregationRule"


def is_checked(asked: Asked) -> bool:
    """Whether what is written here may give rights to somebody."""
    is_held = asked.caller.is_restricted and not asked.caller.info.is_master
    return is_held and asked.resource.group == RBAC_GROUP


def check_grant(asked: Asked, old: Json | None, new: Json) -> None:
    """Raise Refusal (403, 404) where a role or binding, as it is to be, would give more than one has."""
    if old is not None and _is_same(old, new):
        return
    policy = load_policy(asked.cluster, asked.address.namespace or "")
    if asked.resource.kind in _ROLES:
        _check_role(asked, policy, old, new)
    else:
        _check_binding(asked, policy, new)


def _is_same(old: Json, new: Json) -> bool:
    """Whether nothing changes but what the garbage collector writes."""
    kept = ("metadata", "rules", "aggregationRule", "subjects", "roleRef")
    others = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")

    def read(data: Json) -> list[Any]:
        meta = {name: one for name, one in data["metadata"].items() if name not in others}
        return [meta, *(data.get(name) for name in kept[1:])]

    return read(old) == read(new)


def _check_role(asked: Asked, policy: Policy, old: Json | None, new: Json) -> None:
    address = asked.address
    name = address.name
    escalating = Attributes("escalate", RBAC_GROUP, asked.resource.name, "", address.namespace or "", name)
    if policy.decide(asked.caller.info, escalating).is_allowed:
        return
    _require_held(asked, policy, new, new.get("rules") or ())
    gathers = any((one or {}).get("aggregationRule") for one in (old, new))
    # What it gathers may be anything.
    if gathers and find_missing(policy.list_rules(asked.caller.info, "")[0], FULL_AUTHORITY):
        raise _refuse(asked, new, _OF_AGGREGATION)


def _check_binding(asked: Asked, policy: Policy, new: Json) -> None:
    reference, namespace = new.get("roleRef") or {}, asked.address.namespace or ""
    name, resource = reference.get("name") or "", f"{str(reference.get('kind')).lower()}s"
    binding = Attributes("bind", RBAC_GROUP, resource, "", namespace, name)
    if policy.decide(asked.caller.info, binding).is_allowed:
        return
    try:
        rules = policy.resolve(reference, namespace)
    except MissingRole as problem:
        kind = problem.kind.lower()
        details = {"name": problem.name, "group": RBAC_GROUP, "kind": kind}
        raise Refusal(404, str(problem), "NotFound", details) from None
    _require_held(asked, policy, new, rules)


def _require_held(asked: Asked, policy: Policy, new: Json, rules: Sequence[Rule]) -> None:
    info = asked.caller.info
    held, problem = policy.list_rules(info, asked.address.namespace or "")
    missing = find_missing(held, rules)
    if missing:
        raise _refuse(asked, new, tell_escalation(info, missing, problem))


def _refuse(asked: Asked, new: Json, said: str) -> Refusal:
    resource, name = asked.resource, new["metadata"]["name"]
    return forbidden(f'{resource.qualified} "{name}" is forbidden: {said}', about(resource, name))

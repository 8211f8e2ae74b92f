"""The roles and bindings that every API server makes as it starts (rbac/bootstrappolicy).

`bootstrap_cluster_roles.json` has the rules of the ClusterRoles as an API server of v1.35 lists them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pkgutil import get_data
from typing import Any

from ...objects.names import RBAC_GROUP
from .attributes import AUTHENTICATED, MASTERS, UNAUTHENTICATED
from .policy import CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING

Json = dict[str, Any]
_FILE = "bootstrap_cluster_roles.json"
_SYSTEM, _PUBLIC = "kube-system", "kube-public"
_CONTROLLER = "system:controller:"
_MANAGER, _SCHEDULER = "system:kube-controller-manager", "system:kube-scheduler"
_READS = ["get", "list", "watch"]
_GROUPS = {
    "cluster-admin": (MASTERS,),
    "system:monitoring": ("system:monitoring",),
    "system:discovery": (AUTHENTICATED,),
    "system:basic-user": (AUTHENTICATED,),
    "system:public-info-viewer": (AUTHENTICATED, UNAUTHENTICATED),
    "system:service-account-issuer-discovery": ("system:serviceaccounts",),
}
_USERS = {
    "system:kube-controller-manager": _MANAGER,
    "system:kube-scheduler": _SCHEDULER,
    "system:volume-scheduler": _SCHEDULER,
    "system:node-proxier": "system:kube-proxy",
}


@cache
def list_cluster_roles() -> list[Json]:
    """The ClusterRoles, by name."""
    text = get_data(__package__, _FILE)
    assert text is not None, _FILE
    known: dict[str, Json] = json.loads(text)
    return [
        _make(CLUSTER_ROLE, name, labels=one.get("labels", {}))
        | {field: value for field, value in one.items() if field != "labels"}
        for name, one in known.items()
    ]


@cache
def list_cluster_role_bindings() -> list[Json]:
    """Who has them: groups, users, and of each controller its service account. By name."""
    found = [_bind(name, [_subject("Group", one) for one in groups]) for name, groups in _GROUPS.items()]
    found += [_bind(name, [_subject("User", user)]) for name, user in _USERS.items()]
    found.append(_bind("system:kube-dns", [_account("kube-dns")]))
    # Authorized by the Node authorizer: nobody is in this binding (policy.go).
    found.append(_bind("system:node", []))
    names = (one["metadata"]["name"] for one in list_cluster_roles())
    controllers = [name for name in names if name.startswith(_CONTROLLER)]
    found += [_bind(name, [_account(name.removeprefix(_CONTROLLER))]) for name in controllers]
    return sorted(found, key=_name_of)


@cache
def list_roles() -> list[Json]:
    """The Roles of kube-system and kube-public (namespace_policy.go), by namespace and name."""
    found = [_make(ROLE, name, _SYSTEM) | {"rules": rules} for name, rules in _SYSTEM_RULES.items()]
    public = _make(ROLE, f"{_CONTROLLER}bootstrap-signer", _PUBLIC)
    return sorted([*found, public | {"rules": _SIGNER_RULES}], key=_place_of)


@cache
def list_role_bindings() -> list[Json]:
    """Who has these, by namespace and name."""
    leading = "system::leader-locking-"
    leaders = ("kube-controller-manager", "leader-election-controller")
    users = {
        f"{leading}kube-controller-manager": (_MANAGER, leaders),
        f"{leading}kube-scheduler": (_SCHEDULER, ("kube-scheduler",)),
    }
    found = [
        _bind_in(_SYSTEM, name, [_subject("User", user), *map(_account, accounts)])
        for name, (user, accounts) in users.items()
    ]
    reader = "extension-apiserver-authentication-reader"
    readers = [_subject("User", one) for one in (_MANAGER, _SCHEDULER)]
    found.append(_bind_in(_SYSTEM, f"system::{reader}", readers, reader))
    for name in ("bootstrap-signer", "cloud-provider", "token-cleaner"):
        found.append(_bind_in(_SYSTEM, f"{_CONTROLLER}{name}", [_account(name)]))
    signer = "bootstrap-signer"
    found.append(_bind_in(_PUBLIC, f"{_CONTROLLER}{signer}", [_account(signer)]))
    return sorted(found, key=_place_of)


def add_bootstrap(
    stored: Iterable[Json], bootstrap: Iterable[Json], gone: Iterable[tuple[str, str]] = ()
) -> Iterator[Json]:
    """What is stored, and of what the API server makes that of whose place nothing is stored.

    `gone`: (namespace or "", name) of what was deleted.
    """
    kept = list(stored)
    taken = {*map(_place_of, kept), *gone}
    yield from kept
    yield from (one for one in bootstrap if _place_of(one) not in taken)


def _name_of(data: Json) -> str:
    return str(data["metadata"]["name"])


def _place_of(data: Json) -> tuple[str, str]:
    return data["metadata"].get("namespace") or "", _name_of(data)


def _make(kind: str, name: str, namespace: str = "", labels: dict[str, str] | None = None) -> Json:
    meta: Json = {"name": name} | ({"namespace": namespace} if namespace else {})
    meta["labels"] = {"kubernetes.io/bootstrapping": "rbac-defaults", **(labels or {})}
    meta["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": kind, "metadata": meta}


def _bind(role: str, subjects: list[Json]) -> Json:
    return _make(CLUSTER_ROLE_BINDING, role) | _give(CLUSTER_ROLE, role, subjects)


def _bind_in(namespace: str, name: str, subjects: list[Json], role: str = "") -> Json:
    return _make(ROLE_BINDING, name, namespace) | _give(ROLE, role or name, subjects)


def _give(kind: str, role: str, subjects: list[Json]) -> Json:
    given: Json = {"roleRef": {"apiGroup": RBAC_GROUP, "kind": kind, "name": role}}
    return given | ({"subjects": subjects} if subjects else {})


def _subject(kind: str, name: str) -> Json:
    return {"kind": kind, "apiGroup": RBAC_GROUP, "name": name}


def _account(name: str) -> Json:
    return {"kind": "ServiceAccount", "name": name, "namespace": _SYSTEM}


def _rule(verbs: list[str], resource: str, group: str = "", *names: str) -> Json:
    rule: Json = {"verbs": verbs, "apiGroups": [group], "resources": [resource]}
    return rule | ({"resourceNames": list(names)} if names else {})


_EVENTS = {
    "verbs": ["create", "patch", "update"],
    "apiGroups": ["", "events.k8s.io"],
    "resources": ["events"],
}
_LEADING = [
    _rule(["get", "watch", "list", "create", "update"], resource, "coordination.k8s.io")
    for resource in ("leases", "leasecandidates")
]
_SIGNER_RULES = [
    _rule(_READS, "configmaps"),
    _rule(["update"], "configmaps", "", "cluster-info"),
    _EVENTS,
]
_SYSTEM_RULES: dict[str, list[Json]] = {
    "extension-apiserver-authentication-reader": [
        _rule(_READS, "configmaps", "", "extension-apiserver-authentication")
    ],
    f"{_CONTROLLER}bootstrap-signer": [_rule(_READS, "secrets")],
    f"{_CONTROLLER}cloud-provider": [_rule(["create", *_READS], "configmaps")],
    f"{_CONTROLLER}token-cleaner": [_rule([*_READS, "delete"], "secrets"), _EVENTS],
    "system::leader-locking-kube-controller-manager": _LEADING,
    "system::leader-locking-kube-scheduler": _LEADING,
}

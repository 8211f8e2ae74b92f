"""What the roles and bindings of a cluster allow a user, in the order in which they are asked.

Models the RBAC authorizer and its rule resolver. Bindings are asked by their names, where the API server's
cache has no order; those of the cluster come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ...objects.names import RBAC_GROUP
from .accounts import make_username
from .attributes import Attributes, UserInfo, quote
from .rules import Rule, is_allowed_by

Json = Mapping[str, Any]
ROLE, CLUSTER_ROLE = "Role", "ClusterRole"
ROLE_BINDING, CLUSTER_ROLE_BINDING = "RoleBinding", "ClusterRoleBinding"
_Names = tuple[str, frozenset[str]]
"""Of a user: its own and those of its groups."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a request is allowed, and by what; or what could not be looked at."""

    is_allowed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """One rule that holds for a user and whence it comes; or why a binding gives none."""

    source: str = ""
    rule: Rule | None = None
    problem: str = ""


class MissingRole(Exception):
    """There is no role of the name that a binding has."""

    def __init__(self, kind: str, name: str) -> None:
        resource = f"{kind.lower()}.{RBAC_GROUP}"
        super().__init__(f"{resource} {quote(name)} not found")
        self.kind, self.name = kind, name


class Policy:
    """Roles and bindings, as JSON; of namespaces, those of the ones that are asked about."""

    def __init__(
        self,
        roles: Iterable[Json] = (),
        role_bindings: Iterable[Json] = (),
        cluster_roles: Iterable[Json] = (),
        cluster_role_bindings: Iterable[Json] = (),
    ) -> None:
        self._rules = {_key_of(one): one.get("rules") or () for one in (*roles, *cluster_roles)}
        self._role_bindings = sorted(role_bindings, key=_key_of)
        self._cluster_role_bindings = sorted(cluster_role_bindings, key=_key_of)

    def decide(self, user: UserInfo, asked: Attributes) -> Decision:
        """Whether a user may do what is asked for."""
        # kube-apiserver asks nobody about this group (authorizerfactory, NewPrivilegedGroups).
        if user.is_master:
            return Decision(True)
        problems: dict[str, None] = {}
        for found in self.visit(user, asked.namespace):
            if found.rule is not None and is_allowed_by(found.rule, asked):
                return Decision(True, f"RBAC: allowed by {found.source}")
            if found.problem:
                problems[found.problem] = None
        return Decision(False, f"RBAC: {join_problems(problems)}" if problems else "")

    def list_rules(self, user: UserInfo, namespace: str) -> tuple[list[Rule], str]:
        """All rules that hold for a user in a namespace ("": in none), and what could not be looked at."""
        found = list(self.visit(user, namespace))
        problems = dict.fromkeys(one.problem for one in found if one.problem)
        return [one.rule for one in found if one.rule is not None], join_problems(problems)

    def visit(self, user: UserInfo, namespace: str) -> Iterator[Found]:
        """Every rule that holds for a user in a namespace."""
        # There may be many groups.
        names = user.name, frozenset(user.groups)
        for binding in self._cluster_role_bindings:
            yield from self._visit_binding(names, binding, "")
        if namespace:
            for binding in self._role_bindings:
                if binding["metadata"].get("namespace") == namespace:
                    yield from self._visit_binding(names, binding, namespace)

    def _visit_binding(self, names: _Names, binding: Json, namespace: str) -> Iterator[Found]:
        subject = _find_subject(names, binding.get("subjects") or (), namespace)
        if subject is None:
            return
        try:
            rules = self.resolve(binding["roleRef"], namespace)
        except MissingRole as problem:
            yield Found(problem=str(problem))
            return
        source = _tell_source(binding, subject, namespace)
        for rule in rules:
            yield Found(source, rule)

    def resolve(self, role_ref: Json, namespace: str) -> Sequence[Rule]:
        """The rules of the role that a binding gives. Raises MissingRole."""
        kind, name = role_ref.get("kind") or "", role_ref.get("name") or ""
        rules: Sequence[Rule] | None = self._rules.get((namespace if kind == ROLE else "", name))
        if rules is None:
            raise MissingRole(kind, name)
        return rules


def _key_of(data: Json) -> tuple[str, str]:
    meta = data["metadata"]
    return meta.get("namespace") or "", meta["name"]


def _find_subject(names: _Names, subjects: Iterable[Json], namespace: str) -> Json | None:
    """The first subject of a binding that a user is; None where it is none of them."""
    return next((one for one in subjects if _is_subject(names, one, namespace)), None)


def _is_subject(names: _Names, subject: Json, namespace: str) -> bool:
    (user, groups), name = names, subject.get("name") or ""
    match subject.get("kind"):
        case "User":
            return bool(user == name)
        case "Group":
            return name in groups
        case "ServiceAccount":
            # In a RoleBinding an account without a namespace is one of the binding's own.
            place = subject.get("namespace") or namespace
            return bool(place) and user == make_username(place, name)
    return False


def _tell_source(binding: Json, subject: Json, namespace: str) -> str:
    """`RoleBinding "read/shop" of Role "reader" to User "ada"`: names stand before their namespaces."""
    role, name = binding["roleRef"], binding["metadata"]["name"]
    kind, named = (ROLE_BINDING, f"{name}/{namespace}") if namespace else (CLUSTER_ROLE_BINDING, name)
    given = f"of {role.get('kind')} {quote(role.get('name') or '')}"
    return f"{kind} {quote(named)} {given} to {_tell_subject(subject, namespace)}"


def _tell_subject(subject: Json, namespace: str) -> str:
    kind, name = subject.get("kind"), subject.get("name") or ""
    if kind == "ServiceAccount":
        name = f"{name}/{subject.get('namespace') or namespace}"
    return f"{kind} {quote(name)}"


def join_problems(problems: Iterable[str]) -> str:
    """Several errors as Kubernetes tells them together; one as it is."""
    texts = list(problems)
    return f"[{', '.join(texts)}]" if len(texts) > 1 else "".join(texts)

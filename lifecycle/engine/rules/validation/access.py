"""Roles and who is given them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.names import RBAC_GROUP
from .words.go_structs import show_struct
from .words.metadata import check_path_name
from .words.names import check_subdomain
from .words.part import Part, gathers
from .words.selectors import validate_selector

_SUBJECTS = ("ServiceAccount", "User", "Group")


@gathers("")
def validate_role(data: Part, is_namespaced: bool) -> None:
    """A Role or ClusterRole: what may be done with what."""
    for rule in data.parts("rules"):
        _validate_rule(rule, is_namespaced)
    if data["aggregationRule"] is None:
        return
    aggregation, field = data.part("aggregationRule"), "clusterRoleSelectors"
    aggregation.need(field, "at least one clusterRoleSelector required if aggregationRule is non-nil")
    for selector in aggregation.parts(field):
        selector.errors += validate_selector(selector.data, selector.path)


def _validate_rule(rule: Part, is_namespaced: bool) -> None:
    rule.need("verbs", "verbs must contain at least one value")
    if rule["nonResourceURLs"]:
        if is_namespaced:
            rule.refuse("nonResourceURLs", "namespaced rules cannot apply to non-resource URLs")
        if any(rule[name] for name in ("apiGroups", "resources", "resourceNames")):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            rule.refuse("nonResourceURLs", detail)
        return
    for field, word in (("apiGroups", "api group"), ("resources", "resource")):
        rule.need(field, f"resource rules must supply at least one {word}")


@gathers("")
def validate_binding(data: Part, is_namespaced: bool) -> None:
    """A RoleBinding or ClusterRoleBinding."""
    role = data.part("roleRef")
    role.support("apiGroup", (RBAC_GROUP,), role["apiGroup"] or "")
    role.support("kind", ("Role", "ClusterRole") if is_namespaced else ("ClusterRole",), role["kind"] or "")
    role.text("name", check_path_name, needed=True)
    for subject in data.parts("subjects"):
        _validate_subject(subject, is_namespaced)


@gathers("")
def validate_kept_role(data: Part, stored: Mapping[str, Any]) -> None:
    """A binding keeps the role it gives."""
    if data["roleRef"] != stored.get("roleRef"):
        data.refuse("roleRef", "cannot change roleRef", show_struct("RoleRef", data["roleRef"] or {}))


def _validate_subject(subject: Part, is_namespaced: bool) -> None:
    kind = subject["kind"] or ""
    subject.need("name")
    subject.support("kind", _SUBJECTS, kind)
    if kind not in _SUBJECTS:
        return
    if kind == "ServiceAccount":
        subject.text("name", check_subdomain)
    subject.support("apiGroup", ("" if kind == "ServiceAccount" else RBAC_GROUP,), subject["apiGroup"] or "")
    if kind == "ServiceAccount" and not is_namespaced:
        subject.need("namespace")

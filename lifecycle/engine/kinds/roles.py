"""Role, ClusterRole and their bindings: stored only; nobody is denied anything."""

from __future__ import annotations

from ..objects.kinds import Kind
from ..rules.validation.metadata import check_path_name
from .entry import KindEntry

_GROUP = "rbac.authorization.k8s.io/v1"

ROLES = tuple(
    KindEntry(kind=kind, is_passive=True, check_name=check_path_name)
    for kind in (
        Kind(_GROUP, "Role", "roles"),
        Kind(_GROUP, "RoleBinding", "rolebindings"),
        Kind(_GROUP, "ClusterRole", "clusterroles", False),
        Kind(_GROUP, "ClusterRoleBinding", "clusterrolebindings", False),
    )
)

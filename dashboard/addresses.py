"""Which objects have a page of their own, and where it is.

Pods, workloads, autoscalers, budgets, Services, nodes.
"""

from __future__ import annotations

from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.node import NODE
from lifecycle.engine.kinds.pod_disruption_budget import POD_DISRUPTION_BUDGET
from lifecycle.engine.kinds.service import SERVICE
from lifecycle.engine.objects.pods.pod import POD_KIND

_BY_FOLDER = {entry.kind.plural: entry for entry in registry.list_workloads()}
_OTHERS = {one.kind.plural: one for one in (HORIZONTAL_POD_AUTOSCALER, POD_DISRUPTION_BUDGET, SERVICE, NODE)}


class WorkloadFolder:
    """The part of an address that names a kind of workload: its plural, as in Kubernetes' own addresses."""

    regex = "|".join(_BY_FOLDER)

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    to_url = to_python


def kind_of_folder(folder: str) -> KindEntry:
    """The kind whose pages stand there."""
    return _BY_FOLDER.get(folder) or _OTHERS[folder]


def list_folders() -> dict[str, str]:
    """By group and kind (`apps/Deployment`, `/Pod`) the folder of its pages, `nodes` as well."""
    entries = (*_BY_FOLDER.values(), *_OTHERS.values(), registry.entry_of_id(POD_KIND.id))
    return {f"{entry.kind.group}/{entry.kind.name}": entry.kind.plural for entry in entries}


def find_page(kind_id: str, namespace: str, name: str) -> str:
    """The address below its cluster's: `deployments/shop/web/`; "" for a kind that has no page."""
    entry = registry.entry_of_id(kind_id)
    plural = entry.kind.plural
    is_workload = plural in _BY_FOLDER and entry.is_workload
    is_other = plural in _OTHERS and _OTHERS[plural].kind.id == entry.kind.id
    if not (is_workload or is_other or entry.kind.id == POD_KIND.id):
        return ""
    return f"{plural}/{namespace}/{name}/" if entry.kind.namespaced else f"{plural}/{name}/"

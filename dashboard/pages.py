"""Which objects have a page of their own, and where it is: pods, workloads of every kind, autoscalers."""

from __future__ import annotations

from lifecycle.engine.kinds import registry
from lifecycle.engine.kinds.entry import KindEntry
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.objects.pod import POD_KIND

_BY_FOLDER = {entry.kind.plural: entry for entry in registry.list_workloads()}


class WorkloadFolder:
    """The part of an address that names a kind of workload: its plural, as in Kubernetes' own addresses."""

    regex = "|".join(_BY_FOLDER)

    def to_python(self, value: str) -> str:
        """As it is."""
        return value

    to_url = to_python


def kind_of_folder(folder: str) -> KindEntry:
    """The kind whose pages stand there: of workloads, or autoscalers."""
    return _BY_FOLDER.get(folder, HORIZONTAL_POD_AUTOSCALER)


def find_page(kind_id: str, namespace: str, name: str) -> str:
    """The address below its cluster's: `deployments/shop/web/`; "" for a kind that has no page."""
    entry = registry.entry_of_id(kind_id)
    is_other = entry.kind.id in (POD_KIND.id, HORIZONTAL_POD_AUTOSCALER.kind.id)
    has_page = (entry.kind.plural in _BY_FOLDER and entry.is_workload) or is_other
    return f"{entry.kind.plural}/{namespace}/{name}/" if has_page else ""

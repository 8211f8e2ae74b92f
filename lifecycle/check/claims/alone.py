"""What one pod alone is meant for: data that one may write, a name that one has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.check.settled import Workload
from lifecycle.engine import Cluster
from lifecycle.engine.kinds.pod_specs import find_pod_spec
from lifecycle.engine.objects.storage import CLAIM_KIND
from lifecycle.engine.objects.workloads.stateful_set import STATEFUL_SET_KIND
from lifecycle.verdicts import read_size

Json = Mapping[str, Any]
_ALONE = ("ReadWriteOnce", "ReadWriteOncePod")


def is_for_one(workload: Workload, cluster: Cluster) -> bool:
    """Whether a workload of one pod cannot have two at once: its old one ends before the new one begins."""
    if read_size(workload.data).wanted != 1:
        return False
    claims = [(workload.namespace, one) for one in list_claims(find_pod_spec(workload.data))]
    return workload.kind == STATEFUL_SET_KIND.id or any(is_claim_for_one(one, cluster) for one in claims)


def list_claims(spec: Json) -> Iterator[str]:
    """The names of the claims that the spec of a pod mounts."""
    for one in spec.get("volumes") or ():
        if name := (one.get("persistentVolumeClaim") or {}).get("claimName"):
            yield name


def is_claim_for_one(place: tuple[str, str], cluster: Cluster) -> bool:
    """Whether one node, or one pod, alone may use a claim."""
    claim = cluster.get(CLAIM_KIND.id, *place)
    modes = ((claim or {}).get("spec") or {}).get("accessModes") or ()
    return bool(modes) and all(one in _ALONE for one in modes)

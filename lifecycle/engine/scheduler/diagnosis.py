"""Why a pod was placed nowhere, in the scheduler's words.

Models the message of a failed try: what each node lacks, then why taking pods away would not help.
Nobody is taken away here, so a node on which that might help has no victims.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..objects.pod import PodSpec
from ..rules.host_ports import NO_FREE_PORTS, list_host_ports
from ..rules.node_filters import names_wanted, why_not
from ..rules.pod_resources import effective_requests
from .claims import IN_USE, PodVolumes
from .nodes import NodeRoom, pick_rooms

NOT_NAMED = "node(s) didn't satisfy plugin(s) [NodeAffinity]"


def explain(spec: PodSpec, rooms: Mapping[str, NodeRoom], volumes: PodVolumes | None) -> str:
    """`0/3 nodes are available: 3 Insufficient cpu. …`. `volumes`: what the pod's claims ask for."""
    total = len(rooms)
    if not total:
        return "no nodes available to schedule pods"
    nodes = f"0/{total} nodes are available"
    if volumes is not None and volumes.problem:
        # The plugins that follow were not asked, and the one for claims of devices complains of that.
        return f"{nodes}: {volumes.problem}. not found"
    requests, names, ports = effective_requests(spec), names_wanted(spec), list_host_ports(spec)
    asked = pick_rooms(rooms, names)
    hopeless = total - len(asked)
    reasons = Counter({NOT_NAMED: hopeless})
    for room in asked.values():
        never = why_not(spec, room.node)
        if not never and not room.has_ports(ports):
            reasons[NO_FREE_PORTS] += 1
            continue
        missing = [never] if never else room.lacks(requests)
        if not missing and volumes is not None:
            missing = [IN_USE] if volumes.is_in_use else volumes.why_not(room.node)
            hopeless += not volumes.is_in_use
        else:
            hopeless += bool(never) or room.is_too_small(requests)
        reasons.update(missing)
    claims = f"{nodes}: {_list_counts(reasons)}. no new claims to deallocate"
    if spec.raw.get("preemptionPolicy") == "Never":
        return f"{claims}, preemption: not eligible due to preemptionPolicy=Never."
    outlook = {
        "No preemption victims found for incoming pod": total - hopeless,
        "Preemption is not helpful for scheduling": hopeless,
    }
    return f"{claims}, preemption: {nodes}: {_list_counts(outlook)}."


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))

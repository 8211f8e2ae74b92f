"""What is wrong with the objects around workloads: Services, budgets and autoscalers that do nothing. Pure.

Kubernetes accepts them all and says little: a selector with a typing error is a selector.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...objects.kinds import kind_id
from ...objects.names import LAST_APPLIED
from ...objects.pods.pod import Pod
from ...objects.selector import Selector
from ..network.services import EXTERNAL_NAME
from .autoscalers import tell_lack
from .noticed import NOTHING, Noticed
from .verdicts import quote, tell_instant

Json = Mapping[str, Any]
_AGAIN = 2
_NOT_SCALED = "does not scale it"


# --- Services -----------------------------------------------------------------------------------------------


def tell_service(service: Json, pods: Sequence[Pod]) -> str:
    """`selects no pod (app=wbe: did you mean app=web?)`, or names a port nobody has; "" of one that is well.

    `pods`: those of its namespace.
    """
    spec = service.get("spec") or {}
    selector = spec.get("selector") or {}
    if not selector or spec.get("type") == EXTERNAL_NAME:
        return ""
    wanted = Selector({"matchLabels": selector})
    selected = [one for one in pods if not one.is_finished and wanted.matches(one.meta.labels)]
    if not selected:
        return f"selects no pod{_tell_labels(selector, pods)}; every connection to it is refused"
    names = [port.get("targetPort") for port in spec.get("ports") or ()]
    missing = [name for name in names if isinstance(name, str) and not _has_port(selected, name)]
    return "; ".join(_tell_port(name, selected) for name in missing)


def _tell_labels(selector: Mapping[str, str], pods: Sequence[Pod]) -> str:
    """` (app=wbe: did you mean app=web?)`"""
    from difflib import get_close_matches

    written = ",".join(f"{key}={value}" for key, value in sorted(selector.items()))
    known = sorted({f"{key}={value}" for one in pods for key, value in one.meta.labels.items()})
    unknown = [f"{key}={value}" for key, value in sorted(selector.items()) if f"{key}={value}" not in known]
    meant = [found for one in unknown for found in get_close_matches(one, known, 1)]
    return f" ({written}{f': did you mean {meant[0]}?' if meant else ''})"


def _list_ports(pods: Iterable[Pod]) -> Iterator[str]:
    for pod in pods:
        for container in pod.spec.all_containers:
            yield from (port["name"] for port in container.ports if port.get("name"))


def _has_port(pods: Sequence[Pod], name: str) -> bool:
    return name in _list_ports(pods)


def _tell_port(name: str, pods: Sequence[Pod]) -> str:
    """`names the port htttp, which none of its pods has (did you mean http?)`"""
    from difflib import get_close_matches

    meant = get_close_matches(name, sorted(set(_list_ports(pods))), 1)
    asked = f" (did you mean {meant[0]}?)" if meant else ""
    return f"names the port {name}, which none of its pods has{asked}"


# --- budgets ------------------------------------------------------------------------------------------------


def tell_budget(budget: Json, pods: Sequence[Pod]) -> str:
    """`selects no pod (app=wbe: did you mean app=web?); it keeps nothing`; "" of one that selects any."""
    chosen = (budget.get("spec") or {}).get("selector")
    if chosen is None or any(Selector(chosen).matches(one.meta.labels) for one in pods):
        return ""
    return f"selects no pod{_tell_labels(chosen.get('matchLabels') or {}, pods)}; it keeps nothing"


# --- autoscalers --------------------------------------------------------------------------------------------


def tell_scaler(autoscaler: Json, workload: Json | None, noticed: Noticed = NOTHING) -> str:
    """Why an autoscaler does not scale its workload, or who else sets its size; "" of one that is well."""
    name = autoscaler["metadata"]["name"]
    conditions = (autoscaler.get("status") or {}).get("conditions") or ()
    for one in conditions:
        # Asleep at 0 replicas is somebody's wish.
        if one.get("type") == "ScalingLimited" or one.get("reason") == "ScalingDisabled":
            continue
        if one.get("status") == "False":
            message = one.get("message") or ""
            lack = tell_lack(message)
            why = f"{one.get('reason')}{f'; {lack}' if lack else quote(message)}"
            return f"its autoscaler {name} {_NOT_SCALED}: {why}"
    back = noticed.put_back
    if back is not None and back.times >= _AGAIN:
        return (
            f"somebody sets its replicas out of the bounds of its autoscaler {name}, which put them back"
            f" {back.times} times, last at {tell_instant(back.last_ms)}"
        )
    size = _find_applied_size(workload)
    if size is None or size == (autoscaler.get("status") or {}).get("desiredReplicas", size):
        return ""
    return (
        f"its manifest says replicas {size}, and its autoscaler {name} wants another size: whoever applies it"
        f" again sets {size}"
    )


def _find_applied_size(workload: Json | None) -> int | None:
    """What its manifest said of its size when it was applied last; None where it left that out."""
    written = ((workload or {}).get("metadata") or {}).get("annotations") or {}
    try:
        applied = json.loads(written.get(LAST_APPLIED) or "{}")
    except ValueError:
        return None
    spec = applied.get("spec") if isinstance(applied, dict) else None
    size = spec.get("replicas") if isinstance(spec, dict) else None
    return size if isinstance(size, int) else None


def is_silent(told: str) -> bool:
    """Whether what `tell_scaler` says is in the autoscaler's own sentence too."""
    return not told or _NOT_SCALED in told


def find_target(autoscaler: Json, field: str = "scaleTargetRef") -> tuple[str, str, str]:
    """The id of the kind, namespace and name of what an autoscaler scales."""
    target = (autoscaler.get("spec") or {}).get(field) or {}
    namespace = autoscaler["metadata"].get("namespace") or ""
    group = str(target.get("apiVersion") or "").rpartition("/")[0]
    return kind_id(group, str(target.get("kind") or "")), namespace, str(target.get("name") or "")

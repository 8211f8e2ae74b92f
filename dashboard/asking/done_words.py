"""What a page answers when something was done: named by what happens now, in Kubernetes' words."""

from __future__ import annotations

from typing import Any

from dashboard.plots.theme import duration
from lifecycle.engine.objects.workloads.job import JOB_KIND
from lifecycle.models import Cluster
from lifecycle.recorded.objects import find_object

Json = dict[str, Any]
UNCHANGED = "unchanged"
_ROLLOUTS = {
    "restart": "restarted",
    "pause": "paused: changes wait until it is resumed",
    "resume": "resumed",
    "undo": "rolled back",
}
_NODES = {
    "cordon": "cordoned: no pod is scheduled to it",
    "uncordon": "uncordoned: pods are scheduled to it again",
    "drain": "drain begun: its pods are evicted as their budgets allow",
    "remove": "removed",
    "upgrade": "upgraded",
}


def tell_done(cluster: Cluster, kind: str, asked: Json, result: Json, known: int) -> str:
    """What became of a command that was taken. `known`: the version of the cluster before."""
    version = str(((result.get("object") or {}).get("metadata") or {}).get("resourceVersion") or "")
    is_as_before = result["code"] == 200 and version.isdigit() and int(version) <= known
    match kind:
        case "scale":
            if is_as_before:
                return f"{UNCHANGED}: {asked['replicas']} are asked for already"
            return f"scaled to {asked['replicas']}"
        case "setImage" | "apply" | "replace" | "rollout" | "patch" if is_as_before:
            return UNCHANGED
        case "setImage":
            return f"{asked['container']} gets {asked['image']}"
        case "delete":
            return _tell_deletion(cluster, asked)
        case "rollout" if asked["action"] in _ROLLOUTS:
            revision = f" to revision {asked['toRevision']}" if "toRevision" in asked else ""
            return _ROLLOUTS[asked["action"]] + revision
        case "patch":
            return _tell_patch(asked)
        case "drain" if asked.get("cancel"):
            return "drain cancelled: evictions that were granted go on"
        case "fault":
            return f"{asked['kind']} begins{' for ' + asked['for'] if asked.get('for') else ''}"
        case _ if kind in _NODES:
            return _NODES[kind]
    return {200: "configured", 201: "created"}.get(result["code"], "accepted")


def _tell_deletion(cluster: Cluster, asked: Json) -> str:
    """Gone at once, or asked to go: how long that may take is said where it is known."""
    found = find_object(cluster, asked["kind"], asked.get("namespace") or "", asked["name"])
    if found is None or found.deleted_ms is not None:
        return "deleted"
    meta = found.data.get("metadata") or {}
    if holding := [str(one) for one in meta.get("finalizers") or ()]:
        return f"deletion requested: it goes when its finalizers are done ({', '.join(holding[:3])})"
    grace = meta.get("deletionGracePeriodSeconds")
    if grace is None:
        return "deletion requested"
    return f"deletion requested: its containers have {duration(int(grace) * 1000)} to end"


def _tell_patch(asked: Json) -> str:
    spec = (asked.get("patch") or {}).get("spec") or {}
    if "suspend" in spec:
        what = "its pods are ended" if asked["kind"] == JOB_KIND.id else "no run starts"
        return f"suspended: {what} until it is resumed" if spec["suspend"] else "resumed"
    if "maxReplicas" in spec:
        return f"keeps between {spec['minReplicas']} and {spec['maxReplicas']} replicas"
    return "configured"

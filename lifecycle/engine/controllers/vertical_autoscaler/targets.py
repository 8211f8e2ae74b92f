"""Whose pods a vertical autoscaler looks after, or why nobody's.

Models how VPA's recommender fetches its target: by the selector of a kind that it knows well, or of a /scale.
What is looked after is what stands highest: a target that another such controller controls is refused.
"""

from __future__ import annotations

from lifecycle.lean_tuples import NamedTuple

from ...api.context import Context
from ...api.scale_targets import find_target, kind_of_target
from ...kinds.registry import entry_of
from ...objects.kinds import Kind, kind_for
from ...objects.meta import OwnerReference, StoredObject
from ...objects.selector import Selector
from ...objects.workloads.cron_job import CronJob


class Watched(NamedTuple):
    """Whom an autoscaler's target selects and how many it is to have (None: nothing says so).

    Without a selector `problem` is why there is none, in the recommender's words.
    """

    selector: Selector | None
    replicas: int | None = None
    problem: str = ""


def find_watched(context: Context, autoscaler: StoredObject) -> Watched:
    """Look at what an autoscaler points to."""
    reference = (autoscaler.spec or {}).get("targetRef")
    if not isinstance(reference, dict):
        return Watched(None, problem="Cannot read targetRef. Reason: targetRef not defined")
    kind, name = kind_of_target(reference), str(reference.get("name") or "")
    namespace = autoscaler.meta.namespace or ""
    target = find_target(context, kind, namespace, name)
    replicas = None if isinstance(target.scale, str) else target.scale.replicas
    selector, found = target.selector, target.found
    if entry_of(kind).is_workload:
        found = context.store.get(kind.id, namespace, name)
        if found is None:
            return Watched(
                None, problem=f"Cannot read targetRef. Reason: {_say_missing(kind, namespace, name)}"
            )
        selector = _selector_of(found)
    elif isinstance(target.scale, str) or selector is None:
        why = target.scale if isinstance(target.scale, str) else _say_empty(namespace, name)
        said = f"{_say_unhandled(kind, name)}, last error {why}"
        return Watched(None, problem=f"Cannot read targetRef. Reason: {said}")
    assert found is not None, (kind, name)
    problem = _find_parent_problem(context, found)
    return Watched(None, problem=problem) if problem else Watched(selector, replicas)


def _selector_of(found: StoredObject) -> Selector:
    """A CronJob selects by the labels of its pods: without any, all pods there are."""
    if isinstance(found, CronJob):
        template = (found.spec.job_template.get("spec") or {}).get("template") or {}
        return Selector({"matchLabels": (template.get("metadata") or {}).get("labels") or {}})
    selector = found.spec.selector
    assert isinstance(selector, Selector), found.key
    return selector


def _find_parent_problem(context: Context, found: StoredObject) -> str:
    owner = found.meta.controller
    if owner is None:
        return ""
    target = f"{found.kind.api_version}.{found.kind.name}/{found.meta.name}"
    has_parent = (
        f"The target {target} has a parent controller but it should point to a topmost well-known or scalable"
        " controller"
    )
    problem = _ask_parent(context, owner, found.meta.namespace or "")
    if problem is None:
        return has_parent
    check = f"Error checking if target {target} is a topmost well-known or scalable controller"
    return f"{check}: {problem}" if problem else ""


def _ask_parent(context: Context, owner: OwnerReference, namespace: str) -> str | None:
    """None: the owner is a controller to point to. Else why that cannot be said, "" where it is none."""
    kind = kind_for(owner.api_version, owner.kind)
    if entry_of(kind).is_workload:
        is_there = context.store.get(kind.id, namespace, owner.name) is not None
        return None if is_there else _say_missing(kind, namespace, owner.name)
    if kind.name == "Node":
        return f"{_say_unhandled(kind, owner.name)}, last error node is not a valid owner"
    scale = find_target(context, kind, namespace, owner.name).scale
    if not isinstance(scale, str):
        return None
    return f"{_say_unhandled(kind, owner.name)}, last error {scale}" if scale.startswith("no matches") else ""


def _say_missing(kind: Kind, namespace: str, name: str) -> str:
    return f"{kind.name} {namespace}/{name} does not exist"


def _say_unhandled(kind: Kind, name: str) -> str:
    return f"unhandled targetRef {kind.api_version} / {kind.name} / {name}"


def _say_empty(namespace: str, name: str) -> str:
    return f"resource {namespace}/{name} has an empty selector for scale sub-resource"

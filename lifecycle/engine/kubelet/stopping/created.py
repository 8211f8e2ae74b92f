"""A container has ended with 0: what its program makes through the API appears.

It is made by the pod's service account, in the pod's namespace unless it says another. The roles of the
cluster say whether the account may; what it may not make is told in an event of the pod.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...api.access import is_enforceable, tell_refusal
from ...heart.errors import AlreadyExists, ApiError
from ...kinds.registry import kind_of_json
from ...objects.names import FAILED_CREATE
from ...objects.pods.pod import Pod
from ...rules.access.attributes import Attributes
from ..parts import NORMAL, WARNING, Parts
from ..state.container_run import ContainerRun
from ..state.worker import PodWorker

Json = dict[str, Any]
_ASSUMED_ALLOWED = "AssumedAllowed"


def make_created(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, texts: Sequence[str]) -> None:
    """Make each object of a program that has ended well. One that is there already stays as it is."""
    for text in texts:
        data = _place(parts, json.loads(text), pod)
        refusal = _make(parts, worker, pod, run, data)
        if refusal:
            said = f"its program could not make {_name(data)}: {refusal}"
            parts.event(worker, run, WARNING, FAILED_CREATE, said)


def _make(parts: Parts, worker: PodWorker, pod: Pod, run: ContainerRun, data: Json) -> str:
    """Why an object was not made; "" where it was, or is there."""
    if is_enforceable(parts.store):
        account = pod.meta.namespace or "", pod.spec.raw.get("serviceAccountName") or "default"
        refusal = tell_refusal(parts.store, account, _read_attributes(parts, data))
        if refusal:
            return refusal
    else:
        said = f"no role says who may do what in this cluster: taken to be allowed to make {_name(data)}"
        parts.event(worker, run, NORMAL, _ASSUMED_ALLOWED, said)
    try:
        parts.api.create_json(data)
    except AlreadyExists:
        return ""
    except ApiError as problem:
        return problem.message
    return ""


def _place(parts: Parts, data: Json, pod: Pod) -> Json:
    """The object in the pod's namespace, where it is of one and says none."""
    metadata, kind = data["metadata"], parts.context.definitions.kind_of(kind_of_json(data))
    if metadata.get("namespace") or not kind.namespaced:
        return data
    return {**data, "metadata": {**metadata, "namespace": pod.meta.namespace}}


def _read_attributes(parts: Parts, data: Json) -> Attributes:
    kind = parts.context.definitions.kind_of(kind_of_json(data))
    namespace = data["metadata"].get("namespace") or ""
    return Attributes("create", kind.group, kind.plural, "", namespace)


def _name(data: Json) -> str:
    metadata = data["metadata"]
    place = f"{metadata['namespace']}/" if metadata.get("namespace") else ""
    return f"{data['kind']} {place}{metadata['name']}"

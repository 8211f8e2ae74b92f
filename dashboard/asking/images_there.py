"""Why a pull that is to fail does not: nodes that have an image do not pull it (policy IfNotPresent)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lifecycle.engine import Cluster as Engine
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.programs.profiles import Profile, read_profile

Json = dict[str, Any]
ALWAYS = "Always"
"""With this pull policy a node asks the registry though it has the image."""


def tell_images_there(engine: Engine, commands: Sequence[tuple[str, Json]]) -> list[str]:
    """One sentence for each image that the commands say cannot be pulled and that nodes have."""
    objects = [payload["object"] for _kind, payload in commands if payload.get("object")]
    failing = [
        read_profile(one)[0]
        for one in objects
        if kind_of_json(one).id == CONTAINER_PROFILE.id and _says_that_pulls_fail(one)
    ]
    if not failing:
        return []
    changed = [found for _kind, payload in commands if (found := _find_changed(engine, payload))]
    images = {image: None for one in changed for image in _list_images(one, failing)}
    nodes = {one["metadata"]["name"] for one in engine.list(NODE_KIND.id)}
    return [
        tell_having(image, len(nodes & set(engine.list_nodes_with(image))), len(nodes))
        for image in images
        if nodes & set(engine.list_nodes_with(image))
    ]


def tell_having(image: str, having: int, nodes: int) -> str:
    """`All 3 nodes have nginx:1.27 already: nothing is pulled.`"""
    if having < nodes:
        verb = "has" if having == 1 else "have"
        return f"{having} of {nodes} nodes {verb} {image} already: nothing is pulled there."
    who = "The only node has" if nodes == 1 else f"All {nodes} nodes have"
    return f"{who} {image} already: nothing is pulled."


def _says_that_pulls_fail(profile: Json) -> bool:
    pull = ((profile.get("spec") or {}).get("behavior") or {}).get("pull")
    return isinstance(pull, dict) and bool(pull.get("error"))


def _find_changed(engine: Engine, payload: Json) -> Json | None:
    """What a command is about, as it is after it."""
    given = payload.get("object")
    if given is None:
        return engine.get(payload.get("kind", ""), payload.get("namespace"), payload.get("name", ""))
    meta, kind = given.get("metadata") or {}, kind_of_json(given)
    return engine.get(kind.id, meta.get("namespace") or "default", meta.get("name", ""))


def _list_images(changed: Json, failing: Sequence[Profile]) -> Iterator[str]:
    """The images of its containers whose pulls fail, where a node that has one does not pull."""
    spec, labels = find_pod_spec(changed), find_pod_metadata(changed).get("labels") or {}
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        image, name = container.get("image", ""), container["name"]
        is_failing = any(one.matches(image, name, labels) for one in failing)
        if is_failing and container.get("imagePullPolicy") != ALWAYS:
            yield image

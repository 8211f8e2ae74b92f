"""What a run takes for granted, because nothing in its input says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

from lifecycle.engine import Cluster
from lifecycle.engine.kinds.assumed_storage import list_assumed_storage
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.objects.pods.pod import POD_KIND, PodSpec
from lifecycle.engine.objects.storage import CLAIM, STORAGE_CLASS
from lifecycle.engine.programs.images.doubts import find_meant, list_doubts
from lifecycle.engine.programs.profiles import choose_profile, read_profile
from lifecycle.engine.rules.network.services import wants_load_balancer
from lifecycle.simulation.lost_requests import describe_lags
from lifecycle.simulation.unknown_images import FAIL, FLAG, MEANT


def describe_assumed(cluster: Cluster) -> Iterator[str]:
    """A line each of what is assumed: of images, of storage, and what only a cloud would do."""
    if images := _list_images(cluster):
        yield f"assumed to start and answer: {', '.join(images)} (no profile); the other way: {FLAG} {FAIL}"
    yield from cluster.list_guesses()
    doubts = list_doubts(cluster.list(POD_KIND.id), cluster.list(CONTAINER_PROFILE.id))
    for image in doubts:
        if meant := find_meant(image):
            yield f"nobody knows {image}: did you mean {meant}? Try it: {FLAG} {MEANT}"
    for line in list_assumed_storage([*cluster.list(STORAGE_CLASS), *cluster.list(CLAIM)]):
        yield f"assumed: {line}"
    names = [
        f"{one['metadata']['namespace']}/{one['metadata']['name']}"
        for one in cluster.list("Service")
        if wants_load_balancer(one.get("spec") or {})
    ]
    if names:
        yield f"assumed: a cloud that gives load balancers their addresses: {', '.join(names)}"
    yield from describe_lags(cluster)


def _list_images(cluster: Cluster) -> list[str]:
    """Images of which nothing is known. What a profile leaves out, its writer leaves as it is assumed."""
    images = cluster.list_assumed_images()
    profiles = [read_profile(one)[0] for one in cluster.list(CONTAINER_PROFILE.id)]
    if not (images and profiles):
        return list(images)
    told = set[str]()
    for pod in cluster.list(POD_KIND.id):
        labels = pod["metadata"].get("labels") or {}
        for one in PodSpec.from_json(pod["spec"]).all_containers:
            if choose_profile(profiles, one.image, one.name, labels):
                told.add(one.image)
    return [image for image in images if image not in told]

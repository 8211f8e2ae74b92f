"""The other way round: a cluster's story once more, with the images behaving as it does not assume.

All else is the same: seed, names, commands and their instants. So whatever differs is due to the assumption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.asking.image_behaviors import make_profile
from lifecycle.engine.programs.images.doubts import find_meant
from lifecycle.input.manifests import read_documents
from lifecycle.models import Cluster, RunControl
from lifecycle.recorded.images import list_doubted
from lifecycle.runs import inbox
from lifecycle.runs.forks import find_free_name
from lifecycle.runs.inbox import User
from lifecycle.runs.plans import begin
from lifecycle.runs.retelling import retell
from lifecycle.simulation import Plan, make_plan

NOT_PULLED, MEANT = "cannot-be-pulled", "meant"


def try_otherwise(cluster: Cluster, way: str, user: User) -> Cluster:
    """A new cluster of the user, which lives through the same with the images that nobody knows otherwise.

    They cannot be pulled, or are the well-known ones that may be meant. ValueError where there are none such,
    ManifestError and ValidationError where the story cannot be played again.
    """
    if way not in (NOT_PULLED, MEANT):
        raise ValueError(f"There is {NOT_PULLED} and {MEANT}, and no {way!r}")
    doubted = list_doubted(cluster)
    meant = {image: found for image in doubted if (found := find_meant(image))}
    if not (meant if way == MEANT else doubted):
        raise ValueError("No image is doubted any more: look again")
    plan = make_plan(read_documents(retell(cluster)))
    plan = _swap(plan, meant) if way == MEANT else _refuse_pulls(plan, doubted)
    name = f"{cluster.shown_name[:40].rstrip('-')}-if-{'meant' if way == MEANT else 'not'}"
    made = begin(plan, find_free_name(name, user), user)
    if cluster.instant_ms:
        # At once to where the other one is; what comes then is for both to show.
        inbox.control(made, RunControl.Kind.RUN, {"untilMs": cluster.instant_ms, "fast": True}, user=user)
    return made


def _refuse_pulls(plan: Plan, images: Sequence[str]) -> Plan:
    profiles = [made for image in images if (made := make_profile(image, NOT_PULLED)) is not None]
    return replace(plan, objects=(*profiles, *plan.objects))


def _swap(plan: Plan, meant: Mapping[str, str]) -> Plan:
    steps = [replace(step, payload=_swap_images(step.payload, meant)) for step in plan.steps]
    return replace(plan, objects=tuple(_swap_images(one, meant) for one in plan.objects), steps=tuple(steps))


def _swap_images(value: Any, meant: Mapping[str, str]) -> Any:
    """The same with other images, wherever one is named."""
    if isinstance(value, list | tuple):
        return [_swap_images(one, meant) for one in value]
    if not isinstance(value, Mapping):
        return value
    swapped = {name: _swap_images(one, meant) for name, one in value.items()}
    image = swapped.get("image")
    return swapped | ({"image": meant[image]} if isinstance(image, str) and image in meant else {})

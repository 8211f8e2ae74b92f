"""A new image of a workload: as the present one but for what an ordeal says of it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import yaml

from lifecycle.check.settled import Workload
from lifecycle.engine.objects.names import BEHAVIOR

Json = Mapping[str, Any]


def make_new_image(workload: Workload, acts: Json) -> dict[str, Any]:
    """A patch of the workload that gives its containers new images, which no node has yet.

    They are of the same repositories, so that what is known of those still holds; what is new is told by the
    annotation that says how containers act.
    """
    template = (workload.data.get("spec") or {}).get("template") or {}
    annotations = dict((template.get("metadata") or {}).get("annotations") or {})
    known = yaml.safe_load(annotations.get(BEHAVIOR) or "{}") or {}
    new = dict(annotations)
    if acts:
        told = {one["name"]: _join(known.get(one["name"]) or {}, acts) for one in workload.containers}
        new[BEHAVIOR] = yaml.safe_dump({**known, **told}, sort_keys=True)
    images = [
        {"name": one["name"], "image": name_next(one.get("image") or "")} for one in workload.containers
    ]
    changed: dict[str, Any] = {"spec": {"containers": images}}
    return {"spec": {"template": changed | ({"metadata": {"annotations": new}} if new else {})}}


def name_next(image: str) -> str:
    """`shop/web:1.2-next` of `shop/web:1.2`; a digest names nothing that could be next to it."""
    name = image.partition("@")[0]
    return f"{name}-next" if ":" in name.rpartition("/")[2] else f"{name}:next"


def _join(known: Json, acts: Json) -> dict[str, Any]:
    """How it acts, with what is new in place of what was."""
    return {**deepcopy(dict(known)), **deepcopy(dict(acts))}

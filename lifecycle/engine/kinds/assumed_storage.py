"""What is taken for granted of storage: a class for claims that name none, and drivers that are installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..objects.storage import CLAIM, DEFAULT_CLASS, DEFAULT_PROVISIONER, IS_DEFAULT, STORAGE_CLASS
from .pod_specs import find_pod_spec
from .references import name_subject
from .registry import kind_of_json

Json = Mapping[str, Any]
_MOST_NAMES = 3


def list_assumed_storage(objects: Iterable[Json]) -> list[str]:
    """A line for the class that is made, when one is needed, and one for each class with a driver."""
    objects = list(objects)
    classes = [one for one in objects if kind_of_json(one).id == STORAGE_CLASS]
    asking = [name_subject(one) for one in objects if any(map(_asks_for_any, _list_claims(one)))]
    is_made = any(one.get("provisioner") == DEFAULT_PROVISIONER for one in classes)
    found = []
    if is_made or (asking and not any(map(_is_default, classes))):
        names = ", ".join(asking[:_MOST_NAMES]) + (", …" if len(asking) > _MOST_NAMES else "")
        found.append(
            f"StorageClass {DEFAULT_CLASS} is made for claims that name no class{names and f' ({names})'}:"
            " their volumes are made when a pod needs them, and may be attached to any node"
        )
    for one in classes:
        driver = str(one.get("provisioner") or "")
        if driver and driver != DEFAULT_PROVISIONER and not driver.startswith("kubernetes.io/"):
            name = (one.get("metadata") or {}).get("name")
            found.append(f"StorageClass {name}: the driver {driver} is taken to be there and to make volumes")
    return found


def _is_default(data: Json) -> bool:
    return ((data.get("metadata") or {}).get("annotations") or {}).get(IS_DEFAULT) == "true"


def _list_claims(data: Json) -> Iterator[Json]:
    """The specs of the claims that an object is, or that are made for it."""
    spec = data.get("spec")
    if not isinstance(spec, Mapping):
        return
    if kind_of_json(data).id == CLAIM:
        yield spec
    templates = spec.get("volumeClaimTemplates")
    for template in templates if isinstance(templates, list) else ():
        yield template.get("spec") or {}
    for volume in find_pod_spec(data).get("volumes") or ():
        template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
        if template:
            yield template.get("spec") or {}


def _asks_for_any(spec: Json) -> bool:
    return spec.get("storageClassName") in (None, DEFAULT_CLASS)

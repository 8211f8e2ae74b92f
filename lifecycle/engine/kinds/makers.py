"""Which Secrets and ConfigMaps nobody gives, and objects of the input are taken to bring with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..rules.makers.custom import find_made_for
from ..rules.makers.made import EVERYWHERE, Made
from ..rules.makers.programs import ISTIO_KINDS, ISTIO_ROOT, list_made_by_job, list_made_by_operator
from .defaults import DEFAULT_NAMESPACE
from .deployment import DEPLOYMENT
from .job import JOB
from .pod_specs import find_pod_spec
from .registry import kind_of_json

Json = Mapping[str, Any]
JOB_ID, DEPLOYMENT_ID = JOB.kind.id, DEPLOYMENT.kind.id


def find_made(data: Json) -> list[Made]:
    """What an object brings with it: a custom resource at once, a Job when it is complete."""
    kind_id, metadata = kind_of_json(data).id, data.get("metadata") or {}
    namespace, name = metadata.get("namespace") or DEFAULT_NAMESPACE, metadata.get("name") or ""
    if kind_id == JOB_ID:
        return list_made_by_job(find_pod_spec(data), namespace)
    if kind_id == DEPLOYMENT_ID:
        return list_made_by_operator(find_pod_spec(data), namespace)
    if kind_id in ISTIO_KINDS:
        return [ISTIO_ROOT]
    return find_made_for(kind_id, namespace, name, data.get("spec"))


def list_made(objects: Iterable[Json]) -> list[tuple[Json, Made]]:
    """Everything that the objects bring with them, each once, with the first object that does."""
    found: dict[tuple[str, str, str], tuple[Json, Made]] = {}
    for data in objects:
        for made in find_made(data):
            found.setdefault((made.kind, made.namespace, made.name), (data, made))
    return list(found.values())


def tell_made(subject: str, made: Made) -> str:
    """How it is said: `Secret shop/web-cert (ca.crt, tls.crt, tls.key) is made by cert-manager for …`."""
    return f"{_name(made)} is made by {made.maker} for {subject}"


_MOST_NAMED = 5


def list_assumed_made(objects: Iterable[Json]) -> list[str]:
    """A line for each who is taken to be there and to make what nobody gives."""
    lines: dict[str, list[str]] = {}
    for data, made in list_made(objects):
        metadata = data.get("metadata") or {}
        place = f"{metadata.get('namespace') or DEFAULT_NAMESPACE}/{metadata.get('name')}"
        lines.setdefault(made.maker, []).append(f"{_name(made)} for {data.get('kind')} {place}")
    return [
        f"{maker} is taken to be there and to make {'; '.join(told[:_MOST_NAMED])}"
        + (f" and {len(told) - _MOST_NAMED} more" if len(told) > _MOST_NAMED else "")
        for maker, told in lines.items()
    ]


def _name(made: Made) -> str:
    is_everywhere = made.namespace == EVERYWHERE
    place = f"{made.name} of every namespace" if is_everywhere else f"{made.namespace}/{made.name}"
    others = ["whatever keys pods ask for"] if made.has_other_keys else []
    return f"{made.kind} {place} ({', '.join([*made.keys, *others])})"

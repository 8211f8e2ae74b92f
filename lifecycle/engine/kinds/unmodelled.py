"""Fields that Kubernetes acts on and the model does not yet: what is said when a manifest sets one.

One table. Whoever models a field takes its line away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..objects.pods.pod import POD_KIND
from ..objects.storage import CLAIM
from ..rules.nodes.host_paths import is_assumed
from .pod_specs import find_pod_spec
from .references import name_subject
from .registry import entry_of_json, kind_of_json

Json = Mapping[str, Any]
_MOUNTED = "is taken to be mounted at once, also where Kubernetes would not find it"
_EMPTY = "the volume is made empty"
_MOST_NAMES = 3
_OF_ADMISSION = ("admissionregistration.k8s.io", "apiextensions.k8s.io")
_FOREIGN_VOLUMES = (
    "csi", "nfs", "iscsi", "fc", "azureFile", "azureDisk", "cinder",
    "awsElasticBlockStore", "gcePersistentDisk", "vsphereVolume", "portworxVolume", "flexVolume",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unmodelled:
    """A field by its path, steps into lists written `[]`; of a kind, or of the pods of all kinds.

    `says`: what happens instead. `counts`: which values count, where not all do.
    """

    path: str
    says: str
    kind: str = POD_KIND.id
    counts: Callable[[Any], bool] = bool


def _is_localhost(profile: Any) -> bool:
    return isinstance(profile, Mapping) and profile.get("type") == "Localhost"


UNMODELLED = (
    Unmodelled("resourceClaims", "pods run without the devices they claim"),
    *(
        Unmodelled(f"{place}.{field}", "is taken to be on every node", counts=_is_localhost)
        for place in ("securityContext", "containers[].securityContext", "initContainers[].securityContext")
        for field in ("seccompProfile", "appArmorProfile")
    ),
    *(Unmodelled(f"volumes[].{source}", _MOUNTED) for source in _FOREIGN_VOLUMES),
    Unmodelled("volumes[].image", "the image is not pulled, and none of its files is there"),
    Unmodelled(
        "volumes[].hostPath", "what its type asks for is taken to be on every node", counts=is_assumed
    ),
    Unmodelled("spec.dataSource", _EMPTY, CLAIM),
    Unmodelled("spec.dataSourceRef", _EMPTY, CLAIM),
)


def list_unmodelled(objects: Iterable[Json]) -> list[str]:
    """One line for each such field that objects set, with who sets it; and what of those is not asked that
    would look at every write, and of the rules of definitions."""
    users: dict[Unmodelled, dict[str, None]] = {}
    unasked: list[str] = []
    for data in objects:
        entry = entry_of_json(data)
        if entry.kind.group in _OF_ADMISSION:
            subject = name_subject(data)
            unasked += [f"{subject}: {one.removeprefix(subject).lstrip()}" for one in entry.warn(data)]
        kind, pod = kind_of_json(data).id, find_pod_spec(data)
        for one in UNMODELLED:
            found = find_values(pod if one.kind == POD_KIND.id else data, one.path)
            if (one.kind == POD_KIND.id or one.kind == kind) and any(map(one.counts, found)):
                users.setdefault(one, {})[name_subject(data)] = None
    return [_describe(one, list(users[one])) for one in UNMODELLED if one in users] + unasked


def _describe(one: Unmodelled, users: list[str]) -> str:
    return f"{name_users(one.kind, one.path, users)}: not modelled yet, ignored: {one.says}"


def name_users(kind: str, path: str, users: list[str]) -> str:
    """A field with those who set it: `spec.resourceClaims (2 pod templates: Deployment web, Job work)`."""
    is_of_pods = kind == POD_KIND.id
    named = f"spec.{path}" if is_of_pods else f"{kind} {path}"
    count = f"{len(users)} pod template{'s' if len(users) > 1 else ''}: " if is_of_pods else ""
    names = ", ".join(users[:_MOST_NAMES]) + (", …" if len(users) > _MOST_NAMES else "")
    return f"{named} ({count}{names})"


def find_values(value: Any, path: str) -> Iterator[Any]:
    """All values at a path."""
    step, _, rest = path.partition(".")
    field = step.removesuffix("[]")
    found = value.get(field) if isinstance(value, Mapping) else None
    if found is None:
        return
    for one in found if field != step and isinstance(found, list) else (found,):
        if rest:
            yield from find_values(one, rest)
        else:
            yield one

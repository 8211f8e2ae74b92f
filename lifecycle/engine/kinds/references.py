"""What objects ask for by name, and which of that nobody has made.

Pods wait for it, or never come; those of a StatefulSet whose Service is missing have no names in DNS.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifecycle.lean_dataclasses import dataclass

from ..objects.names import ROOT_CA
from ..objects.storage import CLAIM, STORAGE_CLASS, VOLUME
from ..rules.makers.made import EVERYWHERE, Made
from ..rules.validation.classes import SYSTEM_CLASSES
from ..rules.volumes.sources import list_mounted_names
from .defaults import DEFAULT_NAMESPACE
from .makers import list_made
from .plain import PRIORITY_CLASS, RUNTIME_CLASS, SERVICE_ACCOUNT
from .pod_specs import find_pod_spec
from .registry import entry_of_json, kind_of_json
from .service import SERVICE
from .stateful_set import STATEFUL_SET

Json = Mapping[str, Any]
Reference = tuple[str, str, str]
"""A kind's id, a namespace ("" where its objects have none) and a name."""
CONFIG_MAP, SECRET = "ConfigMap", "Secret"
KINDS = (
    CONFIG_MAP,
    SECRET,
    SERVICE_ACCOUNT.id,
    CLAIM,
    STORAGE_CLASS,
    PRIORITY_CLASS.id,
    RUNTIME_CLASS.id,
    SERVICE.kind.id,
)
"""What may be missing."""
ASKERS = (CLAIM, VOLUME)
"""Of kinds without pods, those that ask for something, or stand for it."""
_EVERYWHERE = {(SERVICE_ACCOUNT.id, "default"), (CONFIG_MAP, ROOT_CA)}
_UNMOUNTED = ", not mounted"
_ALWAYS = {(PRIORITY_CLASS.id, "", name) for name in SYSTEM_CLASSES}


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is needed and not there; `needed_by` is who asks for it first, and `path` where."""

    kind: str
    namespace: str
    name: str
    needed_by: str
    path: str
    key: str = ""
    """The key that is missing, where the object is there."""

    def __str__(self) -> str:
        place = f"{self.namespace}/{self.name}" if self.namespace else self.name
        place += f", key {self.key}" if self.key else ""
        return f"{self.kind} {place}, wanted by {self.needed_by} ({self.path})"


def list_missing(objects: Iterable[Json], there: Iterable[Reference] = ()) -> list[Missing]:
    """Everything that the objects need and that is neither one of them nor `there`, each once."""
    objects = list(objects)
    given = {*there, *_ALWAYS, *map(refer_to, objects)}
    # A claim also binds to a volume that says its class, whether that class is an object or not.
    given |= {(STORAGE_CLASS, "", name) for name in map(find_class, objects) if name}
    made = [one for _, one in list_made(objects)]
    given |= {(one.kind, one.namespace, one.name) for one in made if one.creates}
    everywhere = _EVERYWHERE | {(one.kind, one.name) for one in made if one.namespace == EVERYWHERE}
    found: dict[Reference, Missing] = {}
    for data in objects:
        namespace, subject = _namespace_of(data), name_subject(data)
        for path, kind, name in _list_needs(data):
            where = "" if kind in (STORAGE_CLASS, PRIORITY_CLASS.id, RUNTIME_CLASS.id) else namespace
            asked = (kind, where, name)
            if asked in given or (kind, name) in everywhere:
                continue
            # Who cannot start without it is named rather than one who can.
            if asked not in found or found[asked].path.endswith(_UNMOUNTED):
                found[asked] = Missing(*asked, subject, path)
    return [*found.values(), *_list_missing_keys(objects, made)]


def refer_to(data: Json) -> Reference:
    """How others would refer to an object."""
    kind = kind_of_json(data)
    return kind.id, _namespace_of(data) if kind.namespaced else "", _metadata_of(data).get("name") or ""


def find_class(data: Json) -> str:
    """The storage class that a volume belongs to; "" for other objects."""
    is_volume = kind_of_json(data).id == VOLUME
    return str((data.get("spec") or {}).get("storageClassName") or "") if is_volume else ""


def _metadata_of(data: Json) -> Json:
    return data.get("metadata") or {}


def _namespace_of(data: Json) -> str:
    return _metadata_of(data).get("namespace") or DEFAULT_NAMESPACE


def name_subject(data: Json) -> str:
    """The object as people name it: `Deployment shop/web`; what it does not say is left out."""
    metadata = _metadata_of(data)
    name, namespace = metadata.get("name") or metadata.get("generateName") or "", metadata.get("namespace")
    return f"{data.get('kind')} {namespace + '/' if namespace else ''}{name}"


Need = tuple[str, str, str]
"""The path at which something is asked for, its kind and its name."""


def _list_needs(data: Json) -> Iterator[Need]:
    spec = data.get("spec")
    if kind_of_json(data).id == CLAIM and isinstance(spec, Mapping):
        yield from _of_claim(spec, "spec")
    path = entry_of_json(data).pod_spec_path
    if not path or not isinstance(spec, Mapping):
        return
    if kind_of_json(data).id == STATEFUL_SET.kind.id and spec.get("serviceName"):
        yield "spec.serviceName", SERVICE.kind.id, spec["serviceName"]
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        yield from _of_claim(claim.get("spec") or {}, f"spec.volumeClaimTemplates[{index}].spec")
    yield from _of_pod(find_pod_spec(data), ".".join(path))


def _of_claim(spec: Json, path: str) -> Iterator[Need]:
    if spec.get("storageClassName"):
        yield f"{path}.storageClassName", STORAGE_CLASS, spec["storageClassName"]


def _of_pod(spec: Json, path: str) -> Iterator[Need]:
    for field, kind in (
        # Two names of one field; the older one counts where the other is not given.
        ("serviceAccountName" if spec.get("serviceAccountName") else "serviceAccount", SERVICE_ACCOUNT.id),
        ("priorityClassName", PRIORITY_CLASS.id),
        ("runtimeClassName", RUNTIME_CLASS.id),
    ):
        if spec.get(field):
            yield f"{path}.{field}", kind, spec[field]
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if secret.get("name"):
            yield f"{path}.imagePullSecrets[{index}]", SECRET, secret["name"]
    mounted = list_mounted_names(spec)
    for index, volume in enumerate(spec.get("volumes") or ()):
        for place, kind, name in _of_volume(volume, f"{path}.volumes[{index}]"):
            stops_nothing = kind in (CONFIG_MAP, SECRET) and volume.get("name") not in mounted
            yield f"{place}{_UNMOUNTED}" if stops_nothing else place, kind, name
    for group in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(group) or ()):
            yield from _of_container(container, f"{path}.{group}[{index}]")


def _of_volume(volume: Json, path: str) -> Iterator[Need]:
    yield from _of_source(volume, path, "configMap", "secret")
    for index, source in enumerate((volume.get("projected") or {}).get("sources") or ()):
        yield from _of_source(source, f"{path}.projected.sources[{index}]", "configMap", "secret")
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
    if claim:
        yield f"{path}.persistentVolumeClaim", CLAIM, claim
    template = (volume.get("ephemeral") or {}).get("volumeClaimTemplate") or {}
    yield from _of_claim(template.get("spec") or {}, f"{path}.ephemeral.volumeClaimTemplate.spec")


def _of_container(container: Json, path: str) -> Iterator[Need]:
    for index, source in enumerate(container.get("envFrom") or ()):
        yield from _of_source(source, f"{path}.envFrom[{index}]", "configMapRef", "secretRef")
    for index, variable in enumerate(container.get("env") or ()):
        place = f"{path}.env[{index}].valueFrom"
        yield from _of_source(variable.get("valueFrom") or {}, place, "configMapKeyRef", "secretKeyRef")


def _of_source(source: Json, path: str, config: str, secret: str) -> Iterator[Need]:
    """A ConfigMap or Secret; one that is marked optional is not needed."""
    for kind, field in ((CONFIG_MAP, config), (SECRET, secret)):
        reference = source.get(field) or {}
        name = reference.get("name") or reference.get("secretName")
        if name and not reference.get("optional"):
            yield f"{path}.{field}", kind, name


Ask = tuple[str, str, str, str]
"""The path at which a key is asked for, the kind and name of what should hold it, and the key."""


def list_keys(data: Json) -> list[Ask]:
    """The keys of ConfigMaps and Secrets that the containers of an object cannot do without."""
    spec, path = find_pod_spec(data), ".".join(entry_of_json(data).pod_spec_path)
    return list(_list_keys(spec, path)) if spec else []


def _list_keys(spec: Json, path: str) -> Iterator[Ask]:
    for group in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(group) or ()):
            for number, variable in enumerate(container.get("env") or ()):
                place = f"{path}.{group}[{index}].env[{number}].valueFrom"
                source = variable.get("valueFrom") or {}
                for kind, field in ((CONFIG_MAP, "configMapKeyRef"), (SECRET, "secretKeyRef")):
                    reference = source.get(field) or {}
                    if reference.get("key") and not reference.get("optional"):
                        yield f"{place}.{field}", kind, reference.get("name") or "", reference["key"]
    for index, volume in enumerate(spec.get("volumes") or ()):
        for kind, field in ((CONFIG_MAP, "configMap"), (SECRET, "secret")):
            source = volume.get(field) or {}
            name = source.get("name") or source.get("secretName") or ""
            for number, item in enumerate(() if source.get("optional") else source.get("items") or ()):
                yield f"{path}.volumes[{index}].{field}.items[{number}]", kind, name, item.get("key") or ""


def _list_missing_keys(objects: list[Json], made: list[Made]) -> list[Missing]:
    """Keys that the given objects should hold and do not; each is named once."""
    held: dict[Reference, set[str]] = {}
    for data in objects:
        if kind_of_json(data).id in (CONFIG_MAP, SECRET):
            fields = (data.get(field) or {} for field in ("data", "stringData", "binaryData"))
            held[refer_to(data)] = {str(key) for field in fields for key in field}
    for one in made:
        keys = held.get((one.kind, one.namespace, one.name))
        # What somebody fills later is not known to lack anything.
        if keys is not None and one.joins:
            keys |= set(one.keys)
            if one.has_other_keys:
                del held[one.kind, one.namespace, one.name]
    found: dict[tuple[Reference, str], Missing] = {}
    for data in objects:
        namespace, subject = _namespace_of(data), name_subject(data)
        for path, kind, name, key in list_keys(data):
            keys = held.get((kind, namespace, name))
            if keys is not None and key not in keys:
                missing = Missing(kind, namespace, name, subject, path, key)
                found.setdefault(((kind, namespace, name), key), missing)
    return list(found.values())

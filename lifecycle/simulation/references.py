"""What pods ask for by name and nobody has given: their containers will wait for it, as in Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.input.manifests import Document

Reference = tuple[str, str, str]
"""(kind, namespace, name)"""


def list_missing(documents: Sequence[Document]) -> list[str]:
    """One line for each missing object: `ConfigMap default/settings, wanted by Deployment web`."""
    given = {_identify(document.data) for document in documents}
    found: dict[Reference, str] = {}
    for document in documents:
        namespace = (document.data.get("metadata") or {}).get("namespace") or "default"
        for spec in _find_pod_specs(document.data):
            for kind, name in _list_wanted(spec):
                reference = (kind, namespace, name)
                if reference not in given:
                    found.setdefault(reference, document.subject)
    return [f"{kind} {namespace}/{name}, wanted by {by}" for (kind, namespace, name), by in found.items()]


def _identify(data: Mapping[str, Any]) -> Reference:
    metadata = data.get("metadata") or {}
    return kind_of_json(data).id, metadata.get("namespace") or "default", metadata.get("name") or ""


def _find_pod_specs(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    spec = data.get("spec")
    if not isinstance(spec, Mapping):
        return
    if "containers" in spec:
        yield spec
    for name in ("template", "jobTemplate"):
        if isinstance(spec.get(name), Mapping):
            yield from _find_pod_specs(spec[name])


def _list_wanted(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, name) of all that must be there; references marked optional are not."""
    account = spec.get("serviceAccountName")
    if account and account != "default":
        yield "ServiceAccount", account
    for volume in spec.get("volumes") or ():
        yield from _of_volume(volume)
    for group in ("initContainers", "containers"):
        for container in spec.get(group) or ():
            for source in container.get("envFrom") or ():
                yield from _of_source(source, "configMapRef", "secretRef")
            for variable in container.get("env") or ():
                yield from _of_source(variable.get("valueFrom") or {}, "configMapKeyRef", "secretKeyRef")


def _of_volume(volume: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    parts = (volume, *((volume.get("projected") or {}).get("sources") or ()))
    for part in parts:
        config, secret = part.get("configMap") or {}, part.get("secret") or {}
        if config.get("name") and not config.get("optional"):
            yield "ConfigMap", config["name"]
        name = secret.get("secretName") or secret.get("name")
        if name and not secret.get("optional"):
            yield "Secret", name
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
    if claim:
        yield "PersistentVolumeClaim", claim


def _of_source(source: Mapping[str, Any], config: str, secret: str) -> Iterator[tuple[str, str]]:
    for kind, field in (("ConfigMap", config), ("Secret", secret)):
        reference = source.get(field) or {}
        if reference.get("name") and not reference.get("optional"):
            yield kind, reference["name"]

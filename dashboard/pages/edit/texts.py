"""An object as the YAML that is edited, and what was written read back and judged, as `kubectl edit` does.

What only the cluster writes (the status, and of the metadata what the API server keeps) is left out of the
text. The API ignores it where it is written all the same, and so is done here, and said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core import signing

from lifecycle.engine.objects.shortened import shorten
from lifecycle.engine.schema.decode import drop_nulls
from lifecycle.engine.schema.paths import Path, format_path
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.exports import OF_SERVER
from lifecycle.input.manifest_admission import gates_of, list_problems
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.schema import check_document
from lifecycle.lean_dataclasses import replace
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import read_release

Json = Mapping[str, Any]
STATUS, UID = "status", "uid"
OF_CONTROLLERS = "deployment.kubernetes.io/"
"""Annotations that a controller writes: nobody's to edit."""
FIXED: tuple[Path, ...] = (
    ("apiVersion",),
    ("kind",),
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", UID),
)
"""What makes it this object and no other."""
SALT = "edit"


class NotAsGiven(ValueError):
    """What says how the object was when its editor was opened is not what was given then."""


@dataclass(frozen=True, slots=True)
class Written:
    """`document`: the object as it would be sent, with the lines of its text. `ignored`: what is not."""

    document: Document
    ignored: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        return self.document.data


def show_editable(data: Json) -> dict[str, Any]:
    """An object without what only the cluster writes."""
    meta = {name: value for name, value in _metadata_of(data).items() if name not in OF_SERVER}
    if "annotations" in meta:
        meta["annotations"] = {
            name: value for name, value in meta["annotations"].items() if not name.startswith(OF_CONTROLLERS)
        }
        if not meta["annotations"]:
            del meta["annotations"]
    return {name: meta if name == "metadata" else value for name, value in data.items() if name != STATUS}


def seal(cluster: Cluster, stored: StoredObject) -> str:
    """What a page keeps of the object as it is now; nobody else can make one."""
    return signing.dumps([cluster.pk, stored.uid, show_editable(stored.data)], salt=SALT, compress=True)


def unseal(cluster: Cluster, sealed: str) -> tuple[str, Json]:
    """The uid of the object and how it was when it was sealed. Raises NotAsGiven."""
    try:
        of_cluster, uid, data = signing.loads(sealed, salt=SALT)
    except signing.BadSignature:
        raise NotAsGiven from None
    if of_cluster != cluster.pk:
        raise NotAsGiven
    return uid, data


def read_written(text: str, cluster: Cluster, stored: StoredObject) -> Written:
    """The object that the text describes. Raises ManifestError with every problem, each at its line."""
    text = text.replace("\r\n", "\n")
    budget = Budget(settings.UPLOAD_MAX_VALUES)
    documents = read_documents(text, limit_bytes=settings.UPLOAD_MAX_BYTES, budget=budget)
    if len(documents) != 1:
        remedy = "leave the one that is edited; more are applied on the cluster's page"
        raise ManifestError([Problem(f"the text holds {len(documents)} objects", remedy)])
    document, release = documents[0], read_release(cluster)
    problems = check_document(document, release) or list(_list_moved(document, stored.data))
    if problems:
        raise ManifestError(problems)
    data = drop_nulls(document.data, release)
    sent = _make_sent(data, stored.data)
    whole = {**sent, "metadata": {**_server_metadata(stored.data), **sent["metadata"]}}
    if STATUS in stored.data:
        whole[STATUS] = stored.data[STATUS]
    problems = list_problems(replace(document, data=whole), gates_of(cluster.settings), stored.data)
    if problems:
        raise ManifestError(problems)
    return Written(replace(document, data=sent), tuple(_list_ignored(data)))


def add_version(sent: Json, stored: StoredObject) -> dict[str, Any]:
    """What is sent to take the place of this version of the object, and of no other."""
    version = stored.data["metadata"]["resourceVersion"]
    return {**sent, "metadata": {**sent["metadata"], UID: stored.uid, "resourceVersion": version}}


def _list_moved(document: Document, stored: Json) -> Iterator[Problem]:
    """Where the text has become that of another object."""
    for path in FIXED:
        given, kept = _dig(document.data, path), _dig(stored, path)
        # Who leaves out the namespace or the uid means the object's own.
        is_left_out = given is None and path[-1] in ("namespace", UID)
        if given != kept and not is_left_out:
            message = f"must stay {kept}, not {shorten(given)}" if kept else "has no place here"
            yield document.problem(path, message, "another object is applied on the cluster's page")


def _list_ignored(data: Json) -> Iterator[str]:
    if data.get(STATUS):
        yield STATUS
    for name in _metadata_of(data):
        if name in OF_SERVER and name != UID:
            yield format_path(("metadata", name))


def _make_sent(data: Json, stored: Json) -> dict[str, Any]:
    """Without what is ignored, with what a controller wrote and nobody was shown."""
    meta = {name: value for name, value in _metadata_of(data).items() if name not in OF_SERVER}
    if namespace := _metadata_of(stored).get("namespace"):
        meta["namespace"] = namespace
    kept = {
        name: value
        for name, value in (_metadata_of(stored).get("annotations") or {}).items()
        if name.startswith(OF_CONTROLLERS)
    }
    if annotations := {**(meta.get("annotations") or {}), **kept}:
        meta["annotations"] = annotations
    return {**{name: value for name, value in data.items() if name != STATUS}, "metadata": meta}


def _server_metadata(data: Json) -> dict[str, Any]:
    return {name: value for name, value in _metadata_of(data).items() if name in OF_SERVER}


def _metadata_of(data: Json) -> Mapping[str, Any]:
    return data.get("metadata") or {}


def _dig(data: Any, path: Path) -> Any:
    for step in path:
        data = data.get(step) if isinstance(data, Mapping) else None
    return data

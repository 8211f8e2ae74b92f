"""What became of the manifests somebody brought, told before anything is applied."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.conf import settings

from lifecycle.engine.kinds.assumed_storage import list_assumed_storage
from lifecycle.engine.kinds.gated_fields import list_dropped
from lifecycle.engine.kinds.makers import list_assumed_made
from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.plain import CONTAINER_PROFILE, KUBELET_CONFIGURATION
from lifecycle.engine.kinds.pod_specs import find_pod_metadata, find_pod_spec
from lifecycle.engine.kinds.references import list_missing
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.kinds.unmodelled import list_unmodelled
from lifecycle.engine.programs.told import (
    list_api_callers,
    list_assumed_images,
    list_created,
    list_guesses,
    list_unread,
)
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.manifest_admission import gates_of, list_problems
from lifecycle.input.manifests import Document, name_object
from lifecycle.input.problems import Problem, Skipped, list_names
from lifecycle.input.reading import Batch, read_batches
from lifecycle.input.reading import Report as FilesReport
from lifecycle.input.scenario import is_scenario
from lifecycle.input.stored_only import list_stored_only
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import read_release
from lifecycle.recorded.objects import list_classes, list_profiles, list_there
from lifecycle.simulation.plan import list_new_namespaces, list_unremembered, make_namespace
from lifecycle.stored_kinds import of_kind

MOST_OBJECTS = 5_000
MOST_SHOWN = 200
MOST_IMAGES = 50
"""So many problems are written out."""
MISSING = "Missing"


@dataclass(frozen=True, slots=True)
class Section:
    """Something to know before applying: what it is about, and one line for each thing."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """`documents`: what is right, in the order in which to apply it. `digest`: of all that was given."""

    digest: str
    documents: tuple[Document, ...]
    refused: tuple[Problem, ...]
    skipped: tuple[Skipped, ...]
    sections: tuple[Section, ...]
    added: tuple[dict[str, Any], ...] = ()
    """Objects that nobody gave and the right ones need: they are created first."""
    images: tuple[str, ...] = ()
    """Images of which nobody says how they behave: they are assumed to start and to answer."""

    @property
    def file_count(self) -> int:
        """Files that objects are taken from; 0 for a text that was pasted."""
        return len({document.source for document in self.documents if document.source})

    @property
    def refused_count(self) -> int:
        """Objects and files with something wrong, however many things."""
        return len({(problem.source, problem.document, problem.subject) for problem in self.refused})


def read_report(cluster: Cluster, batches: Sequence[Batch]) -> Report:
    """Read what was given and judge each object as the cluster's API server would; nothing is applied."""
    release = read_release(cluster)
    reading = read_batches(batches, budget=Budget(settings.UPLOAD_MAX_VALUES), release=release)
    right, refused, unused = _judge(reading.documents, gates_of(cluster.settings))
    added = _list_added(cluster, right)
    objects = [document.data for document in right]
    pods, profiles = list_pods(cluster, objects)
    guesses = list_guesses(pods, profiles)
    remarks = list_remarks(cluster, objects) | {
        "Assumed": [*_tell_added(added), *reading.report.assumed, *guesses, *list_unremembered(right)],
        "Left out": tell_left(reading.report.left),
    }
    return Report(
        digest=_digest(batches),
        documents=tuple(right),
        refused=tuple(sorted([*reading.report.refused, *refused], key=lambda problem: problem.place)),
        skipped=(*reading.report.skipped, *unused),
        sections=tuple(Section(title, tuple(lines)) for title, lines in remarks.items() if lines),
        added=tuple(added),
        images=tuple(list_assumed_images(pods, profiles)[:MOST_IMAGES]),
    )


def _judge(
    documents: Sequence[Document], gates: Mapping[str, bool]
) -> tuple[list[Document], list[Problem], list[Skipped]]:
    """What is right, what is wrong with the others, and what is of no use to a cluster that lives."""
    if len(documents) > MOST_OBJECTS:
        message = f"{len(documents):,} objects are more than the {MOST_OBJECTS:,} that are applied at once"
        return [], [Problem(message, "give them in parts")], []
    right: list[Document] = []
    refused: list[Problem] = []
    unused: list[Skipped] = []
    for document in documents:
        if why := _find_other_use(document):
            name = f"{document.source}: {document.subject}" if document.source else document.subject
            unused.append(Skipped(name, why))
        elif problems := list_problems(document, gates):
            refused += problems
        else:
            right.append(document)
    return right, refused, unused


def list_remarks(cluster: Cluster, objects: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What is said of the objects that are right, under headings; another kind of remark is a line here."""
    created = list_created(objects, list_profiles(cluster))
    missing = list_missing(objects, [*list_there(cluster), *created])
    return {
        MISSING: [str(one) for one in missing],
        "Stored only": list_stored_only(objects),
        "Not acted on yet": list_unmodelled(objects),
        "Dropped": list_dropped(objects, gates_of(cluster.settings)),
        "Scripts that are not interpreted": list_unread(objects, list_profiles(cluster)),
        "Made by operators and Jobs, as is assumed": list_assumed_made(objects),
        "Programs that may call the API": list_api_callers(objects, list_profiles(cluster)),
        "Storage that is taken to be there": list_assumed_storage([*objects, *list_classes(cluster)]),
    }


def list_pods(
    cluster: Cluster, objects: Sequence[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[Any]]:
    """The pods that these objects are or make, and the profiles that will be there."""
    profiles = [one for one in objects if kind_of_json(one).id == CONTAINER_PROFILE.id]
    pods = [{"metadata": find_pod_metadata(one), "spec": find_pod_spec(one)} for one in objects]
    return pods, [*profiles, *list_profiles(cluster)]


def _find_other_use(document: Document) -> str:
    """Why a document is for `simulate` alone; "" when it is for a cluster that lives."""
    if is_scenario(document):
        return "a Scenario is played by `manage.py simulate`"
    if kind_of_json(document.data).id == KUBELET_CONFIGURATION.id:
        return "kubelets are configured when their cluster is made"
    return ""


def _list_added(cluster: Cluster, right: Sequence[Document]) -> list[dict[str, Any]]:
    """The namespaces that are named and neither given nor there."""
    there = StoredObject.objects.filter(of_kind(NAMESPACE.kind.id), cluster=cluster, deleted_ms__isnull=True)
    known = set(there.values_list("name", flat=True))
    return [make_namespace(name) for name in list_new_namespaces(right) if name not in known]


def _tell_added(added: Iterable[dict[str, Any]]) -> list[str]:
    return [f"{name_object(one)} is named but neither given nor there: it is created first" for one in added]


def list_file_remarks(report: FilesReport) -> list[Section]:
    """What only the reading of files tells: what it took for granted, left out and skipped."""
    skipped = [f"{one.name}: {one.why}{f'; {one.remedy}' if one.remedy else ''}" for one in report.skipped]
    told = {"Assumed": report.assumed, "Left out": tell_left(report.left), "Skipped": skipped}
    return [Section(title, tuple(lines)) for title, lines in told.items() if lines]


def tell_left(left: Iterable[Skipped]) -> list[str]:
    """Once for each reason: a dump may hold hundreds of pods that their owners will make again."""
    names_by_why: dict[str, list[str]] = {}
    for one in left:
        names_by_why.setdefault(one.why, []).append(one.name)
    return [f"{list_names(names)}: {why}" for why, names in names_by_why.items()]


def _digest(batches: Iterable[Batch]) -> str:
    """The same for the same files, so that what is applied is what was told."""
    digest = sha256()
    for batch in batches:
        files = batch.files if batch.given is None else batch.given
        for name, content in (("", batch.name), *files.items()):
            for part in (name, content):
                raw = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
                digest.update(b"%d:" % len(raw) + raw)
    return digest.hexdigest()

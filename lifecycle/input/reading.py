"""Files in, objects out, and a report of what became of everything: the one way in of every surface.

A folder, an upload and an archive are all a mapping of relative paths to bytes. Of such a folder, files that
hold no manifest are skipped; files given by name are taken in their order and must be manifests. Of a folder,
and of a file, Namespaces go first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from lifecycle.engine.kinds.namespace import NAMESPACE
from lifecycle.engine.kinds.plain import KUBELET_CONFIGURATION
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.objects.names import DEFINITION
from lifecycle.engine.releases.known import DEFAULT_RELEASE, find_release
from lifecycle.engine.releases.release import Release
from lifecycle.engine.rules.custom_resources.definition import Definition
from lifecycle.engine.schema.check import find_type_problems, is_of_tool_group
from lifecycle.engine.schema.decode import drop_nulls
from lifecycle.engine.schema.tables import is_known_kind
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.chart_hooks import hint_namespace, sort_out_hooks
from lifecycle.input.custom_resources import check_custom, find_definitions
from lifecycle.input.exports import clean
from lifecycle.input.folders import NO_OBJECT, sort_out
from lifecycle.input.manifests import FILE_LIMIT_BYTES, Document, read_documents
from lifecycle.input.problems import ManifestError, Problem, Skipped, list_names
from lifecycle.input.scenario import is_scenario
from lifecycle.input.schema import check_document
from lifecycle.lean_dataclasses import dataclass, field, replace
from lifecycle.lean_tuples import NamedTuple

CLUSTER_WIDE = {
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("certificates.k8s.io", "ClusterTrustBundle"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "ResourceSlice"),
}
"""Kinds of Kubernetes that stand in no namespace, beside those the registry knows."""
KUSTOMIZE = "kustomize.config.k8s.io"


class Head(NamedTuple):
    """What an object says it is, whatever became of it."""

    api_version: str
    kind: str
    subject: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Files given together. `name`: what people call the folder. `unreadable`: files that gave no bytes.

    `notes`: what people are to know of how the files came to be. `given`: what they were rendered from, where
    that was brought: it stays what it is, whatever a chart makes up in rendering.
    """

    files: Mapping[str, str | bytes]
    name: str = ""
    is_folder: bool = False
    unreadable: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    given: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What became of the input.

    `taken`: (file, object). `skipped`: files that hold no manifest. `left`: objects that others will make.
    """

    taken: tuple[tuple[str, str], ...] = ()
    skipped: tuple[Skipped, ...] = ()
    left: tuple[Skipped, ...] = ()
    refused: tuple[Problem, ...] = ()
    assumed: tuple[str, ...] = ()

    def list_notes(self) -> list[str]:
        """What people are to know of the input: all that is skipped in one line, and what to give instead."""
        notes = []
        if self.skipped:
            names = list_names([f"{one.name} ({one.why})" for one in self.skipped])
            notes.append(f"skipped, no manifests: {names}")
        notes += _list_remedies(self.skipped)
        names_by_why: dict[str, list[str]] = {}
        for one in self.left:
            names_by_why.setdefault(one.why, []).append(one.name)
        notes += [f"left out {list_names(names)}: {why}" for why, names in names_by_why.items()]
        return notes + list(self.assumed)


@dataclass(frozen=True, slots=True)
class Reading:
    """The objects of an input, each structurally sound, in the order in which to apply them.

    `lenient`: the files of folders, of which what is right may be taken without what is wrong.
    """

    documents: tuple[Document, ...]
    report: Report
    lenient: frozenset[str] = frozenset()
    heads: tuple[Head, ...] = ()

    def require_sound(self) -> list[Document]:
        """The objects, if all is well. Raises ManifestError with everything that was refused."""
        if self.report.refused:
            raise ManifestError(list(self.report.refused))
        return list(self.documents)


def _list_remedies(skipped: Iterable[Skipped]) -> list[str]:
    """For each reason what to do, spelled out for the first that is skipped for it."""
    remedies: dict[str, list[str]] = {}
    for one in skipped:
        if one.remedy:
            remedies.setdefault(one.why, []).append(one.remedy)
    return [
        f"{why}: {texts[0]}" + (f", and so for {len(texts) - 1} more" if len(texts) > 1 else "")
        for why, texts in remedies.items()
    ]


def read_batches(
    batches: Iterable[Batch],
    namespace: str = "",
    limit_bytes: int = FILE_LIMIT_BYTES,
    budget: Budget | None = None,
    hooks: str = "install",
    release: Release | None = None,
) -> Reading:
    """Read everything that was given. `namespace`: where objects without one go, as with `helm -n`.

    `hooks`: which hooks of a chart there are, by PHASES. `budget`: how many values of YAML may be read in
    all. `release`: whose fields there are; None: that of the Scenario among them, else the default one.
    Nothing is raised for what is wrong: it is in the report, beside what is not.
    """
    gathered = _gather(batches, limit_bytes, budget)
    skipped, problems, lenient = gathered.skipped, gathered.problems, gathered.lenient
    documents, left, assumed = clean(gathered.documents)
    assumed = [*gathered.notes, *assumed]
    documents, others = sort_out_hooks(documents, hooks)
    release = release or _find_release(documents)
    left = [*left, *others]
    cluster_wide, definitions = _list_cluster_wide(documents), find_definitions(documents)
    taken: list[Document] = []
    for document in documents:
        wrong = _check(document, release, definitions)
        if wrong and _is_setting(document):
            # What is left would be another run than was asked for.
            lenient.discard(document.source)
        if not wrong and namespace and not _is_cluster_wide(document, cluster_wide):
            document = _place(document, namespace)
        problems += wrong
        if not wrong:
            taken.append(replace(document, data=drop_nulls(document.data, release)))
    if not namespace:
        placed = [document for document in taken if not _is_cluster_wide(document, cluster_wide)]
        assumed = [*assumed, *hint_namespace(placed)]
    if not documents and not problems:
        why = "none of what was given is a manifest" if skipped or left else "what was given is empty"
        remedy = f"{why}: give one with apiVersion, kind and metadata"
        problems.append(Problem("no objects passed to apply", remedy))
    report = Report(
        tuple((document.source, document.subject) for document in taken),
        tuple(skipped),
        tuple(left),
        tuple(problems),
        tuple(assumed),
    )
    return Reading(tuple(taken), report, frozenset(lenient), _list_heads(documents))


def _list_heads(documents: Iterable[Document]) -> tuple[Head, ...]:
    heads = ((one.data.get("apiVersion"), one.data.get("kind"), one.subject) for one in documents)
    return tuple(Head(str(version), str(kind), subject) for version, kind, subject in heads)


def _check(document: Document, release: Release, definitions: Mapping[str, Definition]) -> list[Problem]:
    """What is wrong with one object: the first that is looked for and found."""
    wrong = _refuse_encrypted(document) or check_document(document, release)
    return wrong or check_custom(document, definitions)


def _find_release(documents: Iterable[Document]) -> Release:
    """What a Scenario says, where that can be read: who reads the whole of it complains."""
    for document in filter(is_scenario, documents):
        spec = document.data.get("spec")
        asked = spec.get("kubernetes") if isinstance(spec, Mapping) else None
        with suppress(ValueError):
            return find_release(asked) if isinstance(asked, str) else DEFAULT_RELEASE
    return DEFAULT_RELEASE


@dataclass(slots=True)
class _Gathered:
    """What stands in all that was given. `lenient`: the files whose other objects may go on alone."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lenient: set[str] = field(default_factory=set)


def _gather(batches: Iterable[Batch], limit_bytes: int, budget: Budget | None) -> _Gathered:
    gathered, moved = _Gathered(), list[str]()
    for batch in batches:
        wrong = list(batch.unreadable)
        found = list(_read_batch(batch, limit_bytes, budget, gathered.skipped, wrong))
        gathered.documents += _in_order(found)
        gathered.problems += wrong
        gathered.notes += batch.notes
        if batch.is_folder:
            gathered.lenient |= {one.source for one in found} | {problem.source for problem in wrong}
        else:
            moved += _tell_moved(found)
    gathered.notes += moved
    return gathered


def _read_batch(
    batch: Batch,
    limit_bytes: int,
    budget: Budget | None,
    skipped: list[Skipped],
    problems: list[Problem],
) -> Iterator[Document]:
    files = batch.files
    if batch.is_folder:
        found = sort_out(files, batch.name)
        files = dict(found.files)
        skipped += found.skipped
    for source, content in files.items():
        try:
            documents = read_documents(content, source, limit_bytes, budget)
        except ManifestError as error:
            problems += error.problems
            continue
        why = _find_reason(documents) if batch.is_folder else ""
        if why:
            skipped.append(Skipped(source, why))
            continue
        problems += [_refuse_tool(document) for document in documents if is_of_tool(document.data)]
        yield from (document for document in documents if not is_of_tool(document.data))


def _find_reason(documents: list[Document]) -> str:
    """Why a file of a folder holds no manifest, now that it is read; "" for one that may."""
    if not any({"apiVersion", "kind"} <= document.data.keys() for document in documents):
        return NO_OBJECT
    is_of_tools = all(is_of_tool(document.data) for document in documents)
    return "configuration of a tool" if is_of_tools else ""


def is_of_tool(data: Mapping[str, Any]) -> bool:
    """Whether it looks like an object, and is one that no API server was ever sent: by its group or name.

    kind's `Cluster`, IstioOperator, an audit Policy, kustomize's Kustomization, skaffold's Config.
    """
    # What is of no kind that could be is refused as such.
    if find_type_problems(data):
        return is_of_tool_group(data)
    if is_known_kind(data["apiVersion"], data["kind"]):
        return False
    metadata = data.get("metadata")
    named = metadata if isinstance(metadata, Mapping) else {}
    return data["apiVersion"].startswith(f"{KUSTOMIZE}/") or not (
        named.get("name") or named.get("generateName")
    )


def _refuse_tool(document: Document) -> Problem:
    api_version, kind = document.data["apiVersion"], document.data["kind"]
    if api_version.startswith(f"{KUSTOMIZE}/"):
        remedy = "run `kubectl kustomize` on its folder and give the result"
        return document.problem(("kind",), f"a {kind} of kustomize is no API object", remedy)
    message = f"{kind} of {api_version} is no API object"
    if find_type_problems(document.data):
        return document.problem(("apiVersion",), f"{message}: its group has no dot", "leave it out")
    return document.problem(
        ("metadata", "name"), f"{message}: it has no name", "leave it out, or give it a name"
    )


def _in_order(documents: list[Document]) -> list[Document]:
    """Namespaces first; all else keeps the order of the files."""
    return sorted(documents, key=lambda document: not _is_namespace(document))


def _is_namespace(document: Document) -> bool:
    return kind_of_json(document.data).id == NAMESPACE.kind.id


def _tell_moved(documents: list[Document]) -> list[str]:
    """Of one file the Namespaces below what is to stand in them: kubectl would refuse that."""
    named: set[str] = set()
    late: list[str] = []
    for document in documents:
        metadata = document.data.get("metadata")
        metadata = metadata if isinstance(metadata, Mapping) else {}
        if _is_namespace(document) and metadata.get("name") in named:
            late.append(str(metadata["name"]))
        named.add(str(metadata.get("namespace")))
    said = (
        "made first, though below what stands in it: kubectl apply goes from top to bottom and refuses that"
    )
    return [f"Namespace {name} is {said}" for name in late]


def _refuse_encrypted(document: Document) -> list[Problem]:
    """A file that SOPS has encrypted names its keys, and how, beside the object's own fields."""
    sops = document.data.get("sops")
    if not (isinstance(sops, Mapping) and {"mac", "version", "lastmodified"} & sops.keys()):
        return []
    remedy = f"decrypt it first (sops -d {document.source or 'FILE'}) and give the result"
    return [document.problem(("sops",), "encrypted with SOPS", remedy)]


def _list_cluster_wide(documents: Iterable[Document]) -> set[tuple[str, str]]:
    """(group, kind) of custom resources that are cluster-scoped, by the definitions among the documents."""
    found = set(CLUSTER_WIDE)
    for document in documents:
        spec = document.data.get("spec")
        if kind_of_json(document.data).id != DEFINITION or not isinstance(spec, Mapping):
            continue
        names = spec.get("names")
        if spec.get("scope") == "Cluster" and isinstance(names, Mapping):
            found.add((str(spec.get("group")), str(names.get("kind"))))
    return found


def _is_cluster_wide(document: Document, cluster_wide: set[tuple[str, str]]) -> bool:
    """Whether it stands in no namespace; settings of a run are no objects at all."""
    kind = kind_of_json(document.data)
    return _is_setting(document) or not kind.namespaced or (kind.group, kind.name) in cluster_wide


def _is_setting(document: Document) -> bool:
    return is_scenario(document) or kind_of_json(document.data).id == KUBELET_CONFIGURATION.id


def _place(document: Document, namespace: str) -> Document:
    """An object in the namespace that was asked for; one that names another stays there, as with Helm."""
    metadata = document.data.get("metadata") or {}
    if metadata.get("namespace"):
        return document
    return replace(document, data={**document.data, "metadata": {**metadata, "namespace": namespace}})

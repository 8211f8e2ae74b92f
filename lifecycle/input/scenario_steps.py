"""The steps of a scenario: each becomes one command at its instant, and commands become steps again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lifecycle.engine.api.context import COMPONENTS
from lifecycle.engine.api.patching.patches import APPLY, PATCH_TYPES
from lifecycle.engine.api.requests import SUBRESOURCES
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.kinds.entry import PAUSE, RESTART, RESUME, UNDO, KindEntry
from lifecycle.engine.kinds.registry import find_kind, list_entries, name_kind
from lifecycle.engine.kubelet.components import DOWN
from lifecycle.engine.kubelet.faults import NODE_FAULTS
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.propagation import BACKGROUND, ORPHAN, PROPAGATIONS
from lifecycle.engine.schema.decode import drop_nulls
from lifecycle.engine.schema.paths import Path
from lifecycle.engine.schema.scalars import describe
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.schema import check_document, find_head_problems
from lifecycle.lean_dataclasses import dataclass, field

Payload = dict[str, Any]

ROLLOUT_ACTIONS = (RESTART, PAUSE, RESUME, UNDO)
# What is applied is a step of its own.
_PATCH_TYPES = tuple(one for one in PATCH_TYPES if one != APPLY)


@dataclass(frozen=True, slots=True)
class Step:
    """One command at one instant. `refused`: a text its refusal must hold, "" for any; None: must succeed."""

    at_ms: int
    kind: str
    payload: Payload
    path: Path = ()
    refused: str | None = None


@dataclass(slots=True)
class StepReader:
    """Reads the entries of `spec.steps`, collecting what is wrong with them."""

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def read(self, entry: Mapping[str, Any], path: Path) -> Iterator[Step]:
        """The steps of one entry: one, or one for each object of an `apply`."""
        at_ms = self.duration(entry.get("at"), (*path, "at"))
        refused = entry.get("refused")
        if refused is not None and not isinstance(refused, str):
            message = f"must be a part of the answer's text, not {describe(refused)}"
            self.complain((*path, "refused"), message)
        names = [name for name in entry if name not in ("at", "refused")]
        if len(names) != 1 or names[0] not in READERS:
            known = ", ".join(READERS)
            said = ", ".join(names) or "nothing"
            self.complain(path, f"a step says one thing to do, not {said}", f"one of: {known}")
            return
        name, place = names[0], (*path, names[0])
        for kind, payload in READERS[name](self, entry[name], place):
            yield Step(at_ms or 0, kind, payload, place, refused)

    def duration(self, value: Any, path: Path) -> int | None:
        """Milliseconds of `90s`; complains and gives None for anything that is no duration."""
        found = read_duration_ms(value) if isinstance(value, str) or value == 0 else None
        if found is None:
            self.complain(path, f"must be a duration, not {describe(value)}", 'such as "90s" or "2m30s"')
        return found

    def complain(self, path: Path, message: str, remedy: str = "") -> None:
        self.problems.append(self.document.problem(path, message, remedy))

    def list_objects(self, value: Mapping[str, Any] | str, path: Path) -> list[Document]:
        """An object given as a mapping, or those of manifests given as text. Raises ManifestError."""
        if isinstance(value, str):
            return read_documents(value)
        written = self.document
        place = (*written.prefix, *path)
        return [Document(dict(value), written.number, written.source, written.node, place)]

    def send(self, document: Document) -> Payload:
        """How an object gets to an API server, which is asked to be as strict as kubectl asks.

        What is wrong with its fields is told by that, when its time comes: a refusal is part of the run. Only
        what is of no kind never gets that far.
        """
        head = find_head_problems(document)
        self.problems += head
        if head or check_document(document):
            return {"object": document.data, "fieldValidation": "Strict"}
        return {"object": drop_nulls(document.data)}

    def fields(self, value: Any, path: Path, /, **types: type | tuple[type, ...]) -> Payload:
        """A mapping with these fields; a name ending in `_` must be given. Complains about all others."""
        if not isinstance(value, Mapping):
            self.complain(path, f"must be a mapping, not {describe(value)}")
            return {}
        wanted = {name.rstrip("_"): kind for name, kind in types.items()}
        for name, item in value.items():
            if name not in wanted:
                self.complain(
                    (*path, name), f'unknown field "{name}"', f"fields here are: {', '.join(wanted)}"
                )
            elif not isinstance(item, wanted[name]) or (isinstance(item, bool) and wanted[name] is int):
                self.complain((*path, name), f"has the wrong type: {describe(item)}")
        for name in types:
            if name.endswith("_") and name.rstrip("_") not in value:
                self.complain(path, f"{name.rstrip('_')} is missing")
        return {name: item for name, item in value.items() if name in wanted}

    def choice(self, value: Any, choices: tuple[str, ...], path: Path) -> None:
        if value is not None and value not in choices:
            self.complain(path, f"must be one of {', '.join(choices)}, not {describe(value)}")

    def target(self, value: Any, path: Path, kinds: Sequence[Kind]) -> tuple[Payload, dict[str, Any]]:
        """The object a step names by its kind (`deployment: web`), and the step's other fields."""
        if not isinstance(value, Mapping):
            self.complain(path, f"must be a mapping, not {describe(value)}")
            return {}, {}
        by_word = {word: kind for kind in kinds for word in kind.words}
        found = [name for name in value if name.lower() in by_word]
        if len(found) != 1:
            self.complain(path, "must name one object", f"such as {kinds[0].words[0]}: web")
            return {}, {}
        rest = {name: item for name, item in value.items() if name not in (found[0], "namespace")}
        kind = by_word[found[0].lower()]
        return {"kind": kind.id, **_address(value, kind), "name": str(value[found[0]])}, rest

    def named(self, value: Any, path: Path, **types: type | tuple[type, ...]) -> Payload:
        """An object named by `kind`, `name` and `namespace`, and the step's other fields.

        A custom one says its `apiVersion` too, or its kind in full.
        """
        found = self.fields(value, path, kind_=str, name_=str, namespace=str, apiVersion=str, **types)
        word = found.get("kind") or ""
        kind = name_kind(found, ()) if found.pop("apiVersion", None) else find_kind(word)
        if word and kind is None:
            self.complain((*path, "kind"), f'there is no kind "{word}"', "a custom one needs its apiVersion")
        return found | {"kind": kind.id if kind else "", **_address(found, kind)}


def _address(value: Mapping[str, Any], kind: Kind | None) -> Payload:
    if kind is not None and not kind.namespaced:
        return {"namespace": None}
    return {"namespace": str(value.get("namespace") or "default")}


def _list_kinds(is_meant: Callable[[KindEntry], object]) -> list[Kind]:
    return [entry.kind for entry in list_entries() if is_meant(entry)]


Commands = Iterator[tuple[str, Payload]]


def _set_image(reader: StepReader, value: Any, path: Path) -> Commands:
    target, rest = reader.target(value, path, _list_kinds(lambda entry: entry.pod_spec_path))
    yield "setImage", target | reader.fields(rest, path, container_=str, image_=str)


def _scale(reader: StepReader, value: Any, path: Path) -> Commands:
    target, rest = reader.target(value, path, _list_kinds(lambda entry: entry.replicas_path))
    yield "scale", target | reader.fields(rest, path, replicas_=int)


def _patch(reader: StepReader, value: Any, path: Path) -> Commands:
    found = reader.named(value, path, type=str, patch_=(dict, list), subresource=str)
    reader.choice(found.get("type"), _PATCH_TYPES, (*path, "type"))
    reader.choice(found.get("subresource"), SUBRESOURCES, (*path, "subresource"))
    yield "patch", {"type": "strategic", **found}


def _delete(reader: StepReader, value: Any, path: Path) -> Commands:
    found = reader.named(
        value,
        path,
        gracePeriodSeconds=int,
        propagationPolicy=str,
        force=bool,
        preconditions=dict,
        options=(dict, type(None)),
    )
    reader.choice(found.get("propagationPolicy"), PROPAGATIONS, (*path, "propagationPolicy"))
    _check_preconditions(reader, found, path)
    if isinstance(found.get("options"), Mapping):
        found |= _read_options(reader, found, (*path, "options"))
    yield "delete", found


def _check_preconditions(reader: StepReader, found: Payload, path: Path) -> None:
    if "preconditions" in found:
        reader.fields(found["preconditions"], (*path, "preconditions"), uid=str, resourceVersion=str)


def _read_options(reader: StepReader, step: Payload, path: Path) -> Payload:
    """DeleteOptions as a client sends them. What they say stands beside them in a command."""
    found = reader.fields(
        step["options"], path, apiVersion=str, kind=str, gracePeriodSeconds=int, propagationPolicy=str,
        orphanDependents=bool, preconditions=dict, dryRun=list,
    )  # fmt: skip
    reader.choice(found.pop("kind", None), ("DeleteOptions",), (*path, "kind"))
    reader.choice(found.pop("apiVersion", None), ("v1", "meta.k8s.io/v1"), (*path, "apiVersion"))
    reader.choice(found.get("propagationPolicy"), PROPAGATIONS, (*path, "propagationPolicy"))
    _check_preconditions(reader, found, path)
    orphans, dry_run = found.pop("orphanDependents", None), found.pop("dryRun", None)
    if orphans is not None and "propagationPolicy" in found:
        # As meta/v1/validation ValidateDeleteOptions has it.
        message = "orphanDependents and deletionPropagation cannot be both set"
        reader.complain((*path, "orphanDependents"), message, "propagationPolicy says it all")
    for name in sorted(found.keys() & step.keys()):
        reader.complain((*path, name), "is given beside the options too", "give it once")
    if orphans is not None:
        found["propagationPolicy"] = ORPHAN if orphans else BACKGROUND
    if dry_run not in (None, [], ["All"]):
        reader.complain((*path, "dryRun"), f"must be [All], not {describe(dry_run)}")
    return {**found, "options": {}} | ({"request": {"dryRun": ["All"]}} if dry_run else {})


def _write(kind: str) -> Callable[[StepReader, Any, Path], Commands]:
    """`apply`, `create`, `replace`: manifests as text, or one object as a mapping."""

    def read(reader: StepReader, value: Any, path: Path) -> Commands:
        for document in _list_manifests(reader, value, path):
            yield kind, reader.send(document)

    return read


def _list_manifests(reader: StepReader, value: Any, path: Path) -> list[Document]:
    if not isinstance(value, Mapping | str):
        reader.complain(path, f"must be a manifest, not {describe(value)}")
        return []
    try:
        return reader.list_objects(value, path)
    except ManifestError as error:
        for problem in error.problems:
            reader.complain(path, str(problem))
        return []


def _rollout(reader: StepReader, value: Any, path: Path) -> Commands:
    """`{undo: deployment/web, toRevision: 1}`"""
    if not isinstance(value, Mapping):
        reader.complain(path, f"must be a mapping, not {describe(value)}")
        return
    actions = [name for name in value if name in ROLLOUT_ACTIONS]
    if len(actions) != 1:
        reader.complain(path, "must say one action", f"one of: {', '.join(ROLLOUT_ACTIONS)}")
        return
    action = actions[0]
    word, _, name = str(value[action]).partition("/")
    kind = find_kind(word)
    if kind is None or kind not in _list_kinds(lambda entry: entry.rollout) or not name:
        reader.complain((*path, action), "must name a workload", "such as deployment/web")
        return
    rest = {field: item for field, item in value.items() if field != action}
    found = reader.fields(rest, path, toRevision=int, namespace=str)
    yield "rollout", {"kind": kind.id, "namespace": "default", "name": name, "action": action, **found}


def _drain(reader: StepReader, value: Any, path: Path) -> Commands:
    """`{node: node-1}`, or `{nodes: […]}` one after another, with the flags of `kubectl drain`.

    `{node: node-1, cancel: true}` has nobody go on with the drain of a node.
    """
    found = reader.fields(
        value, path, node=str, nodes=list, ignoreDaemonSets=bool, gracePeriodSeconds=int, timeout=str,
        force=bool, deleteEmptyDirData=bool, disableEviction=bool, podSelector=str, uncordonAfter=str,
        cancel=bool, upgrade=str,
    )  # fmt: skip
    if ("node" in found) == ("nodes" in found):
        reader.complain(path, "must name one node or a list of nodes", "node: node-1 or nodes: [node-1]")
    if found.get("cancel") and found.keys() != {"node", "cancel"}:
        reader.complain(path, "a drain that is cancelled takes no flags", "{node: node-1, cancel: true}")
    for name in ("timeout", "uncordonAfter"):
        if name in found:
            reader.duration(found[name], (*path, name))
    yield "drain", found


def _node(kind: str) -> Callable[[StepReader, Any, Path], Commands]:
    def read(reader: StepReader, value: Any, path: Path) -> Commands:
        yield kind, reader.fields({"node": value} if isinstance(value, str) else value, path, node_=str)

    return read


def _taint(reader: StepReader, value: Any, path: Path) -> Commands:
    found = reader.fields(value, path, node_=str, taints_=list)
    for index, one in enumerate(found.get("taints") or ()):
        reader.fields(
            one, (*path, "taints", index), key_=str, value=(str, type(None)), effect_=str, timeAdded=str
        )
    yield "taint", found


def _evict(reader: StepReader, value: Any, path: Path) -> Commands:
    target, rest = reader.target(value, path, (POD_KIND,))
    found = reader.fields(rest, path, gracePeriodSeconds=int, preconditions=dict, dryRun=bool)
    _check_preconditions(reader, found, path)
    yield "evict", target | found


def _fault(reader: StepReader, value: Any, path: Path) -> Commands:
    """Trouble on a node or in a container; which values each kind takes is the engine's to say."""
    if not isinstance(value, Mapping) or not isinstance(value.get("kind"), str):
        reader.complain(path, "a fault is a mapping with a kind")
        return
    if len(value.keys() & {"node", "pod", "component"}) != 1:
        reader.complain(path, "a fault happens to a node, to a pod or to a component", "name one of them")
        return
    if "node" in value:
        reader.choice(value["kind"], NODE_FAULTS, (*path, "kind"))
    if "component" in value:
        reader.choice(value["component"], COMPONENTS, (*path, "component"))
        reader.choice(value["kind"], (DOWN,), (*path, "kind"))
    if "for" in value:
        reader.duration(value["for"], (*path, "for"))
    known = _list_fault_fields(value)
    for name in value:
        if name not in known:
            remedy = f"a fault of this kind has: {', '.join(known)}"
            reader.complain((*path, name), f'unknown field "{name}"', remedy)
    yield "fault", {**({"namespace": "default"} if "pod" in value else {}), **value}


def _list_fault_fields(value: Mapping[str, Any]) -> tuple[str, ...]:
    kind = value["kind"]
    if "component" in value:
        return "component", "kind", "for"
    if "node" in value:
        more: tuple[str, ...] = ("resource", "available") if kind.startswith("pressure") else ()
        return "node", "kind", "for", *more
    more = {"exit": ("container", "code", "reason"), "lost": ("container",)}.get(kind, ())
    return "pod", "namespace", "kind", *more


def _static_pod(reader: StepReader, value: Any, path: Path) -> Commands:
    """`{node, manifest}` puts a static pod's manifest on a node, `{node, remove: name}` takes it away."""
    found = reader.fields(
        value, path, node_=str, manifest=(str, Mapping), remove=str, namespace=(str, type(None))
    )
    if ("manifest" in found) == ("remove" in found):
        reader.complain(path, "must give a manifest or the name of one", "manifest: … or remove: etcd")
        return
    if "remove" in found:
        yield "staticPod", {"namespace": "default", **found}
        return
    for document in _list_manifests(reader, found["manifest"], (*path, "manifest")):
        # A node reads it from its disk: no API server is there to refuse it.
        problems = check_document(document)
        reader.problems += problems
        if document.data.get("kind") != POD_KIND.name:
            reader.complain((*path, "manifest"), "must be a Pod: a node runs nothing else by itself")
        manifest = document.data if problems else drop_nulls(document.data)
        yield "staticPod", {"node": found.get("node"), "manifest": manifest}


def _upgrade(reader: StepReader, value: Any, path: Path) -> Commands:
    """`{controlPlane: v1.36}`, or `{node: node-1, kubernetes: v1.36}` for its kubelet."""
    found = reader.fields(value, path, controlPlane=str, node=str, kubernetes=str)
    if set(found) not in ({"controlPlane"}, {"node", "kubernetes"}):
        reader.complain(path, "must name controlPlane alone, or node and kubernetes")
    yield "upgrade", found


def _chance(reader: StepReader, value: Any, path: Path) -> Commands:
    """`7`: from here on delays are drawn from this seed."""
    if not isinstance(value, int) or isinstance(value, bool):
        reader.complain(path, f"must be a seed, not {describe(value)}", "a whole number")
        return
    yield "chance", {"seed": value}


READERS: dict[str, Callable[[StepReader, Any, Path], Commands]] = {
    "apply": _write("apply"),
    "create": _write("create"),
    "replace": _write("replace"),
    "setImage": _set_image,
    "scale": _scale,
    "patch": _patch,
    "delete": _delete,
    "rollout": _rollout,
    "drain": _drain,
    "cordon": _node("cordon"),
    "uncordon": _node("uncordon"),
    "taint": _taint,
    "evict": _evict,
    "fault": _fault,
    "staticPod": _static_pod,
    "remove": _node("remove"),
    "upgrade": _upgrade,
    "chance": _chance,
}

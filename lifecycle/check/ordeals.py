"""What an ordeal is, and how its file is read: the steps of a Scenario with holes for what they befall.

    apiVersion: podline.dev/v1alpha1
    kind: Ordeal
    metadata: {name: node-crash}
    spec:
      text: a node is gone for good
      source: kubernetes/kubernetes#55713
      each: node                     # a future each: workload, container, node, zone, service, cronjob, job;
                                     # or cluster, which is one in all
      of: [Deployment]               # only workloads of these kinds
      planned: false                 # whether somebody meant it to happen
      lasts: 6m                      # what happens goes on so long: it is not over before
      within: 10m                    # so long after its last step all is to be whole again
      leaves: whole                  # or broken: it ends without all being whole
      claims: [whole-again]          # beside those that are made of every ordeal
      images: [{listens: {after: 20s}}]   # how new images act: one future each
      steps:
      - {at: 0s, fault: {node: "${node}", kind: crash}}

A Scenario with holes is an ordeal too: its description is the text, what it expects are its claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.schema.scalars import describe
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError
from lifecycle.input.scenario import API_VERSION, is_scenario
from lifecycle.lean_dataclasses import dataclass

Json = Mapping[str, Any]
KIND = "Ordeal"
EACH = ("workload", "container", "node", "zone", "service", "cronjob", "job", "cluster")
WHOLE, BROKEN = "whole", "broken"
_WITHIN_MS = 600_000
_FIELDS = (
    "text source each of planned within lasts leaves claims spares images steps expect description needs"
).split()


@dataclass(frozen=True, slots=True)
class Ordeal:
    """One ordeal. Times in ms; `steps` with their holes, `images` as behaviours."""

    name: str
    text: str
    source: str
    each: str
    kinds: tuple[str, ...]
    is_planned: bool
    lasts_ms: int
    within_ms: int
    leaves: str
    claims: tuple[str, ...]
    spares: tuple[str, ...]
    """Claims that are not made of it, although they are of others of its sort."""
    needs: tuple[str, ...]
    """What must be there for it to mean anything: names of `holes.NEEDS`."""
    images: tuple[Json, ...]
    steps: tuple[Json, ...]
    expects: tuple[Json, ...] = ()

    @property
    def is_mended(self) -> bool:
        """Whether all is to be whole in the end."""
        return self.leaves == WHOLE


@cache
def list_ordeals() -> tuple[Ordeal, ...]:
    """Those that come with Podline, in the order in which they are told."""
    folder = files(__package__) / "library"
    found = {one.name: one for path in _walk(folder) for one in read_ordeals(path.read_text(), path.name)}
    return tuple(sorted(found.values(), key=lambda one: (_rank(one.name), one.name)))


def _walk(folder: Any) -> Iterator[Any]:
    for path in sorted(folder.iterdir(), key=lambda one: str(one.name)):
        if path.is_dir():
            yield from _walk(path)
        elif path.name.endswith(".yaml"):
            yield path


ORDER = (
    "rollout-healthy rollout-slow rollout-never-ready rollout-crashing rollout-unpullable"
    " rollout-ignores-term undo restart-all drain-each drain-all node-crash node-cut"
    " node-reboot zone-away spot kill-each"
    " registry-away dependency-away dns-away load-double load-tenfold load-gone full-cluster quota-met"
    " memory-pressure disk-pressure preempted kubelet-restart control-plane-away cron-away job-pod-lost"
).split()


def _rank(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def read_ordeals(text: str, source: str) -> list[Ordeal]:
    """The ordeals of a file. Raises ManifestError with all that is wrong."""
    documents = read_documents(text, source)
    return [read_ordeal(one) for one in documents if is_ordeal(one)]


def is_ordeal(document: Document) -> bool:
    """Whether it is one, or a Scenario with holes."""
    if document.data.get("apiVersion") != API_VERSION:
        return False
    return document.data.get("kind") == KIND or (is_scenario(document) and "${" in str(document.data))


def read_ordeal(document: Document) -> Ordeal:
    """One ordeal. Raises ManifestError."""
    spec = document.data.get("spec") or {}
    _check(document, spec)
    steps = tuple(spec["steps"])
    each = spec.get("each") or ("node" if "${node}" in str(steps) else "workload")
    return Ordeal(
        name=document.data["metadata"]["name"],
        text=spec.get("text") or spec.get("description") or document.data["metadata"]["name"],
        source=spec.get("source") or "",
        each=each,
        kinds=tuple(spec.get("of") or ()),
        is_planned=bool(spec.get("planned", False)),
        lasts_ms=_read_ms(spec.get("lasts"), 0),
        within_ms=_read_ms(spec.get("within"), _WITHIN_MS),
        leaves=spec.get("leaves") or WHOLE,
        claims=tuple(spec.get("claims") or ()),
        spares=tuple(spec.get("spares") or ()),
        needs=tuple(spec.get("needs") or ()),
        images=tuple(spec.get("images") or ({},)),
        steps=steps,
        expects=tuple(spec.get("expect") or ()),
    )


def _read_ms(text: Any, default_ms: int) -> int:
    found = read_duration_ms(text) if text is not None else None
    return default_ms if found is None else found


def _check(document: Document, spec: Any) -> None:
    problems = []
    if not isinstance(spec, Mapping):
        raise ManifestError([document.problem(("spec",), f"must be a mapping, not {describe(spec)}")])
    if not (document.data.get("metadata") or {}).get("name"):
        problems.append(document.problem(("metadata", "name"), "an ordeal needs a name"))
    if not isinstance(spec.get("steps"), Sequence) or not spec["steps"]:
        problems.append(document.problem(("spec", "steps"), "an ordeal needs steps", "a list of steps"))
    for name in spec if document.data.get("kind") == KIND else ():
        if name not in _FIELDS:
            remedy = f"fields here are: {', '.join(_FIELDS)}"
            problems.append(document.problem(("spec", name), f'unknown field "{name}"', remedy))
    if spec.get("each") not in (None, *EACH):
        problems.append(document.problem(("spec", "each"), f"must be one of {', '.join(EACH)}"))
    if spec.get("leaves") not in (None, WHOLE, BROKEN):
        problems.append(document.problem(("spec", "leaves"), f"must be {WHOLE} or {BROKEN}"))
    for name in ("within", "lasts"):
        if spec.get(name) is not None and read_duration_ms(spec[name]) is None:
            problems.append(document.problem(("spec", name), "must be a duration", 'such as "10m"'))
    if problems:
        raise ManifestError(problems)

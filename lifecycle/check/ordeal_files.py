"""How the file of an ordeal is read, and which come with Podline: steps with holes for what they befall.

    apiVersion: podline.dev/v1alpha1
    kind: Ordeal
    metadata: {name: node-crash}
    spec:
      text: a node is gone for good
      source: kubernetes/kubernetes#55713
      each: node
      lasts: 6m
      steps:
      - {at: 0s, fault: {node: "${node}", kind: crash}}

`FIELDS` says what may stand there. A Scenario with holes is an ordeal too: its description is the text, what
it expects are its claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from lifecycle.check.claims import CLAIMS
from lifecycle.check.holes.filling import LISTS
from lifecycle.check.holes.new_images import list_image_problems
from lifecycle.check.ordeals import BROKEN, WHOLE, Ordeal, Variant
from lifecycle.check.scene import SEVERITIES
from lifecycle.check.targets import EACH, KINDS
from lifecycle.engine.heart.timing import read_duration_ms
from lifecycle.engine.schema import paths
from lifecycle.engine.schema.scalars import describe
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError, Problem, parse_path
from lifecycle.input.scenario import API_VERSION, is_scenario
from lifecycle.lean_tuples import NamedTuple

Json = Mapping[str, Any]
KIND = "Ordeal"
_WITHIN_MS = 600_000
_FILES = (".yaml", ".yml", ".json")


class Field(NamedTuple):
    """A field of `spec`: what it is for, of which type; of a text, or of those of a list, the choices."""

    text: str
    type: type
    choices: tuple[str, ...] = ()
    is_duration: bool = False


FIELDS: Mapping[str, Field] = {
    "text": Field("what happens, as one plain clause", str),
    "source": Field("where it is known from: a thread or a document", str),
    "each": Field("what it befalls, a future each; `cluster` is one future for all there is", str, EACH),
    "of": Field("only workloads of these kinds", list, KINDS),
    "planned": Field("whether somebody meant it to happen: then no request may be lost", bool),
    "lasts": Field("it goes on for so long, from its beginning on", str, (), True),
    "within": Field("so long after its end all is to be whole again (`10m`)", str, (), True),
    "leaves": Field(f"`{WHOLE}`, or `{BROKEN}`: not all is to be whole in the end", str, (WHOLE, BROKEN)),
    "claims": Field("claims that are made of it besides", list, tuple(CLAIMS)),
    "spares": Field("claims that are not made of it: it does that itself", list, tuple(CLAIMS)),
    "gravest": Field("findings of it are at most so grave", str, SEVERITIES),
    "needs": Field("lists that must hold something, else it is not tried", list, tuple(LISTS)),
    "image": Field("how new images act, where steps have the hole `${newImage}`", Mapping),
    "steps": Field("as in a Scenario, with holes; `at` counts from the ordeal's beginning", list),
    "variants": Field("a future each: `name`, `holes`, and some of these fields again", list),
    "expect": Field("as in a Scenario: claims of its own", list),
}
VARIANT_FIELDS = ("name", "of", "holes", "image", "steps", "lasts", "needs")


ORDER = (
    "rollout-healthy rollout-slow rollout-never-ready rollout-crashing rollout-unpullable"
    " rollout-ignores-term undo restart-all drain-each drain-all"
    " upgrade-control-plane upgrade-nodes node-crash node-cut node-reboot zone-away spot kill-each"
    " registry-away dependency-away dns-away load-double load-tenfold load-gone full-cluster quota-met"
    " memory-pressure disk-pressure preempted kubelet-restart control-plane-away cron-away job-pod-lost"
).split()


@cache
def list_ordeals() -> tuple[Ordeal, ...]:
    """Those that come with Podline, in the order in which they are told."""
    folder = files(__package__) / "library"
    found = [one for path in _walk(folder) for one in read_ordeals(path.read_text(), path.name)]
    return tuple(sorted(found, key=lambda one: ORDER.index(one.name)))


def _walk(folder: Any) -> Iterator[Any]:
    for path in sorted(folder.iterdir(), key=lambda one: str(one.name)):
        if path.is_dir():
            yield from _walk(path)
        elif path.name.endswith(".yaml"):
            yield path


def read_ordeals(text: str, source: str) -> list[Ordeal]:
    """The ordeals of a file. Raises ManifestError with all that is wrong."""
    return [read_ordeal(one) for one in read_documents(text, source) if is_ordeal(one)]


def choose_ordeals(known: Sequence[Ordeal], wanted: str | None) -> list[Ordeal]:
    """Those that are named, or in the files that are named; all known ones where nothing is.

    Of two of one name the later one is meant. Raises ManifestError.
    """
    by_name = {one.name: one for one in known}
    if not wanted:
        return list(by_name.values())
    found: list[Ordeal] = []
    for name in filter(None, map(str.strip, wanted.split(","))):
        if name.endswith(_FILES):
            found += _read_file(name)
        elif name in by_name:
            found.append(by_name[name])
        else:
            remedy = f"there are {', '.join(by_name)}; or give a file, such as ours.yaml"
            raise ManifestError([Problem(f"no ordeal is called {name}", remedy, source="--ordeals")])
    return found


def _read_file(name: str) -> list[Ordeal]:
    try:
        found = read_ordeals(Path(name).read_text(), name)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "is no text"
        raise ManifestError([Problem(f"cannot be read: {why}", "a file with ordeals", source=name)]) from None
    if not found:
        remedy = f"an object of kind {KIND}, or a Scenario with a hole such as ${{name}}"
        raise ManifestError([Problem("holds no ordeal", remedy, source=name)])
    return found


def is_ordeal(document: Document) -> bool:
    """Whether it is one, or a Scenario with holes."""
    if document.data.get("apiVersion") != API_VERSION:
        return False
    return document.data.get("kind") == KIND or (is_scenario(document) and "${" in str(document.data))


def read_ordeal(document: Document) -> Ordeal:
    """One ordeal. Raises ManifestError."""
    problems = list(_check(document))
    if problems:
        raise ManifestError(problems)
    spec, name = document.data["spec"], document.data["metadata"]["name"]
    steps = tuple(spec.get("steps") or ())
    return Ordeal(
        name=name,
        text=spec.get("text") or spec.get("description") or name,
        source=spec.get("source") or "",
        each=spec.get("each") or ("node" if "${node}" in str(steps) else "workload"),
        kinds=tuple(spec.get("of") or ()),
        is_planned=bool(spec.get("planned", False)),
        within_ms=read_duration_ms(spec.get("within")) or _WITHIN_MS,
        leaves=spec.get("leaves") or WHOLE,
        claims=tuple(spec.get("claims") or ()),
        spares=tuple(spec.get("spares") or ()),
        variants=tuple(_read_variants(spec, steps)),
        expects=tuple(spec.get("expect") or ()),
        gravest=spec.get("gravest") or "",
        file=document.source,
    )


def _read_variants(spec: Json, steps: tuple[Json, ...]) -> Iterator[Variant]:
    image = spec.get("image") or {}
    variants: list[Json] = spec.get("variants") or [{}]
    for one in variants:
        yield Variant(
            one.get("name") or "",
            tuple(one.get("of") or ()),
            one.get("holes") or {},
            one.get("image") or image,
            tuple(one.get("steps") or steps),
            one.get("lasts") or spec.get("lasts") or "",
            tuple(one.get("needs") or spec.get("needs") or ()),
        )


# --- what is wrong with one ---------------------------------------------------------------------------------


def _check(document: Document) -> Iterator[Problem]:
    data, spec = document.data, document.data.get("spec")
    meta = data.get("metadata")
    if not isinstance(meta, Mapping) or not isinstance(meta.get("name"), str) or not meta["name"]:
        yield document.problem(("metadata", "name"), "an ordeal needs a name")
    if not isinstance(spec, Mapping):
        yield document.problem(("spec",), f"must be a mapping, not {describe(spec)}", "see spec.steps")
        return
    for name, value in spec.items():
        field = FIELDS.get(name)
        if field is None and not (name == "description" and is_scenario(document)):
            remedy = f"fields here are: {', '.join(FIELDS)}"
            yield document.problem(("spec", name), f'unknown field "{name}"', remedy)
        elif field is not None and value is not None:
            yield from _check_value(document, ("spec", name), field, value)
    yield from _check_image(document, ("spec", "image"), spec.get("image"))
    yield from _check_steps(document, ("spec", "steps"), spec.get("steps"))
    variants = spec.get("variants")
    for index, one in enumerate(variants if isinstance(variants, list) else ()):
        yield from _check_variant(document, ("spec", "variants", index), one)
    if not spec.get("steps") and not (variants and all(_has_steps(one) for one in variants)):
        yield document.problem(("spec", "steps"), "an ordeal needs steps", "a list of steps of a Scenario")


def _has_steps(variant: Any) -> bool:
    return isinstance(variant, Mapping) and bool(variant.get("steps"))


def _check_value(document: Document, path: paths.Path, field: Field, value: Any) -> Iterator[Problem]:
    if not isinstance(value, field.type):
        yield document.problem(path, f"has the wrong type: {describe(value)}", f"{path[-1]}: {field.text}")
        return
    if (
        field.is_duration
        and read_duration_ms(value) is None
        and not (path[-1] == "lasts" and "${" in str(value))
    ):
        yield document.problem(path, f"must be a duration, not {describe(value)}", 'such as "10m"')
    known = ", ".join(field.choices)
    for index, one in enumerate(value if isinstance(value, list) else [value] if field.choices else ()):
        place = (*path, index) if isinstance(value, list) else path
        if field.choices and one not in field.choices:
            yield document.problem(place, f"must be one of {known}, not {describe(one)}")


def _check_steps(document: Document, path: paths.Path, steps: Any) -> Iterator[Problem]:
    for index, one in enumerate(steps if isinstance(steps, list) else ()):
        if not isinstance(one, Mapping):
            remedy = 'such as {at: 0s, fault: {node: "${node}", kind: crash}}'
            yield document.problem((*path, index), f"a step is a mapping, not {describe(one)}", remedy)
        elif "forEach" in one and one["forEach"] not in LISTS:
            problem = f"must be one of {', '.join(LISTS)}, not {describe(one['forEach'])}"
            yield document.problem((*path, index, "forEach"), problem)


def _check_image(document: Document, path: paths.Path, image: Any) -> Iterator[Problem]:
    for field, text in list_image_problems(image) if isinstance(image, Mapping) else ():
        yield document.problem((*path, *parse_path(field)), text)


def _check_variant(document: Document, path: paths.Path, variant: Any) -> Iterator[Problem]:
    if not isinstance(variant, Mapping):
        yield document.problem(path, f"must be a mapping, not {describe(variant)}", "name: …, steps: […]")
        return
    own = {
        "holes": Field("values of holes by their names", Mapping),
        "name": Field("what is told of it", str),
    }
    for name, value in variant.items():
        if name not in VARIANT_FIELDS:
            remedy = f"fields here are: {', '.join(VARIANT_FIELDS)}"
            yield document.problem((*path, name), f'unknown field "{name}"', remedy)
        elif value is not None:
            yield from _check_value(document, (*path, name), own.get(name) or FIELDS[name], value)
    yield from _check_image(document, (*path, "image"), variant.get("image"))
    yield from _check_steps(document, (*path, "steps"), variant.get("steps"))

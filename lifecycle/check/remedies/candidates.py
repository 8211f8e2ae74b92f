"""What a change is made from: a workload's manifest, and what is around it in the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifecycle.check.settled import BUDGET, Settled, Workload
from lifecycle.engine.api.patching.patches import STRATEGIC, patch_object
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.kinds.registry import entry_of_json, kind_of_json
from lifecycle.lean_dataclasses import replace
from lifecycle.lean_tuples import NamedTuple
from lifecycle.simulation.plan import Plan

Json = Mapping[str, Any]
Place = tuple[str, str, str]
"""(kind, namespace, name); no namespace for what has none."""
AUTOSCALER = HORIZONTAL_POD_AUTOSCALER.kind.id


class Candidate(NamedTuple):
    """A change of one object that may help, in words and as a strategic merge patch of its manifest.

    Of candidates with the same `family` the first that helps is enough.
    """

    text: str
    patch: Json
    family: str


def find_place(data: Json) -> Place:
    """Where an object is, from its manifest."""
    kind, meta = kind_of_json(data), data.get("metadata") or {}
    return kind.id, (meta.get("namespace") or "default") if kind.namespaced else "", meta.get("name") or ""


class World:
    """The objects of the input by place."""

    def __init__(self, settled: Settled) -> None:
        self.settled = settled
        self._objects = {find_place(one): one for one in settled.plan.objects}

    def find(self, place: Place) -> Json | None:
        """The manifest of an object; None where the input does not have it."""
        return self._objects.get(place)

    def list(self, kind: str, namespace: str = "") -> list[Json]:
        """The manifests of a kind in a namespace, in the order of the input."""
        return [one for place, one in self._objects.items() if place[:2] == (kind, namespace)]

    def make_case(self, workload: Workload) -> Case | None:
        """What is to be helped; None for what the input does not have."""
        data = self.find(workload.place)
        return Case(self, workload, data) if data is not None else None


class Case(NamedTuple):
    """A workload that is to be helped."""

    world: World
    workload: Workload
    data: Json
    """Its manifest."""

    @property
    def kind(self) -> str:
        """`Deployment`"""
        return self.workload.kind

    @property
    def spec(self) -> Json:
        """The manifest's."""
        return self.data.get("spec") or {}

    @property
    def pod(self) -> Json:
        """The spec of its pods, from the manifest."""
        found: Any = self.data
        for step in entry_of_json(self.data).pod_spec_path:
            found = found.get(step) or {}
        return found  # type: ignore[no-any-return]

    @property
    def containers(self) -> list[Json]:
        """Those of its pods, from the manifest."""
        return list(self.pod.get("containers") or ())

    @property
    def labels(self) -> dict[str, str]:
        """Those that tell its pods from others."""
        found: dict[str, str] = dict((self.spec.get("selector") or {}).get("matchLabels") or {})
        return found

    @property
    def wanted(self) -> int:
        """How many pods it wants, by its manifest."""
        count = self.spec.get("replicas")
        return 1 if count is None else int(count)

    @property
    def strategy(self) -> Json:
        """How it is rolled out, from the manifest."""
        return self.spec.get("strategy") or self.spec.get("updateStrategy") or {}

    def list_budgets(self) -> list[Json]:
        """The manifests of the PodDisruptionBudgets that cover its pods."""
        found = (self.world.find((BUDGET, *one)) for one in self.workload.budgets)
        return [one for one in found if one is not None]

    def find_autoscaler(self) -> Json | None:
        """The manifest of the one that sets how many pods it wants."""
        for one in self.world.list(AUTOSCALER, self.workload.namespace):
            target = (one.get("spec") or {}).get("scaleTargetRef") or {}
            if (target.get("kind"), target.get("name")) == (self.kind, self.workload.name):
                return one
        return None

    def change(self, text: str, family: str, spec: Json) -> Candidate:
        """A change of its spec."""
        return Candidate(text, make_patch(self.data, {"spec": spec}), family)

    def change_pod(self, text: str, family: str, spec: Json) -> Candidate:
        """A change of the spec of its pods."""
        inner: Json = spec
        for step in reversed(entry_of_json(self.data).pod_spec_path):
            inner = {step: inner}
        return Candidate(text, make_patch(self.data, inner), family)

    def change_container(self, text: str, family: str, name: str, fields: Json) -> Candidate:
        """A change of one container."""
        return self.change_pod(text, family, {"containers": [{"name": name, **fields}]})


def make_patch(data: Json, content: Json) -> dict[str, Any]:
    """A patch of an object that names it."""
    _, namespace, name = find_place(data)
    meta = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": data["apiVersion"], "kind": data["kind"], "metadata": meta, **content}


def change_plan(plan: Plan, patch: Json) -> Plan:
    """The plan with a patch of one object, or with one more where there is no such object.

    Raises ApiError for a patch that does not fit.
    """
    place = find_place(patch)
    if any(find_place(one) == place for one in plan.objects):
        return replace(plan, objects=tuple(_change(plan.objects, place, patch)))
    subject = f"{patch['kind']} {patch['metadata']['name']}"
    return replace(plan, objects=(*plan.objects, patch), subjects=(*plan.subjects, subject))


def _change(objects: tuple[Json, ...], place: Place, patch: Json) -> Iterator[Json]:
    for one in objects:
        yield patch_object(dict(one), dict(patch), STRATEGIC) if find_place(one) == place else one

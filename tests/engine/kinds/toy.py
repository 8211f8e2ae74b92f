"""A kind that nobody has heard of: a Toy keeps `spec.size` pods of its template.

All there is to it stands in this file. Beside it a real one needs its line in `engine/kinds/registry.py`, its
controller in `engine/controllers/__init__.py`, and, if it has a page, an address in `dashboard/urls.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine.api.context import Context
from lifecycle.engine.controllers.act import Act
from lifecycle.engine.kinds.entry import RESTART, TEMPLATE, KindEntry
from lifecycle.engine.objects.kinds import Kind
from lifecycle.engine.objects.meta import StoredObject, controller_reference
from lifecycle.engine.objects.pod import Pod
from lifecycle.engine.objects.pod_template import PodTemplate
from lifecycle.engine.rules.actions import CreatePod, DeletePod, Update
from lifecycle.engine.rules.ages import Ages
from lifecycle.engine.rules.defaults.workloads import default_template
from lifecycle.engine.rules.validation.field_error import FieldError, check_not_negative
from lifecycle.engine.rules.validation.workloads import validate_template
from lifecycle.engine.rules.workload_columns import summarize_counts

Json = Mapping[str, Any]
TOY_KIND = Kind("toys.example.com/v1", "Toy", "toys", True, "ty")
SOURCE = "toy-controller"


def default_toy(spec: Json, gates: Mapping[str, bool]) -> dict[str, Any]:
    return {"size": 1, **spec, "template": default_template(spec.get("template") or {}, gates)}


def validate_toy(spec: Json, gates: Mapping[str, bool]) -> list[FieldError]:
    return check_not_negative("spec.size", spec.get("size")) + validate_template(
        spec["template"], gates, "spec.template"
    )


def toy_columns(meta: Json, spec: Json, status: Json, ages: Ages) -> dict[str, Any]:
    return {"SIZE": spec.get("size"), "PLAYING": status.get("playing", 0)}


def summarize_toy(toy: StoredObject) -> dict[str, Any]:
    return summarize_counts(toy, (toy.status or {}).get("playing", 0), toy.spec["size"])


TOY = KindEntry(
    kind=TOY_KIND,
    default_spec=default_toy,
    drops_status=True,
    is_host_name="Pod names and hostnames",
    validate_spec=validate_toy,
    immutable=("colour",),
    list_rows=lambda spec: {"size": spec.get("size")},
    columns=toy_columns,
    summarize=summarize_toy,
    describe=lambda data: f"{(data.get('status') or {}).get('playing', 0)} at play",
    pod_spec_path=TEMPLATE,
    replicas_path=("spec", "size"),
    rollout=(RESTART,),
    is_workload=True,
)


class ToyController:
    """Makes and deletes pods until there are as many as wanted, all of the present template."""

    name, source = "toy", SOURCE

    def __init__(self, context: Context, act: Act) -> None:
        self._store, self._loop, self._act = context.store, context.loop, act
        context.loop.register(self.name, self.sync)
        context.store.listen(TOY_KIND.id, self._on_change)
        context.store.listen("Pod", self._on_change)

    def restore(self) -> None:
        """Nothing is derived."""

    def find(self, namespace: str, name: str) -> StoredObject | None:
        return self._store.get(TOY_KIND.id, namespace, name)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None
        owner = some.meta.controller
        name = some.meta.name if some.kind.id == TOY_KIND.id else owner.name if owner else ""
        self._loop.enqueue(self.name, some.meta.namespace or "", name)

    def sync(self, namespace: str, name: str) -> None:
        toy = self.find(namespace, name)
        if toy is None or toy.meta.deletion_ms is not None:
            return
        template = PodTemplate.from_json(toy.spec["template"])
        pods = [pod for pod in self._pods(toy) if pod.meta.deletion_ms is None]
        stale = [pod for pod in pods if pod.meta.annotations != template.annotations]
        surplus = max(0, len(pods) - toy.spec["size"])
        for pod in {one.meta.uid: one for one in (*stale, *pods[:surplus])}.values():
            self._act(DeletePod(pod, toy, SOURCE))
        for _ in range(toy.spec["size"] - len(pods)):
            self._act(CreatePod(toy, template, controller_reference(toy), f"{name}-", SOURCE))
        playing = sum(pod.is_ready for pod in pods)
        if (toy.status or {}).get("playing") != playing:
            present = self.find(namespace, name)
            assert present is not None
            self._act(Update(present.replace(status={"playing": playing})))

    def _pods(self, toy: StoredObject) -> list[Pod]:
        uids = self._store.index.children.get(toy.meta.uid, {})
        return [pod for pod in map(self._store.pods.get, uids) if pod is not None]


def with_toys(make: Callable[[Context, Act], list[Any]]) -> Callable[[Context, Act], list[Any]]:
    """The controllers of a cluster, and that of Toys: the line in the list of controllers."""
    return lambda context, act: [*make(context, act), ToyController(context, act)]


def make_toy(**spec: Any) -> dict[str, Any]:
    """One as a person writes it."""
    return {
        "apiVersion": TOY_KIND.api_version,
        "kind": TOY_KIND.name,
        "metadata": {"name": "bear"},
        "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}, **spec},
    }

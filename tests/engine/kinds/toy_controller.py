"""What keeps Toys, as it would stand in `engine/controllers/toy.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifecycle.engine.api.context import Context
from lifecycle.engine.controllers.act import Act
from lifecycle.engine.objects.meta import StoredObject, controller_reference
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.objects.pods.template import PodTemplate
from lifecycle.engine.rules.actions import CreatePod, DeletePod, Update
from tests.engine.kinds.toy_kind import TOY_KIND

SOURCE = "toy-controller"


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

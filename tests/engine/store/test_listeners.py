"""Who is told of which writes to pods that workloads make."""

from typing import Any

from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.store.audience import Useless
from tests.engine.kubelet.world import World

LABELS = {"app": "web"}


class Spy:
    """Notes what it is told of: what a pod went through, by its listener."""

    def __init__(self, world: World, useless: Useless = Useless.NOTHING) -> None:
        self.told: list[str] = []
        store = world.cluster._store
        store.listen_to_shape("Pod", self.on_pod, useless, on_binding=self.on_binding)

    def on_pod(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            self.told.append("gone")
        elif old is None:
            self.told.append(f"new on {new.node_name or 'no node'}")
        elif old.node_name != new.node_name:
            self.told.append("bound")
        elif old.meta is not new.meta:
            self.told.append("metadata")
        elif old.status is not new.status:
            self.told.append("status")

    def on_binding(self, old: Pod, new: Pod) -> None:
        assert not old.node_name and new.node_name and old.meta is new.meta
        self.told.append("binding")


def replicas(name: str, **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": LABELS},
        "spec": {"containers": [{"name": "app", "image": "nginx"}], **spec},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"replicas": 1, "selector": {"matchLabels": LABELS}, "template": template},
    }


def test_a_new_pod_of_a_template_and_its_binding_are_told_to_those_who_want_them():
    world = World()
    all_of_it, little = Spy(world), Spy(world, Useless.FRESH | Useless.READINESS)
    least = Spy(world, Useless.FRESH | Useless.BINDING | Useless.READINESS)
    assert world.create(replicas("web")).ok
    world.to(5)
    assert all_of_it.told[:2] == ["new on no node", "binding"] and "status" in all_of_it.told
    assert little.told[0] == "binding" and "new on no node" not in little.told
    assert not {"new on no node", "binding", "bound"} & {*least.told}


def test_a_new_pod_of_which_there_is_more_to_know_is_told_to_all():
    for spec in (
        {"nodeName": "node-1"},
        {"volumes": [{"name": "scratch", "emptyDir": {}}]},
        {"schedulingGates": [{"name": "example.com/wait"}]},
    ):
        world = World()
        least = Spy(world, Useless.FRESH | Useless.BINDING | Useless.READINESS)
        assert world.create(replicas("web", **spec)).ok
        world.to(5)
        where = spec.get("nodeName") or "no node"
        assert least.told[0] == f"new on {where}", spec


def test_a_pod_entered_by_hand_is_told_to_all():
    world = World()
    least = Spy(world, Useless.FRESH | Useless.BINDING | Useless.READINESS)
    assert world.pod().ok
    world.to(5)
    assert least.told[0] == "new on no node" and "binding" not in least.told

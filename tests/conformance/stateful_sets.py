"""StatefulSets and their pods without a cluster: what is decided is done to them at once."""

from __future__ import annotations

from typing import Any

from lifecycle.engine.controllers.stateful_set.decide import decide
from lifecycle.engine.controllers.stateful_set.decide.identity import ordinal_of
from lifecycle.engine.controllers.stateful_set.decide.members import Members
from lifecycle.engine.controllers.stateful_set.decide.seen import Options, Seen
from lifecycle.engine.objects.condition import Condition
from lifecycle.engine.objects.meta import ObjectMeta
from lifecycle.engine.objects.pods.overlay import overlay_meta, overlay_spec
from lifecycle.engine.objects.pods.pod import POD_KIND, Pod
from lifecycle.engine.objects.pods.status import PodStatus
from lifecycle.engine.objects.workloads.controller_revision import ControllerRevision
from lifecycle.engine.objects.workloads.stateful_set import StatefulSet, StatefulSetSpec
from lifecycle.engine.rules.actions import Action, Create, CreatePod, Delete, DeletePod, Update
from lifecycle.engine.rules.workloads.revisions import sort_revisions


class Fake:
    """One set. Deleted pods are gone at once, unless a case marks them; pods come up when told to."""

    def __init__(self, spec: dict[str, Any], image: str = "nginx", options: Options | None = None) -> None:
        template = {
            "metadata": {"labels": {"foo": "bar"}},
            "spec": {"containers": [{"name": "nginx", "image": image}]},
        }
        raw = {"selector": {"matchLabels": {"foo": "bar"}}, "template": template, "replicas": 1, **spec}
        data = {
            "metadata": {"name": "foo", "namespace": "default", "uid": "set", "generation": 1},
            "spec": raw,
        }
        self.owner = StatefulSet.from_json({"apiVersion": "apps/v1", "kind": "StatefulSet", **data})
        self.options = options or Options()
        self.pods: dict[str, Pod] = {}
        self.revisions: dict[str, ControllerRevision] = {}
        self.members = Members("StatefulSet", "default", "foo")
        self.now_ms = 0
        self._made = 0
        self._describe()

    def _describe(self) -> None:
        spec = self.owner.spec
        self.members.describe(spec.selector, spec.min_ready_seconds, self.pods.values)

    def change(self, image: str = "", **spec: Any) -> None:
        """Change the set's spec."""
        raw = {**self.owner.spec.raw, **spec}
        if image:
            containers = [{"name": "nginx", "image": image}]
            raw["template"] = {**raw["template"], "spec": {"containers": containers}}
        meta = self.owner.meta.replace(generation=self.owner.meta.generation + 1)
        self.owner = self.owner.replace(spec=StatefulSetSpec(raw), meta=meta)
        self._describe()

    def sync(self) -> int:
        """One look; how many pods it deleted."""
        deleted = 0
        while True:
            self.members.advance(self.now_ms)
            revisions = sort_revisions(self.revisions.values(), epoch_ms=0)
            seen = Seen(self.owner, self.members, self.pods, revisions, options=self.options)
            decision = decide(seen)
            for action in decision.actions:
                deleted += isinstance(action, DeletePod)
                self._act(action)
            if not decision.goes_on:
                return deleted

    def _act(self, action: Action) -> None:
        match action:
            case CreatePod():
                self._made += 1
                template, overlay = action.template, action.overlay
                assert overlay is not None
                meta = ObjectMeta(action.name, "default", f"pod-{self._made}", template.labels)
                meta = overlay_meta(meta.replace(owner_references=(action.reference,)), overlay)
                spec = overlay_spec(template.spec, overlay.spec)
                self.put(Pod(POD_KIND, meta, spec, PodStatus("Pending")))
            case DeletePod():
                del self.pods[action.pod.meta.uid]
                self.members.change(action.pod, None)
            case Create() | Update() if isinstance(action.new, ControllerRevision):
                self.revisions[action.new.meta.name] = action.new
            case Update() if isinstance(action.new, StatefulSet):
                self.owner = action.new
            case Delete():
                del self.revisions[action.old.meta.name]

    def put(self, pod: Pod) -> None:
        """A pod is as given from now on."""
        old = self.pods.get(pod.meta.uid)
        self.pods[pod.meta.uid] = pod
        self.members.change(old, pod)

    def pod(self, ordinal: int) -> Pod:
        return self.pods[self.members[ordinal].uid]

    def come_up(self, ordinal: int) -> None:
        """A pod runs and is Ready."""
        ready = (Condition("Ready", "True", last_transition_ms=self.now_ms),)
        self.put(self.pod(ordinal).with_status(PodStatus("Running", ready)))

    def mark(self, ordinal: int) -> None:
        """A pod is being deleted."""
        pod = self.pod(ordinal)
        self.put(pod.replace(meta=pod.meta.replace(deletion_ms=self.now_ms)))

    def converge(self) -> None:
        """Look, and have all pods come up, until nothing changes."""
        while True:
            before = (dict(self.pods), self.owner)
            self.sync()
            for ordinal in self.ordinals():
                if not self.pod(ordinal).is_ready:
                    self.come_up(ordinal)
            if before == (self.pods, self.owner):
                return

    def ordinals(self) -> list[int]:
        found = [ordinal_of("foo", pod.meta.name) for pod in self.pods.values()]
        return sorted(one for one in found if one is not None)

    def images(self) -> dict[str, str]:
        """The image of each pod, by its ordinal."""
        return {str(one): self.pod(one).spec.containers[0].image for one in self.ordinals()}


def make_fake(given: dict[str, Any], options: Options | None = None) -> Fake:
    """A set as a case describes it, with all its pods Running and Ready."""
    named = ("replicas", "podManagementPolicy", "updateStrategy", "ordinals", "minReadySeconds")
    spec = {name: given[name] for name in named if given.get(name) is not None}
    spec.setdefault("updateStrategy", {"type": "RollingUpdate"})
    fake = Fake(spec, given.get("image", "nginx"), options)
    fake.converge()
    return fake

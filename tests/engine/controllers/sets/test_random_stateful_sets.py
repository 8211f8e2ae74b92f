"""Whatever is done to a StatefulSet, its promises hold on the way and it ends where its spec says."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from lifecycle.engine.controllers.stateful_set.decide.identity import ordinal_of
from lifecycle.engine.controllers.stateful_set.decide.members import Members
from lifecycle.engine.controllers.stateful_set.observe import StatefulSetController
from lifecycle.engine.objects.pods.pod import Pod
from tests.engine.controllers.stateful_sets import Web, make_stateful_set
from tests.seeds import first_of

pytestmark = pytest.mark.slow

POLICIES = [("Retain", "Retain"), ("Retain", "Delete"), ("Delete", "Retain"), ("Delete", "Delete")]


class Story(Web):
    """A set that many things happen to. After every instant its promises are looked at."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = Random(seed)
        self.is_parallel = chance.random() < 0.4
        self.has_claims = chance.random() < 0.6
        # What the user did: pods and claims that may go whatever the order.
        self.by_hand: set[str] = set()
        spec: dict[str, Any] = {"podManagementPolicy": "Parallel" if self.is_parallel else "OrderedReady"}
        if chance.random() < 0.3:
            spec["minReadySeconds"] = chance.randrange(1, 4)
        if chance.random() < 0.2:
            spec["ordinals"] = {"start": chance.randrange(1, 4)}
        if chance.random() < 0.2:
            spec["updateStrategy"] = {"type": "OnDelete"}
        manifest = make_stateful_set(
            chance.randrange(0, 6), self.has_claims, retention=chance.choice(POLICIES), **spec
        )
        super().__init__(manifest, self.decide_ready, chance.choice([0, 700, 4000]))
        self.store.listen("Pod", self.watch)

    def decide_ready(self, pod: Pod, number: int) -> int | None:
        return None if "bad" in pod.spec.containers[0].image else 100 + 170 * (number % 7)

    # --- what happens -------------------------------------------------------------------------------------

    def happen(self) -> None:
        """One thing, drawn."""
        pods, draw = sorted(self.names()), self.chance
        deeds = [self.edit, self.resize, self.part, self.resize, self.edit]
        if pods:
            deeds += [self.lose, self.lose, self.fail, self.waver, self.force, self.unlabel]
        if self.has_claims:
            deeds += [self.retain, self.unclaim]
        draw.choice(deeds)()
        self.drain()

    def edit(self) -> None:
        self.change(image=f"nginx:{self.chance.choice(['1', '2', '3', 'bad'])}")

    def resize(self) -> None:
        self.change(replicas=self.chance.randrange(0, 8))

    def part(self) -> None:
        if self.set.spec.strategy_type != "OnDelete":
            rolling = {"partition": self.chance.randrange(0, 5)}
            self.change(updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})

    def retain(self) -> None:
        deleted, scaled = self.chance.choice(POLICIES)
        self.change(persistentVolumeClaimRetentionPolicy={"whenDeleted": deleted, "whenScaled": scaled})

    def pick(self) -> str:
        return self.chance.choice(self.names())

    def lose(self) -> None:
        name = self.pick()
        self.by_hand.add(self.pod(name).meta.uid)
        self.delete(self.pod(name))

    def force(self) -> None:
        """Its node is lost, and somebody deletes the pod at once."""
        pod = self.pod(self.pick())
        self.by_hand.add(pod.meta.uid)
        self.api.delete_pod(pod, 0)

    def fail(self) -> None:
        name = self.pick()
        if self.pod(name).meta.deletion_ms is None and not self.pod(name).is_finished:
            self.by_hand.add(self.pod(name).meta.uid)
            self.end(name, self.chance.choice(["Failed", "Succeeded"]))

    def waver(self) -> None:
        pod = self.pod(self.pick())
        self.set_ready(pod.meta.uid, False)
        self.context.later(self.chance.randrange(1, 6000), "ready", pod.meta.uid)

    def unlabel(self) -> None:
        pod = self.pod(self.pick())
        kept = {key: text for key, text in pod.meta.labels.items() if not key.startswith("statefulset.")}
        self.update(pod.replace(meta=pod.meta.replace(labels=kept)))

    def unclaim(self) -> None:
        if self.claims():
            self.delete(self.claim(self.chance.choice(self.claims())))

    # --- what always holds --------------------------------------------------------------------------------

    def drain(self) -> None:
        super().drain()
        self.check_counts()

    def watch(self, old: Pod | None, new: Pod | None) -> None:
        """What the controller does is in order. What is done by hand, and the end of the set, need not be."""
        owner = self.store.get("StatefulSet", "default", "web")
        if self.is_parallel or new is None or owner is None or owner.meta.deletion_ms is not None:
            return
        if old is None:
            self.check_predecessors(new)
        elif old.meta.deletion_ms is None and new.meta.deletion_ms is not None and not new.is_finished:
            going = [pod for pod in self.pods() if pod.meta.deletion_ms is not None]
            above = [pod.meta.name for pod in going if pod.meta.name > new.meta.name]
            assert new.meta.uid in self.by_hand or not above, (new.meta.name, above)

    def check_predecessors(self, new: Pod) -> None:
        """A pod is made only when all below it are Running and Ready (STS-ORD-03)."""
        ordinal, spec = ordinal_of("web", new.meta.name), self.set.spec
        assert ordinal is not None and spec.is_in_range(ordinal), new.meta.name
        for one in range(spec.start, ordinal):
            pod = self.pod(f"web-{one}")
            assert pod.is_ready and pod.is_active, (new.meta.name, pod.meta.name)

    @property
    def controller(self) -> StatefulSetController:
        return next(one for one in self.controllers if isinstance(one, StatefulSetController))

    def check_counts(self) -> None:
        """What was kept change by change is what a new count gives."""
        if self.store.get("StatefulSet", "default", "web") is None:
            return
        owner = self.set
        (kept,) = self.controller._members.values()
        new = Members(*kept.key)
        controlled = self.controller.list_controlled(owner.meta.uid)
        new.describe(owner.spec.selector, owner.spec.min_ready_seconds, lambda: controlled)
        new.advance(self.clock.now_ms)
        kept.advance(self.clock.now_ms)
        for field in ("present", "unsettled", "finished", "misnamed"):
            assert list(getattr(kept, field)) == list(getattr(new, field)), field
        assert {name: list(one) for name, one in kept.by_revision.items()} == {
            name: list(one) for name, one in new.by_revision.items()
        }
        assert (kept.live, kept.ready, kept.available) == (new.live, new.ready, new.available)

    def check_rest(self) -> None:
        """Left alone it comes to where its spec says."""
        spec, wanted = self.set.spec, self.set.spec.replicas
        assert self.names() == sorted(f"web-{n}" for n in range(spec.start, spec.start + wanted))
        assert self.counts()[0] == self.counts()[1] == self.counts()[4] == wanted
        status = self.set.status
        assert status.observed_generation == self.set.meta.generation
        if spec.strategy_type != "OnDelete":
            assert status.current_revision == status.update_revision
            assert self.counts() == (wanted,) * 5
            assert set(self.images().values()) <= {spec.template.spec.containers[0].image}
        for pod in self.pods():
            assert pod.meta.labels["statefulset.kubernetes.io/pod-name"] == pod.meta.name
            for claim in [f"www-{pod.meta.name}"] if self.has_claims else []:
                owners = [one.kind for one in self.claim(claim).meta.owner_references]
                assert owners == (["StatefulSet"] if spec.when_deleted == "Delete" else [])
        live = {pod.meta.labels["controller-revision-hash"] for pod in self.pods()}
        assert live <= set(self.revisions())
        assert len(set(self.revisions().values())) == len(self.revisions())


def tell(seed: int) -> Story:
    story = Story(seed)
    for _ in range(story.chance.randrange(3, 16)):
        story.run(story.chance.randrange(0, 5000))
        story.happen()
    # A broken template has to be mended, for all pods, and those that it broke deleted (STS-FRB-03).
    if story.set.spec.partition is not None:
        story.change(updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"partition": 0}})
    story.change(image="nginx:good")
    for name in story.names():
        pod = story.pod(name)
        if not pod.is_ready and pod.meta.deletion_ms is None:
            story.by_hand.add(pod.meta.uid)
            story.delete(pod)
    story.run(30_000)
    for name in story.names():
        if "bad" in story.images()[name]:
            story.by_hand.add(story.pod(name).meta.uid)
            story.remove(name)
    story.run(1_200_000)
    story.check_rest()
    return story


@pytest.mark.spec("STS-GEN-02", "STS-ORD-03", "STS-ORD-08", "STS-PVC-13")
@pytest.mark.parametrize("seed", first_of(range(25)))
def test_every_story_ends_where_the_spec_says(seed: int):
    story = tell(seed)
    if seed % 5 == 0:
        check_end(story)


def check_end(story: Story) -> None:
    """A deleted set takes its pods and its history along, and its claims where it says so."""
    spec = story.set.spec
    names = {f"www-{name}" for name in story.names()} if story.has_claims else set()
    claims = {name for name in names if story.claim(name).meta.deletion_ms is None}
    story.delete(story.set)
    story.run(60_000)
    assert not story.names() and not story.revisions()
    assert claims & set(story.claims()) == (set() if spec.when_deleted == "Delete" else claims)


@pytest.mark.deep
@pytest.mark.parametrize("block", range(20))
def test_thousands_of_stories(block: int):
    for seed in range(1000 + block * 150, 1150 + block * 150):
        tell(seed)

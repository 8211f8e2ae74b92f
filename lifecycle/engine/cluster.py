"""One simulated cluster, put together; the only door to the engine.

History is a function of seed, epoch, settings, and the commands with their instants: the same input gives
the same history to the byte, on any machine, in any slicing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from lifecycle.lean_dataclasses import asdict

from .api.commands import Command, Result
from .api.context import Context
from .api.first_objects import KnownObjects, known_objects, list_missing, list_namespaces
from .api.patching.three_way_apply import NOT_REMEMBERED, is_remembered
from .api.server import ApiServer
from .api.template_cache import CachedTemplate
from .changes import Changes
from .clients.command_table import CommandTable, Handler
from .clients.drain import Drains
from .clients.nodes import make_upgrades
from .controllers import Remembering, make_controllers
from .controllers.act import Actor
from .heart.errors import ApiError, CheckpointError
from .heart.saved import map_of, part_of
from .heart.settings import Settings
from .kinds.validation import list_warnings
from .kubelet.components import Components
from .kubelet.execs import Execs
from .kubelet.faults import KubeletFaults
from .kubelet.kubelet import Kubelets
from .objects.codec import PodSpecs, decode
from .objects.lease import LEASE_KIND, LEASE_NAMESPACE
from .objects.meta import StoredObject
from .objects.node import NODE_KIND
from .objects.pods.pod import PodSpec
from .programs.demand import list_demand_warnings
from .programs.slow_hooks import list_slow_hooks
from .rules.nodes.drains import DRAIN
from .rules.nodes.status import show_lease, show_node
from .scheduler import Scheduler
from .traffic import Traffic

if TYPE_CHECKING:
    from . import upgrades
    from .releases.release import Release

ENGINE_VERSION = 24
"""Raised when a golden history changes; a checkpoint is continued by the same version only."""


class Cluster:
    """Commands in, time forward, changes out."""

    def __init__(
        self, seed: int = 1, epoch_ms: int = 1_767_225_600_000, settings: Settings | None = None
    ) -> None:
        self._build(seed, epoch_ms, settings or Settings())
        self._populate()

    def _build(self, seed: int, epoch_ms: int, settings: Settings) -> None:
        self.seed = seed
        self.settings = settings
        self._context = context = Context(seed, epoch_ms, settings)
        self._store = context.store
        self._api = ApiServer(context)
        self._controllers = make_controllers(context, Actor(context, self._api).act)
        self._scheduler = Scheduler(context)
        control_plane = context.loop.list_parts()
        self._kubelets = Kubelets(context, self._api)
        self._traffic = Traffic(context)
        faults = KubeletFaults(context, self._kubelets, self._api)
        execs = Execs(context, self._kubelets)
        upgrades = partial(make_upgrades, context, faults.run, self._become)
        self._drains = Drains(context, self._api, upgrades)
        self._components = Components(
            context, self._kubelets.outages, control_plane, self._drains.give_up, self._controllers
        )
        others: dict[str, Handler] = {
            "fault": lambda payload: (self._components if "component" in payload else faults).run(payload),
            "remove": faults.remove,
            "staticPod": self._kubelets.static_pods.run,
            "connect": execs.connect,
            "exec": execs.run,
            DRAIN: self._drains.run,
            "upgrade": lambda payload: upgrades().run(payload),
        }
        self._commands = CommandTable(context, self._api, others)

    def _become(self, release: Release) -> Context:
        """Have all of the control plane anew, of another release, with what the cluster knows."""
        former, data = self._context, self._save()
        self._build(self.seed, self.epoch_ms, self.settings.of_release(release))
        self._restore(data)
        self._context.take_over(former)
        return self._context

    def _populate(self) -> None:
        known = known_objects(self._context.features)
        for namespace in list_namespaces():
            self._api.create_json(namespace, cached=known.of(namespace))
        self._provide(known)
        cached, spec = CachedTemplate(), dict[str, Any]()
        for number in range(1, int(self.settings.nodes["count"]) + 1):
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{number}"}, "spec": spec}
            self._api.create_json(node, cached=cached)
        self._context.loop.drain()

    def _provide(self, known: KnownObjects) -> None:
        for data in list_missing(self._store):
            self._api.create_json(data, cached=known.of(data))

    # --- time -------------------------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """The last drained instant."""
        return self._context.clock.now_ms

    @property
    def epoch_ms(self) -> int:
        """Instant 0, in ms since 1970 UTC."""
        return self._context.clock.epoch_ms

    @property
    def head(self) -> int:
        """The number of the trace's last row."""
        return self._context.trace.seq

    def next_wake(self) -> int | None:
        """The instant of the next timer."""
        return self._context.agenda.next_due_ms()

    def is_idle(self, beside: Sequence[str] = ()) -> bool:
        """Whether only upkeep is left to do, and looks `beside`, as `Loop.count_looks` has them."""
        count = self._context.agenda.progress_count
        return count == 0 or (bool(beside) and count == self._context.loop.count_looks(beside))

    def is_draining(self, node: str) -> bool:
        """Whether a drain of a node goes on."""
        return self._drains.is_draining(node)

    def run_until(
        self,
        instant_ms: int,
        stop: Callable[[Cluster], bool] | None = None,
        max_wall_steps: int | None = None,
    ) -> int:
        """Live on until an instant, until `stop` says so after a drained instant, or for so many instants.

        Returns the instant reached, where time then stands.
        """
        context = self._context
        agenda, clock, trace, loop = context.agenda, context.clock, context.trace, context.loop
        steps = 0
        while True:
            due_ms = agenda.next_due_ms()
            if due_ms is None or due_ms > instant_ms:
                break
            if due_ms > clock.now_ms:
                clock.now_ms = trace.at_ms = due_ms
            loop.drain()
            steps += 1
            if stop is not None and stop(self):
                return clock.now_ms
            if max_wall_steps is not None and steps >= max_wall_steps:
                return clock.now_ms
        if instant_ms > clock.now_ms:
            clock.now_ms = trace.at_ms = instant_ms
        return clock.now_ms

    # --- in and out -------------------------------------------------------------------------------------

    def submit(self, command: Command) -> Result:
        """Carry a command out at the present instant, then drain it.

        What it does wrong is said in the result. What is raised is the engine's own fault: the cluster may
        have done half of the command and is not to be used any more.
        """
        context = self._context
        context.trace.cause = f"command:{command.id}"
        try:
            code, obj = self._commands.run(command)
            data = obj.to_json(context.clock.epoch_ms)
            warnings = self._commands.warnings + list_warnings(data, self.settings.release.served_minor)
            warnings += [*list_slow_hooks(data), *list_demand_warnings(data)]
            if command.kind == "apply" and not is_remembered(data):
                warnings.append(NOT_REMEMBERED)
            result = Result(code, data, None, warnings)
        except ApiError as problem:
            result = Result(problem.code, None, problem.to_status(), self._commands.warnings)
        self._context.loop.drain()
        return result

    def take_changes(self) -> Changes:
        """Everything since the last take."""
        context = self._context
        changes = Changes(context.clock.now_ms, *context.trace.take(), context.store.versions, context.logs)
        context.store.versions, context.logs = [], []
        return changes

    def close_series(self) -> None:
        """End every open series: what a run does before its last line."""
        self._context.trace.close_series(*self._context.trace.series.by_key)

    def find(self, kind: str, namespace: str | None, name: str) -> StoredObject | None:
        """The stored object, typed."""
        return self._store.get(kind, namespace, name)

    def get(self, kind: str, namespace: str | None, name: str) -> dict[str, Any] | None:
        """The object's JSON, None when there is none."""
        found = self._store.get(kind, namespace, name)
        return self._show(found) if found is not None else None

    def version_of(self, kind: str, namespace: str | None, name: str) -> int | None:
        """The object's resourceVersion, None when there is none: cheaper than its JSON, and as telling."""
        found = self._store.get(kind, namespace, name)
        return found.resource_version if found is not None else None

    def list(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """JSON of every object of a kind, in order of creation."""
        return [self._show(obj) for obj in self._store.list(kind, namespace)]

    def _show(self, obj: StoredObject) -> dict[str, Any]:
        """An object's JSON, with the heartbeats that nobody writes down."""
        if obj.kind.id == NODE_KIND.id:
            lease = self._store.get(LEASE_KIND.id, LEASE_NAMESPACE, obj.meta.name)
            return show_node(obj, lease, self.now_ms, self.epoch_ms)
        if obj.kind.id == LEASE_KIND.id and obj.meta.namespace == LEASE_NAMESPACE:
            obj = show_lease(obj, self.now_ms, self.epoch_ms)
        return obj.to_json(self.epoch_ms)

    def kinds(self) -> Sequence[str]:
        """Kinds of which there are objects."""
        return self._store.kinds()

    def list_uses(self) -> Sequence[dict[str, Any]]:
        """What the metrics server tells: `pod`, `at_ms`, `window_ms`, milli-CPU and bytes by container."""
        told = self._context.metrics.list_uses(self.now_ms)
        return [{"pod": pod.to_json(self.epoch_ms), **asdict(use)} for pod, use in told]

    def sum_requests(self, namespace: str, name: str) -> dict[str, Any] | None:
        """What was lost so far of the requests to a Service: `lostMs`, `lost`, and both by who sends.

        None for a Service that is sent none.
        """
        found = self._traffic.find(namespace, name)
        return found.sum_up() if found is not None else None

    def sum_outcomes(self, namespace: str, name: str) -> dict[str, dict[str, int]]:
        """The ms' worth lost so far by who sends and in which way: `{"pods": {"refused": 500}}`."""
        found = self._traffic.find(namespace, name)
        return {one: sender.sum_outcomes() for one, sender in found.senders.items()} if found else {}

    def list_assumed_images(self) -> Sequence[str]:
        """Images started in this run of which nothing is known: they are assumed to start and answer."""
        return sorted(self._context.assumed_images)

    def list_guesses(self) -> Sequence[str]:
        """What images of this run are taken to be by their names alone."""
        return sorted(self._context.guesses)

    def list_nodes_with(self, image: str) -> Sequence[str]:
        """The nodes that have an image on disk."""
        return self._kubelets.list_nodes_with(image)

    # --- save and load ----------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Everything the engine knows, as JSON-able data. Changes are to be taken before.

        Raises CheckpointError when changes wait to be taken: they would be lost.
        """
        if self._context.trace.entries or self._store.versions:
            raise CheckpointError("take the changes before saving the cluster")
        return self._save()

    def _save(self) -> dict[str, Any]:
        context, store = self._context, self._store
        encoder = PodSpecs()
        objects = [encoder.encode(obj) for kind in store.kinds() for obj in store.list(kind)]
        return {
            "engine_version": ENGINE_VERSION,
            "seed": self.seed,
            "chance": self._context.chance.drawn_from,
            "epoch_ms": self.epoch_ms,
            "settings": self.settings.to_json(),
            "now_ms": self.now_ms,
            "resource_version": store.resource_version,
            "creations": store.creations,
            "deletion_stage": store.deletion_stage,
            "agenda": context.agenda.save(),
            "trace": context.trace.save(),
            "loop": context.loop.save(),
            "pod_specs": encoder.raws,
            "objects": objects,
            "evictions": context.budgets.save(),
            "drains": self._drains.save(),
            **({"away": self._components.save()} if context.away else {}),
            "controllers": {
                one.name: one.save() for one in self._controllers if isinstance(one, Remembering)
            },
            "scheduler": self._scheduler.save(),
            "kubelets": self._kubelets.save(),
            "traffic": self._traffic.save(),
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> Cluster:
        """The cluster that `save` described, with the same future. Raises CheckpointError."""
        if data.get("engine_version") != ENGINE_VERSION:
            raise CheckpointError(
                f"checkpoint of engine version {data.get('engine_version')!r}: this engine continues version"
                f" {ENGINE_VERSION}"
            )
        cluster = cls.__new__(cls)
        cluster._build(data["seed"], data["epoch_ms"], Settings.from_saved(data["settings"]))
        cluster._restore(data)
        return cluster

    @classmethod
    def take_up(cls, known: upgrades.Known, saved: Mapping[str, Any] | None) -> Cluster:
        """The cluster that another engine saved, or whose checkpoint is broken or lost, going on from here.

        What cannot be continued is begun anew, at this instant; `begun_anew` says what. Its changes wait to
        be taken.
        """
        cluster = cls.__new__(cls)
        cluster._build(known.seed, known.epoch_ms, known.settings)
        cluster._take_up(known, saved)
        cluster._provide(known_objects(cluster._context.features))
        cluster._context.loop.drain()
        return cluster

    @property
    def begun_anew(self) -> Sequence[str]:
        """What was begun anew when the cluster was taken up, in words."""
        return self._kubelets.upgrade.begun_anew

    def _take_up(self, known: upgrades.Known, saved: Mapping[str, Any] | None) -> None:
        from . import upgrades

        context, store = self._context, self._store
        context.begin_at(known.now_ms, upgrades.read_chance(known, saved))
        objects = upgrades.read_objects(known, saved)
        context.definitions.restore(objects)
        store.resource_version = known.resource_version
        store.creations = upgrades.read_counts(known, saved)
        store.deletion_stage = upgrades.read_deletion_stages(saved, objects)
        context.trace.load(upgrades.read_trace(known, saved))
        context.trace.say_anew(upgrades.list_unsaid(saved))
        agenda = upgrades.read_agenda(saved, context.loop.knows_timer)
        context.agenda.load(agenda)
        is_same = saved is not None and saved.get("engine_version") == ENGINE_VERSION
        self._kubelets.take_up(saved.get("kubelets") if saved is not None else None, is_same)
        self._scheduler.take_up(upgrades.read_waiting(saved))
        self._restore_controllers(saved)
        is_counted = self._traffic.take_up(part_of(saved, "traffic"))
        context.loop.load(upgrades.read_failures(saved))
        self._kubelets.upgrade.go_on()
        self._drains.go_on()
        if lost := upgrades.count_lost_timers(saved, agenda):
            self._kubelets.upgrade.begun_anew.insert(0, f"what {lost} timers were to do")
        if not is_counted:
            self._kubelets.upgrade.begun_anew.append("what was lost of requests to Services")
        # Where timers are lost, nobody knows who would have looked at what.
        for key in upgrades.keys_of(upgrades.list_woken(saved, objects) if lost == 0 else objects):
            if context.loop.knows_controller(key[0]):
                context.loop.enqueue(*key)

    def _restore_controllers(self, saved: Mapping[str, Any] | None) -> None:
        self._context.budgets.restore(map_of(saved, "evictions"))
        self._drains.load(map_of(saved, "drains"))
        remembered = map_of(saved, "controllers")
        for controller in self._controllers:
            controller.restore()
            if isinstance(controller, Remembering):
                controller.load(remembered.get(controller.name))

    def _restore(self, data: dict[str, Any]) -> None:
        context, store = self._context, self._store
        context.begin_at(data["now_ms"], data.get("chance", self.seed))
        specs = [PodSpec(raw) for raw in data["pod_specs"]]
        context.definitions.restore(decode(entry, specs) for entry in data["objects"])
        store.resource_version = data["resource_version"]
        store.creations = dict(data["creations"])
        store.deletion_stage = dict(data["deletion_stage"])
        context.trace.load(data["trace"])
        self._kubelets.load(data["kubelets"])
        self._scheduler.restore(data["scheduler"])
        self._restore_controllers(data)
        self._traffic.load(data.get("traffic"))
        context.agenda.load(data["agenda"])
        context.loop.load(data["loop"])
        self._components.load(data.get("away", {}))

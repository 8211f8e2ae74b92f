"""One sync of a Deployment in the making: its sets as they will be, and the actions that lead there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....objects.condition import find_condition
from ....objects.meta import ObjectMeta, controller_reference
from ....objects.pods.template import HASH_LABEL, make_hash
from ....objects.record import Record
from ....objects.workloads.deployment import REVISION, Deployment, DeploymentStatus
from ....objects.workloads.replica_set import REPLICA_SET_KIND, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus
from ....rules.actions import Action, Create, Delete, RecordEvent, Refusal, Update
from .progress import count_wanted, make_condition, set_condition
from .reasons import (
    DEPLOYMENT_ROLLBACK,
    FOUND_NEW_REPLICA_SET,
    NEW_REPLICA_SET_CREATED,
    PROGRESSING,
    SCALING_REPLICA_SET,
    SOURCE,
)
from .revisions import (
    by_creation,
    find_new,
    find_old,
    needs_size_annotations,
    new_set_annotations,
    next_revision,
    revision_of,
    size_annotations,
)

LONGEST_NAME = 253


class Options(Record):
    """How the controller words things: the event of a resize with the former size, rollback events.

    `epoch_ms`: of the cluster, whose times are told in whole seconds.
    """

    __slots__ = ("epoch_ms", "events_name_former_size", "rollback_events")

    def __init__(
        self, events_name_former_size: bool = True, rollback_events: bool = False, epoch_ms: int = 0
    ) -> None:
        self.events_name_former_size = events_name_former_size
        self.rollback_events = rollback_events
        self.epoch_ms = epoch_ms


class Seen(Record):
    """What a Deployment's decision needs.

    `replica_sets` are the ones it controls; `unfinished_pods` counts pods that are not finished, terminating
    ones included, by the uid of their set; `taken` is a foreign set that has the new set's name; `refusal` is
    what became of the creation of the new set that was decided just before.
    """

    __slots__ = ("deployment", "options", "refusal", "replica_sets", "taken", "unfinished_pods")

    def __init__(
        self,
        deployment: Deployment,
        replica_sets: Sequence[ReplicaSet],
        unfinished_pods: Mapping[str, int] | None = None,
        taken: ReplicaSet | None = None,
        options: Options | None = None,
        refusal: Refusal | None = None,
    ) -> None:
        self.deployment = deployment
        self.replica_sets = replica_sets
        self.unfinished_pods: Mapping[str, int] = unfinished_pods or {}
        self.taken = taken
        self.options = options or Options()
        self.refusal = refusal


class Rollout:
    """The working state of one decision. What was seen is never written to."""

    def __init__(self, seen: Seen, now_ms: int) -> None:
        self.seen = seen
        self.deployment = seen.deployment
        self.now_ms = now_ms
        self.replica_sets = by_creation(seen.replica_sets)
        self.conditions = seen.deployment.status.conditions
        self.annotations = seen.deployment.meta.annotations
        self.actions: list[Action] = []
        self._updates: dict[str, int] = {}
        self.new = find_new(seen.deployment.spec.template, self.replica_sets)
        """The set of the present template, if there is one."""

    @property
    def old(self) -> list[ReplicaSet]:
        """All other sets, oldest first."""
        return find_old(self.new, self.replica_sets)

    # --- changing a set ---------------------------------------------------------------------------------

    def put(self, changed: ReplicaSet) -> None:
        """Take a changed set; several changes of one set become one write."""
        name = changed.meta.name
        self.replica_sets = [changed if entry.meta.name == name else entry for entry in self.replica_sets]
        if self.new is not None and self.new.meta.name == name:
            self.new = changed
        if name in self._updates:
            action = self.actions[self._updates[name]]
            self.actions[self._updates[name]] = (
                Create(changed) if isinstance(action, Create) else Update(changed)
            )
            return
        self._updates[name] = len(self.actions)
        self.actions.append(Update(changed))

    def begin_writes(self) -> None:
        """Have the next change of a set be a write of its own, whatever was changed of it before."""
        self._updates.clear()

    def scale(self, replica_set: ReplicaSet, size: int) -> bool:
        """Give a set a size, with an event; whether it had another one."""
        if replica_set.spec.replicas == size:
            return False
        self.resize(replica_set, size)
        return True

    def resize(self, replica_set: ReplicaSet, size: int) -> None:
        """Give a set a size and the record of the Deployment's; nothing when both are as they should be."""
        former = replica_set.spec.replicas
        desired, maximum = self.sizes()
        annotations = replica_set.meta.annotations
        if former == size and not needs_size_annotations(annotations, desired, maximum):
            return
        meta = replica_set.meta.replace(annotations={**annotations, **size_annotations(desired, maximum)})
        changed = replica_set.replace(meta=meta)
        if former != size:
            changed = changed.with_spec(changed.spec.with_numbers(replicas=size))
        self.put(changed)
        if former != size:
            self._tell_resize(replica_set.meta.name, former, size)

    def sizes(self) -> tuple[int, int]:
        """(replicas, replicas + surge) of the Deployment."""
        spec = self.deployment.spec
        return spec.replicas, spec.replicas + spec.surge_replicas

    def _tell_resize(self, name: str, former: int, size: int) -> None:
        direction = "up" if size > former else "down"
        origin = f"from {former} " if self.seen.options.events_name_former_size else ""
        self.tell("Normal", SCALING_REPLICA_SET, f"Scaled {direction} replica set {name} {origin}to {size}")

    def tell(self, event_type: str, reason: str, message: str) -> None:
        """Emit an event about the Deployment."""
        self.actions.append(RecordEvent(self.deployment, event_type, reason, message, SOURCE))

    def delete(self, replica_set: ReplicaSet) -> None:
        """Delete a set in the background."""
        self.actions.append(Delete(replica_set))

    # --- the new set ------------------------------------------------------------------------------------

    def sync_revision(self) -> None:
        """Bring the new set's annotations and minReadySeconds up to date, and the Deployment's revision."""
        new = self.new
        if new is None:
            return
        revision = next_revision(self.old)
        annotations = new_set_annotations(self.deployment.meta.annotations, new.meta.annotations, revision)
        former = revision_of(new)
        min_ready = self.deployment.spec.min_ready_seconds
        changed = new
        if annotations != new.meta.annotations:
            changed = changed.replace(meta=new.meta.replace(annotations=annotations))
        if new.spec.min_ready_seconds != min_ready:
            changed = changed.with_spec(new.spec.with_numbers(minReadySeconds=min_ready))
        if changed is not new:
            self.put(changed)
        if 0 < former < revision and self.seen.options.rollback_events:
            name = self.deployment.meta.name
            self.tell("Normal", DEPLOYMENT_ROLLBACK, f'Rolled back deployment "{name}" to revision {former}')
        self._set_revision(annotations.get(REVISION))
        has_condition = find_condition(self.conditions, PROGRESSING) is not None
        if self.deployment.spec.has_progress_deadline and not has_condition:
            self._progress(FOUND_NEW_REPLICA_SET, f'Found new replica set "{new.meta.name}"')

    def _set_revision(self, revision: str | None) -> None:
        if revision is not None and self.annotations.get(REVISION) != revision:
            self.annotations = {**self.annotations, REVISION: revision}

    def _progress(self, reason: str, message: str) -> None:
        fresh = make_condition(PROGRESSING, "True", reason, message, self.now_ms)
        self.conditions = set_condition(self.conditions, fresh)

    def create_new(self) -> ReplicaSet:
        """Create the set of the present template, as large as the ceiling allows."""
        made = make_new_set(self.deployment, self.replica_sets)
        self.new = made
        self.replica_sets = [*self.replica_sets, made]
        self._updates[made.meta.name] = len(self.actions)
        self.actions.append(Create(made))
        if made.spec.replicas > 0:
            self._tell_resize(made.meta.name, 0, made.spec.replicas)
        self._set_revision(made.meta.annotations[REVISION])
        if self.deployment.spec.has_progress_deadline:
            self._progress(NEW_REPLICA_SET_CREATED, f'Created new replica set "{made.meta.name}"')
        return made

    # --- the end ------------------------------------------------------------------------------------------

    def finish(self, status: DeploymentStatus) -> list[Action]:
        """The actions, with one write of the Deployment when its status or revision changed."""
        deployment = self.deployment
        changed = deployment
        if self.annotations is not deployment.meta.annotations:
            changed = changed.replace(meta=deployment.meta.replace(annotations=self.annotations))
        if status != deployment.status:
            changed = changed.with_status(status)
        if changed is not deployment:
            self.actions.append(Update(changed))
        return self.actions


def new_set_size(deployment: Deployment, replica_sets: Sequence[ReplicaSet], new: ReplicaSet) -> int:
    """The size of the new set after the next growth step.

    Rolling update: as much of the missing size as fits under `replicas + surge`, counting all sets. 10
    replicas, surge 2, old 5, new 0: 7. Recreate: full size at once.
    """
    spec = deployment.spec
    if not spec.is_rolling_update:
        return spec.replicas
    total, ceiling = count_wanted(replica_sets), spec.replicas + spec.surge_replicas
    if total >= ceiling:
        return new.spec.replicas
    return new.spec.replicas + min(ceiling - total, spec.replicas - new.spec.replicas)


def new_set_name(deployment: Deployment) -> str:
    """The name of the set of the present template: the Deployment's and the template's hash.

    A name that would become too long is cut, so that the hash is whole.
    """
    hash_text = make_hash(deployment.spec.template, deployment.status.collision_count)
    return f"{deployment.meta.name[: LONGEST_NAME - 1 - len(hash_text)]}-{hash_text}"


def make_new_set(deployment: Deployment, old: Sequence[ReplicaSet]) -> ReplicaSet:
    """The set of the present template: hash in name, labels, selector and template labels."""
    spec = deployment.spec
    hash_text = make_hash(spec.template, deployment.status.collision_count)
    template = spec.template.with_label(HASH_LABEL, hash_text)
    selector = spec.selector.with_label(HASH_LABEL, hash_text)
    annotations = new_set_annotations(deployment.meta.annotations, {}, next_revision(old))
    annotations.update(size_annotations(spec.replicas, spec.replicas + spec.surge_replicas))
    meta = ObjectMeta(
        new_set_name(deployment),
        deployment.meta.namespace,
        labels=template.labels,
        annotations=annotations,
        owner_references=(controller_reference(deployment),),
    )
    empty = ReplicaSet(
        REPLICA_SET_KIND,
        meta,
        ReplicaSetSpec.made(0, spec.min_ready_seconds, selector, template),
        ReplicaSetStatus(),
    )
    size = new_set_size(deployment, [*old, empty], empty)
    return empty.with_spec(empty.spec.with_numbers(replicas=size))

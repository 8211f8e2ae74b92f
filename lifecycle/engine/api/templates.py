"""A cache for pods of a template: their spec after admission, and their first status."""

from __future__ import annotations

from typing import Any

from ..objects.condition import Condition
from ..objects.meta import ObjectMeta, OwnerReference
from ..objects.pods.pod import PENDING, PodSpec
from ..objects.pods.status import PodStatus
from ..rules.defaults.pods import default_pod
from ..rules.pods.qos import decide_qos_class
from .context import Context

MOST_FAMILIES = 1000
GATED_REASON, GATED_TEXT = "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"


class Templates:
    """What is known of the templates that pods are made from."""

    __slots__ = ("_context", "_families")

    def __init__(self, context: Context) -> None:
        self._context = context
        # The spec that pods were last made with for owners of one owner, by its uid: the Jobs of a CronJob
        # have templates of their own, and all the same spec.
        self._families: dict[str, PodSpec] = {}

    def make_status(self, spec: PodSpec) -> PodStatus:
        """The status of a new pod."""
        conditions: tuple[Condition, ...] = ()
        if spec.scheduling_gates:
            # Known from the first moment, before the scheduler has seen the pod (SGATE-03).
            now_ms = self._context.clock.now_ms
            conditions = (Condition("PodScheduled", "False", GATED_REASON, GATED_TEXT, now_ms),)
        return PodStatus(PENDING, conditions, qos_class=decide_qos_class(spec))

    def admit(self, spec: PodSpec, owner: ObjectMeta) -> PodSpec:
        """A template's spec with what admission adds to a pod: the same for all pods of it."""
        notes, completion, namespace = spec.notes, self._context.completion, owner.namespace or ""
        at = (completion.version, namespace)
        if notes.admitted is not None and notes.admitted_at == at:
            return notes.admitted
        raw, told = completion.complete(default_pod(spec.raw, self._context.features), namespace)
        notes.admitted_at = at
        if notes.admitted is not None and notes.admitted.raw == raw:
            return notes.admitted
        spec.notes.admitted = self._read(raw, told, owner.controller)
        return spec.notes.admitted

    def _read(self, raw: dict[str, Any], told: str, family: OwnerReference | None) -> PodSpec:
        known = self._families.get(family.uid) if family is not None else None
        if known is not None and known.raw == raw and known.notes.limited == told:
            return known
        admitted = PodSpec.from_json(raw)
        admitted.notes.limited = told
        if not admitted.scheduling_gates:
            admitted.notes.new_status = self.make_status(admitted)
        if family is not None:
            if len(self._families) >= MOST_FAMILIES:
                self._families.clear()
            self._families[family.uid] = admitted
        return admitted

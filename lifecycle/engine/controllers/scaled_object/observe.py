"""Polling ScaledObjects: at the ends of their intervals, and only where something may have changed."""

from __future__ import annotations

from ...api.context import Context
from ...api.metrics import metrics_of, turns_of
from ...api.scale_targets import Target, find_target, kind_of_target
from ...heart.errors import ApiError
from ...kinds.addons import SCALED_OBJECT, definition_of
from ...kinds.defaults import apply_defaults
from ...kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from ...kinds.registry import read_object
from ...kinds.validation import validate_manifest
from ...objects.kinds import Kind
from ...objects.meta import StoredObject
from ...objects.names import DEFINITION
from ...rules.actions import Create, Scale, Update
from ...rules.validation.addons import SCALED_OBJECT as SHAPE
from ...rules.validation.addons import check_shape
from ..act import Act
from ..loop_controller import LoopController
from .decide import SOURCE, Seen, Verdict, decide, polling_ms

KIND, AUTOSCALER = SCALED_OBJECT.kind.id, HORIZONTAL_POD_AUTOSCALER.kind.id


class ScaledObjectController(LoopController):
    """Keys are ScaledObjects. They are followed once their definition is there; all polls are upkeep."""

    name, source = "scaledObject", SOURCE
    kind = KIND

    def __init__(self, context: Context, act: Act) -> None:
        super().__init__(context, act)
        self._followed: dict[str, None] = {}
        context.store.listen(KIND, self._on_scaled)
        context.store.listen(DEFINITION, self._on_definition)

    def restore(self) -> None:
        """Follow again what is scaled, after a cluster was loaded; an older engine may have left it alone."""
        for scaled in self._store.list(KIND):
            self._follow(scaled)
            self._enqueue_object(scaled)

    # --- what a change can affect -----------------------------------------------------------------------

    def _on_scaled(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and (old is None or old.spec is not new.spec or old.meta is not new.meta):
            self._follow(new)
            self._poll_at(new, self._context.now_ms + 1)

    def _on_definition(self, old: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and old is None and new.meta.name == definition_of(SCALED_OBJECT):
            for scaled in self._store.list(KIND):
                self._poll_at(scaled, self._context.now_ms + 1)

    def _follow(self, scaled: StoredObject) -> None:
        kind_id = _target_kind(scaled).id
        if kind_id not in self._followed:
            self._followed[kind_id] = None
            self._store.listen(kind_id, self._on_target)

    def _on_target(self, old: StoredObject | None, new: StoredObject | None) -> None:
        some = new or old
        assert some is not None, "a write has an old or a new object"
        if old is not None and new is not None and old.spec is new.spec:
            return
        for scaled in self._store.list(KIND, some.meta.namespace or ""):
            reference = (scaled.spec or {}).get("scaleTargetRef") or {}
            if reference.get("name") == some.meta.name and _target_kind(scaled).id == some.kind.id:
                self._poll_at(scaled, self._context.now_ms + 1)

    def _poll_at(self, scaled: StoredObject, from_ms: int) -> None:
        """Poll at the first end of an interval that is not before an instant."""
        created_ms, period_ms = scaled.meta.creation_ms or 0, polling_ms(scaled.spec or {})
        due_ms = created_ms + max(-((created_ms - from_ms) // period_ms), 1) * period_ms
        namespace = scaled.meta.namespace or ""
        self._context.loop.enqueue_at(self.name, namespace, scaled.meta.name, due_ms, is_progress=False)

    # --- a poll -----------------------------------------------------------------------------------------

    def sync(self, namespace: str, name: str) -> None:
        """See the triggers, decide, scale, and keep the autoscaler as it is to be."""
        scaled = self.find(namespace, name)
        if scaled is None or self._store.get(DEFINITION, "", definition_of(SCALED_OBJECT)) is None:
            return
        if check_shape(scaled.spec, SHAPE):
            # Stored by an engine that did not look at it.
            return
        now_ms = self._context.now_ms
        age_ms = now_ms - (scaled.meta.creation_ms or 0)
        if age_ms <= 0 or age_ms % polling_ms(scaled.spec or {}):
            self._poll_at(scaled, now_ms + 1)
            return
        target = self._target_of(scaled)
        verdict = decide(self._see(scaled, target))
        self._keep_autoscaler(scaled, verdict)
        is_new = verdict.status != (scaled.status or {})
        if verdict.size is not None and target.found is not None:
            self._scale(target.found, verdict.size)
        if verdict.event is not None and (is_new or verdict.size is not None):
            self._context.trace.event(scaled.subject, *verdict.event, SOURCE)
        if is_new:
            self._act(Update(scaled.replace(status=verdict.status)))
        turns = [turn for turn in turns_of(scaled) if turn > now_ms]
        ends = [*turns, *([] if verdict.next_ms is None else [verdict.next_ms])]
        if ends:
            self._poll_at(scaled, max(min(ends), now_ms + 1))

    def _scale(self, target: StoredObject, size: int) -> None:
        try:
            self._act(Scale(target, size))
        except ApiError:
            # The next change of the target brings the next try.
            return

    def _see(self, scaled: StoredObject, target: Target) -> Seen:
        namespace, now_ms = scaled.meta.namespace or "", self._context.now_ms
        reference = (scaled.spec or {}).get("scaleTargetRef") or {}
        kind = _target_kind(scaled)
        what = f"{kind.api_version}.{kind.name} {namespace}/{reference.get('name')}"
        replicas = None if isinstance(target.scale, str) else target.scale.replicas
        series = {one.name: value for one, value in metrics_of(scaled, now_ms)}
        return Seen(scaled, replicas, what, series, now_ms, self._context.clock.epoch_ms)

    def _target_of(self, scaled: StoredObject) -> Target:
        name = str(((scaled.spec or {}).get("scaleTargetRef") or {}).get("name") or "")
        return find_target(self._context, _target_kind(scaled), scaled.meta.namespace, name)

    def _keep_autoscaler(self, scaled: StoredObject, verdict: Verdict) -> None:
        if verdict.autoscaler is None:
            return
        wanted = apply_defaults(verdict.autoscaler, self._context.features)
        stored = self._store.get(AUTOSCALER, scaled.meta.namespace, wanted["metadata"]["name"])
        problems = validate_manifest(wanted, self._context.features)
        if problems:
            text = f"{problems[0].path}: {problems[0].body}"
            verdict.event = ("Warning", "KEDAScalersStartFailed", text)
        elif stored is None:
            self._act(Create(read_object(wanted, self._context.clock.epoch_ms)))
        elif stored.spec != wanted["spec"]:
            self._act(Update(stored.replace(spec=wanted["spec"])))


def _target_kind(scaled: StoredObject) -> Kind:
    reference = (scaled.spec or {}).get("scaleTargetRef") or {}
    return kind_of_target(reference, "apps/v1", "Deployment")

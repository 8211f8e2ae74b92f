"""Mutating admission of new pods: LimitRanger, ServiceAccount, Priority and RuntimeClass, then their checks.

In the order of the API server. The result is calculated once for all pods of a template.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...heart.errors import Forbidden
from ...kinds.limit_range import LIMIT_RANGE
from ...kinds.plain import PRIORITY_CLASS, RUNTIME_CLASS, SERVICE_ACCOUNT
from ...kinds.validation import validate_create
from ...objects.kinds import Kind
from ...objects.meta import ObjectMeta, StoredObject
from ...objects.pods.api_access import AUTOMOUNT
from ...objects.pods.pod import MIRROR, POD_KIND, Pod, PodSpec
from ...rules.limits.limit_ranges import ANNOTATION, fill_limits, find_claim_excess, find_pod_excess
from ...rules.validation.words.field_error import FieldError
from ...rules.validation.words.refusal import make_invalid
from ...store.store import Store
from .classes import GIVEN, complete_classes, find_problem

Json = dict[str, Any]
DEFAULT_ACCOUNT = "default"


class PodCompletion:
    """What one cluster does to its new pods. `version` tells those who remember what it came to."""

    __slots__ = ("_features", "_store", "version")

    def __init__(self, store: Store, features: Mapping[str, bool]) -> None:
        self._store = store
        self._features = features
        self.version = 0
        for kind in (LIMIT_RANGE.kind, SERVICE_ACCOUNT, PRIORITY_CLASS, RUNTIME_CLASS):
            store.listen(kind.id, self._on_change)

    def _on_change(self, old: StoredObject | None, new: StoredObject | None) -> None:
        self.version += 1

    def complete(self, raw: Json, namespace: str, is_mirror: bool = False) -> tuple[Json, str]:
        """A pod's spec with what it gets, and what is noted of its resources (`annotate`), "" for nothing.

        What does not fit is left for `require`. A mirror pod has no account, and what its class gives.
        """
        filled, told = fill_limits(raw, self._list_ranges(namespace))
        if is_mirror:
            filled = {name: filled[name] for name in filled if name not in GIVEN}
        else:
            filled = self._with_account(filled, namespace)
        return complete_classes(self._store, filled), told

    def complete_json(self, data: Json, asked: str) -> Json:
        """The same for a pod as JSON, defaults applied. Raises Forbidden where classes or account cannot be.

        That comes before its fields are looked at and its name is made, as with the API server: `asked` is
        what was given of it.
        """
        meta, spec = data["metadata"], data.get("spec") or {}
        has = meta.get("annotations") or {}
        spec, told = self.complete(spec, meta["namespace"], MIRROR in has)
        forbid(self._find_missing(spec, meta["namespace"]), POD_KIND, asked)
        if told:
            meta = {**meta, "annotations": annotate(has, told)}
        return {**data, "metadata": meta, "spec": spec}

    def require(self, spec: PodSpec, meta: ObjectMeta, asked: str) -> None:
        """Raise Forbidden or Invalid when a completed spec cannot be.

        What is missing is told of the pod as it was `asked` for, the rest of the one that has a name.
        """
        notes, at = spec.notes, (self.version, meta.namespace or "")
        if notes.judged_at != at:
            notes.problem, notes.judged_at = self._find_problem(spec.raw, at[1]), at
        if isinstance(notes.problem, str):
            is_missing = notes.problem == self._find_missing(spec.raw, at[1])
            forbid(notes.problem, POD_KIND, asked if is_missing else meta.name)
        else:
            raise make_invalid(POD_KIND.name, meta.name, notes.problem, POD_KIND.api_version)

    def require_within(self, new: StoredObject) -> None:
        """Raise Forbidden when a changed pod or a volume claim exceeds a LimitRange of its namespace."""
        find = find_pod_excess if isinstance(new, Pod) else find_claim_excess
        spec = new.spec.raw if isinstance(new, Pod) else new.spec or {}
        forbid(find(spec, self._list_ranges(new.meta.namespace or "")), new.kind, new.meta.name)

    def _list_ranges(self, namespace: str) -> list[Mapping[str, Any]]:
        return [one.spec or {} for one in self._store.list(LIMIT_RANGE.kind.id, namespace)]

    def _with_account(self, raw: Mapping[str, Any], namespace: str) -> Mapping[str, Any]:
        name = raw.get("serviceAccountName") or DEFAULT_ACCOUNT
        account = self._store.get(SERVICE_ACCOUNT.id, namespace, name)
        given: Mapping[str, Any] = (account.extra or {}) if account is not None else {}
        secrets, mounts = given.get("imagePullSecrets"), given.get(AUTOMOUNT)
        if secrets and not raw.get("imagePullSecrets"):
            raw = {**raw, "imagePullSecrets": secrets}
        return {**raw, AUTOMOUNT: False} if mounts is False and raw.get(AUTOMOUNT) is None else raw

    def _find_problem(self, raw: Json, namespace: str) -> str | list[FieldError]:
        """What is wrong with a completed spec; a LimitRange may have given more requests than limits."""
        ranges = self._list_ranges(namespace)
        data = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": raw}
        wrong = ranges and validate_create(data, self._features)
        return self._find_missing(raw, namespace) or wrong or find_pod_excess(raw, ranges)

    def _find_missing(self, raw: Json, namespace: str) -> str:
        return self._find_missing_account(raw, namespace) or find_problem(self._store, raw)

    def _find_missing_account(self, raw: Json, namespace: str) -> str:
        """A pod runs as an account that is there; every namespace has a `default` one, or soon has again."""
        name = raw.get("serviceAccountName") or DEFAULT_ACCOUNT
        if name == DEFAULT_ACCOUNT or self._store.get(SERVICE_ACCOUNT.id, namespace, name) is not None:
            return ""
        return f'error looking up service account {namespace}/{name}: serviceaccount "{name}" not found'


def annotate(annotations: Mapping[str, str], told: str) -> dict[str, str]:
    """A pod's annotations, with what `complete` says of its resources."""
    return {**annotations, ANNOTATION: told}


def forbid(why: str, kind: Kind, name: str) -> None:
    """Raise Forbidden where there is a reason."""
    if why:
        raise Forbidden(f'{kind.resource} "{name}" is forbidden: {why}', kind.plural, name, group=kind.group)

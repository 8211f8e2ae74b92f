"""Jobs: work that ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from lifecycle.lean_dataclasses import dataclass, field

from ..condition import Condition, is_true, read_conditions
from ..kinds import Kind
from ..meta import ObjectMeta
from ..pods.pod import PodSpec
from ..pods.template import PodTemplate
from ..record import Reading, Record
from ..selector import Selector
from ..times import format_time, parse_time_or_none
from .workload import Workload, WorkloadStatus

JOB_KIND = Kind("batch/v1", "Job", "jobs")
PREFIX = "batch.kubernetes.io/"
TRACKING_FINALIZER = PREFIX + "job-tracking"
"""Keeps a pod until its end is in the Job's status."""
JOB_NAME, CONTROLLER_UID = PREFIX + "job-name", PREFIX + "controller-uid"
COMPLETION_INDEX = PREFIX + "job-completion-index"
"""Annotation and label of a pod of an Indexed Job."""
INDEX_FAILURE_COUNT = PREFIX + "job-index-failure-count"
INDEX_IGNORED_FAILURE_COUNT = PREFIX + "job-index-ignored-failure-count"
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
JOB_CONTROLLER = "kubernetes.io/job-controller"
"""The `managedBy` that means what none does."""
INDEXED, NON_INDEXED = "Indexed", "NonIndexed"
REPLACE_FAILED = "Failed"
"""The `podReplacementPolicy` that waits until a pod has ended."""
IGNORE, COUNT, FAIL_JOB, FAIL_INDEX = "Ignore", "Count", "FailJob", "FailIndex"
COMPLETE, FAILED, SUSPENDED = "Complete", "Failed", "Suspended"
FAILURE_TARGET, SUCCESS_CRITERIA_MET = "FailureTarget", "SuccessCriteriaMet"
_ENDINGS = (COMPLETE, FAILED)


@dataclass(slots=True)
class ExitCodes:
    """`onExitCodes` of a rule: codes that are, or are not, those of a container (None: of any)."""

    is_in: bool
    values: tuple[int, ...]
    container: str | None = None


@dataclass(slots=True)
class FailureRule:
    """One rule of a `podFailurePolicy`: either exit codes or (type, status) of conditions are asked for."""

    action: str
    exit_codes: ExitCodes | None
    conditions: tuple[tuple[str, str], ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FailureRule:
        """Read one rule."""
        codes = data.get("onExitCodes")
        return cls(
            data.get("action") or "",
            ExitCodes(
                codes.get("operator") == "In", tuple(codes.get("values") or ()), codes.get("containerName")
            )
            if codes is not None
            else None,
            tuple(
                (one.get("type") or "", one.get("status") or "True")
                for one in data.get("onPodConditions") or ()
            ),
        )


@dataclass(slots=True)
class SuccessRule:
    """One rule of a `successPolicy`: which indexes (None: any), and how many of them (None: all)."""

    indexes: str | None
    count: int | None


class JobSpec(Reading):
    """What a Job asks for. `raw` is the stored JSON; what it leaves out is as if it were defaulted."""

    def __init__(self, raw: dict[str, Any], template: PodTemplate | None = None) -> None:
        self.raw = raw
        parallelism, limit = raw.get("parallelism"), raw.get("backoffLimit")
        self.parallelism: int = 1 if parallelism is None else parallelism
        self.completions: int | None = raw.get("completions")
        self.backoff_limit_per_index: int | None = raw.get("backoffLimitPerIndex")
        default = 6 if self.backoff_limit_per_index is None else 2**31 - 1
        self.backoff_limit: int = default if limit is None else limit
        self.max_failed_indexes: int | None = raw.get("maxFailedIndexes")
        self.active_deadline_seconds: int | None = raw.get("activeDeadlineSeconds")
        self.ttl_seconds_after_finished: int | None = raw.get("ttlSecondsAfterFinished")
        self.is_indexed: bool = raw.get("completionMode") == INDEXED
        self.suspend: bool = bool(raw.get("suspend"))
        self.managed_by: str | None = raw.get("managedBy")
        self.selector = Selector(raw.get("selector"))
        self.template = template if template is not None else PodTemplate.from_json(raw.get("template"))
        failure, success = raw.get("podFailurePolicy"), raw.get("successPolicy")
        self.failure_rules: tuple[FailureRule, ...] | None = (
            None if failure is None else tuple(map(FailureRule.from_json, failure.get("rules") or ()))
        )
        """None: without a `podFailurePolicy`."""
        self.success_rules: tuple[SuccessRule, ...] = tuple(
            SuccessRule(rule.get("succeededIndexes"), rule.get("succeededCount"))
            for rule in (success or {}).get("rules") or ()
        )
        self.replacement_policy: str | None = raw.get("podReplacementPolicy")
        self._pod_template: PodTemplate | None = None

    def of_another(self, raw: dict[str, Any]) -> JobSpec:
        """The spec of another Job, which differs in its selector and the labels of its pods alone."""
        new = object.__new__(JobSpec)
        new.__dict__.update(self.__dict__)
        new.raw, new.selector, new._pod_template = raw, Selector(raw.get("selector")), None
        new.template = PodTemplate(raw["template"], self.template.spec)
        return new

    @property
    def is_managed_elsewhere(self) -> bool:
        """Whether another controller than Kubernetes' own is to see to it."""
        return self.managed_by is not None and self.managed_by != JOB_CONTROLLER

    @property
    def pod_template(self) -> PodTemplate:
        """What its pods are made from: the template, tracked; of an Indexed Job with the index to be read."""
        if self._pod_template is None:
            raw, spec = self.template.raw, self.template.spec
            if self.is_indexed:
                raw = _with_index_variable(raw)
                spec = PodSpec.from_json(raw.get("spec"))
            finalizers = dict.fromkeys((*self.template.finalizers, TRACKING_FINALIZER))
            metadata = {**(raw.get("metadata") or {}), "finalizers": list(finalizers)}
            self._pod_template = PodTemplate({**raw, "metadata": metadata}, spec)
        return self._pod_template


def _with_index_variable(template: dict[str, Any]) -> dict[str, Any]:
    """JOB_COMPLETION_INDEX in all containers that do not set it themselves (JOB-IDX-07)."""
    spec = dict(template.get("spec") or {})
    field_path = f"metadata.labels['{COMPLETION_INDEX}']"
    variable = {
        "name": INDEX_VARIABLE,
        "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": field_path}},
    }
    for section in ("initContainers", "containers"):
        if spec.get(section):
            spec[section] = [
                container
                if any(one.get("name") == INDEX_VARIABLE for one in container.get("env") or ())
                else {**container, "env": [*(container.get("env") or ()), variable]}
                for container in spec[section]
            ]
    return {**template, "spec": spec}


@dataclass(slots=True, eq=False)
class UncountedPods(Record):
    """uids of ended pods that are in no count yet, in the order in which they were found."""

    succeeded: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> UncountedPods:
        """Read `uncountedTerminatedPods`."""
        return cls(tuple(data.get("succeeded") or ()), tuple(data.get("failed") or ()))

    def to_json(self) -> dict[str, Any]:
        """The API form."""
        return {
            name: list(uids)
            for name, uids in (("succeeded", self.succeeded), ("failed", self.failed))
            if uids
        }


NONE_UNCOUNTED = UncountedPods()


@dataclass(slots=True, eq=False)
class JobStatus(WorkloadStatus):
    """What is reported of a Job. Instants in ms; a number is None where it was never counted."""

    conditions: tuple[Condition, ...] = ()
    start_ms: int | None = None
    completion_ms: int | None = None
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    terminating: int | None = None
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted: UncountedPods | None = None
    ready: int | None = None
    extra: dict[str, Any] | None = field(default=None)
    INTEGERS: ClassVar = (
        ("active", "active"),
        ("succeeded", "succeeded"),
        ("failed", "failed"),
        ("terminating", "terminating"),
        ("ready", "ready"),
    )
    NUMBERS: ClassVar = INTEGERS
    TEXTS: ClassVar = (("completedIndexes", "completed_indexes"), ("failedIndexes", "failed_indexes"))
    TOLD_AT_ZERO: ClassVar = ("terminating", "ready", "failed_indexes")

    @classmethod
    def from_json(cls, data: Mapping[str, Any] | None, epoch_ms: int = 0) -> Self:
        """Read `status`."""
        rest = dict(data or {})
        conditions = read_conditions(rest.pop("conditions", None), epoch_ms)
        found = {slot: rest.pop(name, None) for name, slot in cls.NUMBERS}
        started, completed = rest.pop("startTime", None), rest.pop("completionTime", None)
        completed_indexes, failed_indexes = (
            rest.pop("completedIndexes", None),
            rest.pop("failedIndexes", None),
        )
        uncounted = rest.pop("uncountedTerminatedPods", None)
        return cls(
            conditions=conditions,
            start_ms=parse_time_or_none(started, epoch_ms),
            completion_ms=parse_time_or_none(completed, epoch_ms),
            completed_indexes=completed_indexes or "",
            failed_indexes=failed_indexes,
            uncounted=None if uncounted is None else UncountedPods.from_json(uncounted),
            extra=rest or None,
            **{slot: number for slot, number in found.items() if number is not None},
        )

    def to_json(self, epoch_ms: int = 0) -> dict[str, Any]:
        """The API form, without what is empty."""
        data: dict[str, Any] = {}
        if self.conditions:
            data["conditions"] = [condition.to_json(epoch_ms) for condition in self.conditions]
        for name, instant_ms in (("startTime", self.start_ms), ("completionTime", self.completion_ms)):
            if instant_ms is not None:
                data[name] = format_time(instant_ms, epoch_ms)
        for name, slot in self.NUMBERS:
            number = getattr(self, slot)
            if number or (number is not None and slot in self.TOLD_AT_ZERO):
                data[name] = number
        if self.completed_indexes:
            data["completedIndexes"] = self.completed_indexes
        if self.failed_indexes is not None:
            data["failedIndexes"] = self.failed_indexes
        if self.uncounted is not None:
            data["uncountedTerminatedPods"] = self.uncounted.to_json()
        return {**data, **(self.extra or {})}

    @property
    def finished(self) -> Condition | None:
        """Complete or Failed, whichever holds. There is never more than one."""
        for condition in self.conditions:
            if condition.type in _ENDINGS and condition.status == "True":
                return condition
        return None


class Job(Workload):
    """A Job, typed."""

    __slots__ = ()
    KIND = JOB_KIND.name
    SPEC, STATUS = JobSpec, JobStatus
    spec: JobSpec
    status: JobStatus

    def read_like(self, data: Mapping[str, Any], epoch_ms: int = 0) -> Self:
        """Read a new Job of the same spec; it shares its reading."""
        template = data["spec"]["template"]
        if template.get("spec") is not self.spec.template.raw.get("spec"):
            return type(self).from_json(data, epoch_ms)
        spec, meta = self.spec.of_another(data["spec"]), ObjectMeta.from_json(data["metadata"], epoch_ms)
        return type(self)(self.kind, meta, spec, JobStatus())

    @property
    def is_finished(self) -> bool:
        """Whether it has come to its end, well or badly."""
        return self.status.finished is not None

    @property
    def has_succeeded(self) -> bool:
        """Whether it is complete."""
        return is_true(self.status.conditions, COMPLETE)

"""The feature gates that Jobs know. All are on in the modelled version; older ones did without some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from lifecycle.lean_dataclasses import dataclass

from ...objects.workloads.job import REPLACE_FAILED, JobSpec
from ...releases.gates import is_enabled


@dataclass(frozen=True, slots=True)
class JobGates:
    """What is on."""

    replacement_policy: bool = True
    success_policy: bool = True
    managed_by: bool = True
    limit_per_index: bool = True

    @classmethod
    def read(cls, gates: Mapping[str, bool]) -> Self:
        """From gates by their names; one that is not there is on."""
        return cls(
            is_enabled(gates, "JobPodReplacementPolicy"),
            is_enabled(gates, "JobSuccessPolicy"),
            is_enabled(gates, "JobManagedBy"),
            is_enabled(gates, "JobBackoffLimitPerIndex"),
        )

    @property
    def delays_end(self) -> bool:
        """Whether Complete and Failed wait until all pods have ended (JOB-TERM-09 to -11)."""
        return self.replacement_policy or self.managed_by

    @property
    def tells_success(self) -> bool:
        """Whether SuccessCriteriaMet comes before Complete."""
        return self.success_policy or self.delays_end

    def replaces_only_failed(self, spec: JobSpec) -> bool:
        """Whether a pod that is being deleted is replaced, and counts as failed, only once it has ended."""
        is_asked_for = self.replacement_policy and spec.replacement_policy == REPLACE_FAILED
        return is_asked_for or spec.failure_rules is not None

    def limits_index(self, spec: JobSpec) -> bool:
        """Whether each index has retries of its own."""
        return self.limit_per_index and spec.is_indexed and spec.backoff_limit_per_index is not None

    def is_managed_elsewhere(self, spec: JobSpec) -> bool:
        """Whether another controller than Kubernetes' own is to see to it (JOB-MANAGED-01, -02)."""
        return self.managed_by and spec.is_managed_elsewhere


ALL_GATES = JobGates()

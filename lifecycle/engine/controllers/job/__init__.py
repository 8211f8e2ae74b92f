"""The Job controller: pods until enough of them have succeeded, or the Job has failed.

Modelled: fixed counts, work queues and indexes; back-off, per Job and per index; policies of failure, success
and replacement; deadlines, suspension, tracking by finalizers, interim and terminal conditions. Kubernetes'
expectations guard against a stale cache of its own writes; here a write is seen by the next read.
"""

from .observe import JobController
from .release import JobPodReleaser

__all__ = ["JobController", "JobPodReleaser"]

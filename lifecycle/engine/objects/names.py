"""Names of Kubernetes that many modules speak of: labels, annotations, fields, conditions."""

from __future__ import annotations

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl keeps what it applied last."""
HOSTNAME = "kubernetes.io/hostname"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
"""Labels of a node that say where it is; the old ones are those of before v1.17."""
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
"""The two fields of every affinity."""
DEFINITION = "CustomResourceDefinition"
"""The id of its kind."""
REPLICA_FAILURE = "ReplicaFailure"
"""The condition of a workload whose pods are refused."""
FAILED_CREATE = "FailedCreate"
"""The reason of that condition, and of the events that tell of a refused pod."""
SAFE_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""Of made-up names: no vowels and nothing like one, so that no bad word comes out.

apimachinery/pkg/util/rand/rand.go
"""

"""Of a kubelet's configuration in Kubernetes v1.35, the part that is modelled: no API server serves it.

Written as `schema/fields.py` says. A type with "*" takes further fields, each of that type.
"""

from __future__ import annotations

KINDS: dict[str, list[str]] = {"kubelet.config.k8s.io/v1beta1": ["KubeletConfiguration"]}
TYPES: dict[str, dict[str, str]] = {
    "KubeletConfiguration": {
        "crashLoopBackOff": "CrashLoopBackOffConfig",
        "userNamespaces": "UserNamespacesConfig",
        "maxPods": "int32",
        "shutdownGracePeriod": "string",
        "shutdownGracePeriodCriticalPods": "string",
        "evictionHard": "map of string",
        "evictionSoft": "map of string",
        "evictionSoftGracePeriod": "map of string",
        "evictionMaxPodGracePeriod": "int32",
        "evictionPressureTransitionPeriod": "string",
        "featureGates": "map of boolean",
        "cpuManagerPolicy": "string",
        "reservedSystemCPUs": "string",
        "systemReserved": "map of string",
        "kubeReserved": "map of string",
        "mergeDefaultEvictionSettings": "boolean",
        "*": "any",
    },
    "CrashLoopBackOffConfig": {"maxContainerRestartPeriod": "string"},
    "UserNamespacesConfig": {"idsPerPod": "int64"},
}

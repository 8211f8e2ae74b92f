"""The kinds of objects a cluster knows, spelled as in their API groups."""

from __future__ import annotations

from .record import Record


class Kind(Record):
    """One kind: `api_version` such as `apps/v1`, its name, plural and short names, and its scope."""

    __slots__ = ("api_version", "name", "namespaced", "plural", "short_names")

    def __init__(
        self, api_version: str, name: str, plural: str, namespaced: bool = True, short_names: str = ""
    ) -> None:
        self.api_version = api_version
        self.name = name
        self.plural = plural
        self.namespaced = namespaced
        self.short_names = tuple(short_names.split())

    @property
    def group(self) -> str:
        """The API group, "" for the core group."""
        return self.api_version.rpartition("/")[0]


_ALL = (
    Kind("v1", "Pod", "pods", True, "po"),
    Kind("v1", "Node", "nodes", False, "no"),
    Kind("v1", "Namespace", "namespaces", False, "ns"),
    Kind("v1", "Service", "services", True, "svc"),
    Kind("v1", "Endpoints", "endpoints", True, "ep"),
    Kind("v1", "ConfigMap", "configmaps", True, "cm"),
    Kind("v1", "Secret", "secrets"),
    Kind("v1", "ServiceAccount", "serviceaccounts", True, "sa"),
    Kind("v1", "PersistentVolume", "persistentvolumes", False, "pv"),
    Kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims", True, "pvc"),
    Kind("v1", "ReplicationController", "replicationcontrollers", True, "rc"),
    Kind("v1", "ResourceQuota", "resourcequotas", True, "quota"),
    Kind("v1", "LimitRange", "limitranges", True, "limits"),
    Kind("v1", "PodTemplate", "podtemplates"),
    Kind("v1", "Event", "events", True, "ev"),
    Kind("apps/v1", "Deployment", "deployments", True, "deploy"),
    Kind("apps/v1", "ReplicaSet", "replicasets", True, "rs"),
    Kind("apps/v1", "StatefulSet", "statefulsets", True, "sts"),
    Kind("apps/v1", "DaemonSet", "daemonsets", True, "ds"),
    Kind("apps/v1", "ControllerRevision", "controllerrevisions"),
    Kind("batch/v1", "Job", "jobs"),
    Kind("batch/v1", "CronJob", "cronjobs", True, "cj"),
    Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", True, "hpa"),
    Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", True, "pdb"),
    Kind("discovery.k8s.io/v1", "EndpointSlice", "endpointslices"),
    Kind("networking.k8s.io/v1", "Ingress", "ingresses", True, "ing"),
    Kind("networking.k8s.io/v1", "IngressClass", "ingressclasses", False),
    Kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", True, "netpol"),
    Kind("rbac.authorization.k8s.io/v1", "Role", "roles"),
    Kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
    Kind("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", False),
    Kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", False),
    Kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", False, "pc"),
    Kind("storage.k8s.io/v1", "StorageClass", "storageclasses", False, "sc"),
    Kind("coordination.k8s.io/v1", "Lease", "leases"),
    Kind("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", False),
    Kind("podline.dev/v1alpha1", "ContainerProfile", "containerprofiles", False),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _ALL}


def kind_for(api_version: str, name: str) -> Kind:
    """The kind of that name, or a new namespaced one for kinds nobody here knows (custom resources)."""
    known = KINDS.get(name)
    if known is not None and (not api_version or known.group == api_version.rpartition("/")[0]):
        return (
            known if not api_version or known.api_version == api_version else _at_version(known, api_version)
        )
    return Kind(api_version or "v1", name, name.lower() + "s")


def _at_version(kind: Kind, api_version: str) -> Kind:
    # An older or newer version of a known group is read with the same rules.
    return kind.replace(api_version=api_version)

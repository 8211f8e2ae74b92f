"""Which resources a cluster serves: Kubernetes' own, and those that definitions stored there give it."""

from lifecycle.kube_api.describing import custom_resources
from lifecycle.kube_api.describing.built_in import list_built_in
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.models import Cluster
from lifecycle.reads import read_release


def find(cluster: Cluster, group: str, version: str, name: str) -> Resource | None:
    """A resource of a cluster: a built-in one, or one that a definition stored there gives it."""
    key = (group, version, name)
    return list_built_in(read_release(cluster)).get(key) or custom_resources.of_cluster(cluster).get(key)


def is_built_in_group(cluster: Cluster, group: str) -> bool:
    """Whether Kubernetes itself has a group of that name."""
    return any(one.group == group for one in list_built_in(read_release(cluster)).values())


def list_all(cluster: Cluster) -> list[Resource]:
    """All resources of a cluster, the custom ones last."""
    built_in = list_built_in(read_release(cluster))
    return [*built_in.values(), *custom_resources.of_cluster(cluster).values()]

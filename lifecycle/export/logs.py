"""Finding what a container wrote, as `kubectl logs` would."""

from django.http import Http404, QueryDict
from rest_framework.exceptions import ValidationError

from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.export.filters import parse_yes_or_no, read_values
from lifecycle.models import Cluster, ContainerLog, StoredObject
from lifecycle.runs import container_logs
from lifecycle.sources import Row
from lifecycle.stored_kinds import of_kind


def find_log(cluster: Cluster, query: QueryDict) -> Row:
    """One run's log and whose it is. Http404: no such pod or run. ValidationError: a bad parameter."""
    pod = _find_pod(cluster, query.get("namespace") or "default", query.get("pod"))
    container = _choose_container(pod, query.get("container"))
    is_previous = any(read_values(query, "previous", parse_yes_or_no))
    run = container_logs.find_run(cluster, pod.uid, container, is_previous)
    if is_previous and run is None:
        raise Http404(f"Container {container} of pod {pod.name} has no previous run.")
    # A container that has not written anything yet has an empty log.
    run = run or ContainerLog(attempt=0)
    return {
        "namespace": pod.namespace,
        "pod": pod.name,
        "uid": pod.uid,
        "container": container,
        "attempt": run.attempt,
        "started_ms": run.started_ms,
        "text": run.text,
    }


def _find_pod(cluster: Cluster, namespace: str, name: str | None) -> StoredObject:
    """The living pod of that name, else the one that was deleted last."""
    if not name:
        raise ValidationError({"pod": ["Name the pod: ?pod=web-0"]})
    pods = StoredObject.objects.filter(of_kind(POD_KIND.id), cluster=cluster, namespace=namespace, name=name)
    pod = pods.filter(deleted_ms__isnull=True).first() or pods.order_by("-deleted_ms").first()
    if pod is None:
        raise Http404(f"There is no pod {namespace}/{name} in {cluster.name}.")
    return pod


def _choose_container(pod: StoredObject, wanted: str | None) -> str:
    """The named container, or the only one."""
    spec = pod.data["spec"]
    lists = ("containers", "initContainers", "ephemeralContainers")
    names = [container["name"] for key in lists for container in spec.get(key) or []]
    if wanted is None and len(spec["containers"]) == 1:
        wanted = names[0]
    if wanted is None or wanted not in names:
        raise ValidationError(
            {"container": [f"Pod {pod.name} has the containers {', '.join(names)}: name one"]}
        )
    return wanted

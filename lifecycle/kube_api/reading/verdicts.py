"""What the judge says of workloads and of pods by themselves: `verdicts.podline.dev`, `kubectl get why`.

A resource that Kubernetes does not have, so that no column and no annotation of one that it has is another.
Nobody records verdicts: they are made when somebody asks, from the recorded rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.registry import list_workloads
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.kube_api.asking import label_selectors
from lifecycle.kube_api.asking.asked import Answer, Asked
from lifecycle.kube_api.reading.lists import Page
from lifecycle.kube_api.status import Refusal, not_found
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import virtual_now_ms
from lifecycle.recorded.once import asked_once
from lifecycle.recorded.seen import judge
from lifecycle.stored_kinds import kind_of_stored, of_kind

Json = dict[str, Any]
MOST = 500
"""So many are judged for one request: it is not to wait for ever."""


@asked_once()
def answer(asked: Asked) -> Answer:
    """GET of one verdict, or of all. Raises Refusal."""
    address, resource = asked.address, asked.resource
    found = _list_judged(asked.cluster, address.namespace)
    if address.name:
        # Kinds and names may have dots.
        words = address.name.split(".")
        called = found.filter(name__in=[".".join(words[place:]) for place in range(1, len(words))])
        named = next((one for one in called if _name(one) == address.name), None)
        if named is None:
            raise not_found(resource, address.name)
        return Answer(next(_judge(asked.cluster, [named])))
    if found.count() > MOST:
        raise Refusal(
            400,
            f"more than {MOST} workloads and pods are too many to judge at once: name a namespace, or one",
            "BadRequest",
        )
    selector = label_selectors.parse(asked.options.get("labelSelector", ""))
    chosen = [one for one in found if label_selectors.matches(selector, _labels(one))]
    return Answer(Page(list(_judge(asked.cluster, chosen)), str(asked.cluster.rv)))


def _list_judged(cluster: Cluster, namespace: str | None) -> QuerySet[StoredObject]:
    """The workloads and pods that nobody owns."""
    kinds = of_kind(POD_KIND.id, *(entry.kind.id for entry in list_workloads()))
    alone = StoredObject.objects.filter(kinds, cluster=cluster, deleted_ms__isnull=True, owner__isnull=True)
    return (alone if namespace is None else alone.filter(namespace=namespace)).order_by(
        "namespace", "kind", "name"
    )


def _name(stored: StoredObject) -> str:
    """`deployment.web`"""
    return f"{kind_of_stored(stored).lower()}.{stored.name}"


def _labels(stored: StoredObject) -> Json:
    return (stored.data.get("metadata") or {}).get("labels") or {}


def _judge(cluster: Cluster, chosen: list[StoredObject]) -> Iterator[Json]:
    now_ms = virtual_now_ms(cluster)
    for one in chosen:
        told = judge(cluster, one, now_ms)
        if told is not None:
            meta = {"name": _name(one), "namespace": one.namespace, "labels": _labels(one)}
            created = one.data["metadata"].get("creationTimestamp")
            yield {
                "kind": "Verdict",
                "apiVersion": CONTAINER_PROFILE.api_version,
                "metadata": meta | {"creationTimestamp": created},
                "status": {"well": told.is_well, "why": told.sentence},
            }

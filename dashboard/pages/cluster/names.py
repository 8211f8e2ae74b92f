"""Names of what there is in a cluster, for who types one: exactly so, or beginning or going on like that."""

from __future__ import annotations

from itertools import chain

from django.db.models import QuerySet
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_GET

from dashboard.addresses import find_page
from dashboard.pages.parts import UNPROCESSABLE, signed_in
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.kinds import registry
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.models import StoredObject
from lifecycle.recorded.objects import alive
from lifecycle.stored_kinds import kind_of_stored, of_kind

MOST_NAMES = 20
LONGEST_NAME = 253
KINDS = {"node": NODE_KIND.id, "namespace": "Namespace", "pod": POD_KIND.id}
WORKLOAD = "workload"
COLUMNS = ("kind", "group", "namespace", "name")


@signed_in
@require_GET
def names(request: HttpRequest, cluster: str) -> JsonResponse:
    """`{names: [{kind, namespace, name, page}]}`, at most 20, by name.

    `?of=` is node, namespace, pod or workload; `?named=` is the whole name, `?like=` a part of it, those
    first that begin so; of `?namespace=` alone, where it is said. `page` is the address below the cluster's,
    "" for none.
    """
    found = get_cluster_or_404(request.user, cluster)
    of = request.GET.get("of", "")
    if of not in (*KINDS, WORKLOAD):
        return JsonResponse({"error": f"of: use {', '.join((*KINDS, WORKLOAD))}"}, status=UNPROCESSABLE)
    if of == WORKLOAD:
        kinds = of_kind(*(entry.kind.id for entry in registry.list_workloads()))
        rows = StoredObject.objects.filter(kinds, cluster=found, deleted_ms__isnull=True, owner__isnull=True)
    else:
        rows = alive(found, KINDS[of])
    if namespace := request.GET.get("namespace", "")[:LONGEST_NAME]:
        rows = rows.filter(namespace=namespace)
    rows = rows.order_by("name", "namespace").only(*COLUMNS)
    if named := request.GET.get("named", "")[:LONGEST_NAME]:
        chosen = list(rows.filter(name=named)[:MOST_NAMES])
    else:
        chosen = _list_like(rows, request.GET.get("like", "")[:LONGEST_NAME])
    return JsonResponse({"names": [_tell(one) for one in chosen]})


def _list_like(rows: QuerySet[StoredObject], text: str) -> list[StoredObject]:
    """Those that begin so, then those that have it elsewhere."""
    first = rows.filter(name__istartswith=text)[:MOST_NAMES]
    others = rows.filter(name__icontains=text).exclude(name__istartswith=text)[:MOST_NAMES] if text else ()
    return list(chain(first, others))[:MOST_NAMES]


def _tell(stored: StoredObject) -> dict[str, str]:
    namespace, kind = stored.namespace or "", kind_of_stored(stored)
    page = find_page(kind, namespace, stored.name)
    return {"kind": stored.kind, "namespace": namespace, "name": stored.name, "page": page}

"""The pods of a cluster as a table, in the columns that kubectl has for them.

A page reads it whole, and changes it by what frames say of objects (docs/formats.md); what is asked for by
the filter box it reads anew, as only the server knows which pods that are.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET

from dashboard.pages.finding import take_pods
from dashboard.pages.parts import signed_in
from dashboard.plots.density import ORDER
from dashboard.plots.queries import LONGEST, Query, read_query
from lifecycle.access import get_cluster_or_404
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.rules.columns.pods import POD_COLUMNS
from lifecycle.models import Cluster
from lifecycle.recorded.objects import alive

PLACED = ("namespace", "name")
"""What `kubectl get pods --all-namespaces` prints before the columns."""
STORED = {"Ready": "ready", "Status": "status", "Restarts": "restarts", "Age": "created_ms", "Node": "node"}
"""Of kubectl's columns those that the summary of an object has."""
HEADINGS = {
    **{name: name for name in PLACED},
    **{STORED[one.name]: one.name for one in POD_COLUMNS if one.name in STORED},
}
"""By column of the summary what kubectl calls it, in kubectl's order."""
BESIDE = ("state", "rv")
"""What a row has besides: its colour, and which version of the pod it tells."""


@signed_in
@require_GET
@gzip_page
def pod_table(request: HttpRequest, cluster: str) -> JsonResponse:
    """The living pods, or those that are asked for (`?q=`), as JSON.

    `columns`: `[key, heading]` each; `states`: all, the gravest first; `rows`: a list a pod, its uid, then
    the columns, then its state and version; `narrowed`: whether there may be others.
    """
    found = get_cluster_or_404(request.user, cluster)
    query = read_query(request.GET.get("q", "")[:LONGEST])
    columns = [[key, heading.upper()] for key, heading in HEADINGS.items()]
    told = {"columns": columns, "states": ORDER, "rows": list_rows(found, query)}
    return JsonResponse(told | {"narrowed": bool(query)})


def list_rows(cluster: Cluster, query: Query) -> list[tuple[Any, ...]]:
    """Uid, columns, state and version of the living pods that are asked for."""
    pods = alive(cluster, POD_KIND.id).order_by()
    told = ("uid", *HEADINGS, *BESIDE)
    if not query:
        return list(pods.values_list(*told))
    return [tuple(columns) for *columns, _ in take_pods(cluster, pods, query, *told)]

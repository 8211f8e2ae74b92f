"""The metric of lost requests: of the clusters that who asks may see, a bounded number of them."""

from __future__ import annotations

from prometheus_client.core import CounterMetricFamily

from lifecycle import reads
from lifecycle.access import User, address_for, clusters_for
from lifecycle.recorded.requests import list_services, read_served

NAME = "podline_requests_lost_seconds"
WHAT = "Request-seconds lost: the share of a Service's requests that failed, times virtual seconds"
LABELS = ["cluster", "namespace", "service", "sender"]
MOST_CLUSTERS = 20
"""Those whose time goes on before others, then the latest."""
MOST_SERVICES = 50
"""Of each cluster, the first by namespace and name."""


def count_lost(user: User) -> CounterMetricFamily:
    """By Service and sender, in virtual time; the histories are their own, so that forks count anew."""
    family = CounterMetricFamily(NAME, WHAT, labels=LABELS)
    seen = clusters_for(user).select_related("owner").order_by("paused", "-pk")
    for cluster in seen[:MOST_CLUSTERS]:
        address, now_ms = address_for(user, cluster), reads.virtual_now_ms(cluster)
        for served in read_served(cluster, list_services(cluster)[:MOST_SERVICES]):
            for sender in served.courses.list_senders():
                lost_ms = served.courses.by_sender[sender].sum_lost(None, now_ms)
                labels = [address, served.stored.namespace or "", served.stored.name, sender]
                family.add_metric(labels, float(lost_ms) / 1000)
    return family

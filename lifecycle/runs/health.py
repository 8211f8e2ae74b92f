"""Podline's own probes and metrics: is it alive, can it serve, how is it doing."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from django.conf import settings
from django.db import Error
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from lifecycle import reads, rest_tokens
from lifecycle.access import User, address_for, clusters_for
from lifecycle.models import Cluster, Command, Worker
from lifecycle.recorded.requests import read_lost_sums
from lifecycle.runs import messages
from lifecycle.runs.sharing.shards import SILENCE

# What workers count: name in their figures -> what it is.
WORKER_COUNTERS = {
    "turns": "Turns of clusters",
    "rows": "Transitions and events recorded",
    "versions": "Object versions recorded",
    "commands": "Commands answered",
    "frames": "Frames published",
    "take_overs": "Clusters loaded from what was recorded",
    "engine_seconds": "Seconds spent in the engine",
    "record_seconds": "Seconds spent recording",
}
LOST = "podline_requests_lost_seconds"
LOST_LABELS = ["cluster", "namespace", "service", "sender"]
MOST_CLUSTERS = 20
"""Lost requests are told of so many: those whose time goes on before others, then the latest."""
MOST_SERVICES = 50
"""Of each cluster, the first by namespace and name."""


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Alive: this process answers. Nothing else is asked, so that a broken database restarts nobody."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Able to serve: the database and Redis answer and an engine worker is there; 503 says which is not."""
    checks = {
        "database": _problem_of(_ask_database),
        "redis": messages.carrier().find_problem(),
        "workers": _problem_of(_ask_workers),
    }
    is_ready = not any(checks.values())
    is_told = "metrics" in settings.OPEN_TO_ALL or getattr(request.user, "is_staff", False)
    answer: dict[str, object] = {"ready": is_ready}
    for name, problem in checks.items():
        answer[name] = "ok" if not problem else problem if is_told else "not ready"
    response = JsonResponse(answer, status=200 if is_ready else 503)
    # Not being ready yet is an answer, not an error for the log.
    vars(response)["_has_been_logged"] = True
    return response


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics of all workers and of the inbox: for staff, and for all where a setting says so.

    Lost requests are told of the clusters that who asks may see, by a session or a token of the REST export.
    """
    user = rest_tokens.find_user(request.headers.get("Authorization", "")) or request.user
    if "metrics" not in settings.OPEN_TO_ALL and not getattr(user, "is_staff", False):
        return HttpResponse(
            "For staff; OPEN_TO_ALL=metrics opens it to all.\n", status=403, content_type="text/plain"
        )
    registry = CollectorRegistry()
    registry.register(_Podline(user))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
]


def _problem_of(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except Error as problem:
        return str(problem) or type(problem).__name__


def _ask_database() -> str:
    Cluster.objects.order_by("pk").values_list("pk", flat=True).first()
    return ""


def _ask_workers() -> str:
    # A second of grace: a beat may be waiting for the database.
    alive = Worker.objects.filter(seen_at__gte=timezone.now() - SILENCE - timedelta(seconds=1))
    return "" if alive.exists() else "no engine worker has been heard of for 4 s"


class _Podline(Collector):
    """Reads the numbers when asked; workers leave theirs with each heartbeat."""

    def __init__(self, user: User) -> None:
        self._user = user

    def describe(self) -> Iterator[Metric]:
        """Nothing: who registers would else read all the numbers once more."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        workers = list(Worker.objects.filter(seen_at__gte=timezone.now() - SILENCE))
        yield GaugeMetricFamily("podline_workers", "Engine workers alive", len(workers))
        yield GaugeMetricFamily("podline_clusters", "Clusters", Cluster.objects.count())
        yield GaugeMetricFamily(
            "podline_clusters_running",
            "Clusters whose time goes on",
            Cluster.objects.filter(paused=False, failure="").count(),
        )
        yield GaugeMetricFamily(
            "podline_clusters_failed",
            "Clusters stopped by a defect",
            Cluster.objects.exclude(failure="").count(),
        )
        yield GaugeMetricFamily(
            "podline_commands_pending",
            "Commands nobody has answered yet",
            Command.objects.filter(state=Command.State.PENDING).count(),
        )
        total = Cluster.objects.aggregate(total=Sum("seq"))["total"] or 0
        yield GaugeMetricFamily("podline_history_rows", "Rows of all histories", total)
        hot = GaugeMetricFamily("podline_worker_hot_clusters", "Clusters in memory", labels=["worker"])
        lag = GaugeMetricFamily(
            "podline_worker_lag_seconds", "How far the last turn was behind real time", labels=["worker"]
        )
        for worker in workers:
            hot.add_metric([worker.name], worker.hot_clusters)
            lag.add_metric([worker.name], worker.figures.get("lag_seconds", 0.0))
        yield from (hot, lag)
        for name, what in WORKER_COUNTERS.items():
            family = CounterMetricFamily(f"podline_worker_{name}", what, labels=["worker"])
            for worker in workers:
                family.add_metric([worker.name], worker.figures.get(name, 0))
            yield family
        yield _count_lost(self._user)


def _count_lost(user: User) -> CounterMetricFamily:
    """By Service and sender, in virtual time; the histories are their own, so that forks count anew."""
    what = "Request-seconds lost: the share of a Service's requests that failed, times virtual seconds"
    family = CounterMetricFamily(LOST, what, labels=LOST_LABELS)
    seen = list(clusters_for(user).select_related("owner").order_by("paused", "-pk")[:MOST_CLUSTERS])
    sums = read_lost_sums(seen, MOST_SERVICES)
    for cluster in seen:
        address, now_ms = address_for(user, cluster), reads.virtual_now_ms(cluster)
        for one in sums.get(cluster.pk, ()):
            labels = [address, one.namespace, one.name, one.sender]
            family.add_metric(labels, one.count_ms(now_ms) / 1000)
    return family

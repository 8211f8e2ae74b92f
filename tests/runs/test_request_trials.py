"""What would have kept requests is tried on a recorded cluster as it was before the change that lost them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from dashboard.asking import answers
from dashboard.asking.answers import Answer
from dashboard.asking.request_trials import Change, Retrial, find_change, restore_before
from lifecycle.models import Cluster, Command
from lifecycle.recorded.objects import find_object
from lifecycle.recorded.requests import read_courses
from lifecycle.remedies import Patience
from lifecycle.runs import inbox
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.simulation.request_cures import Cure, LateError

pytestmark = pytest.mark.slow
PLACE = ("Deployment", "default", "web")
RESTART = ("rollout", {"kind": "Deployment", "namespace": "default", "name": "web", "action": "restart"})
DRAIN = ("drain", {"node": "node-1", "ignoreDaemonSets": True})
CRASH = ("fault", {"node": "node-1", "kind": "crash"})
SCALE = ("scale", {"kind": "Deployment", "namespace": "default", "name": "web", "replicas": 1})


def make_objects(**spec: Any) -> list[dict[str, Any]]:
    """Two pods that end at once, behind a Service whose rules follow 3 s late."""
    meta, labels = {"name": "web", "namespace": "default"}, {"app": "web"}
    container = {"name": "app", "image": "sim/server:1", "ports": [{"containerPort": 8080}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template, **spec}
    asked = {"podline.dev/requests": "{perSecond: 100}"}
    service = {"selector": labels, "ports": [{"port": 80, "targetPort": 8080}]}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec},
        {"apiVersion": "v1", "kind": "Service", "metadata": {**meta, "annotations": asked}, "spec": service},
    ]


@pytest.fixture
def live(owner: Any, make_cluster: Any) -> Any:
    """A recorded cluster that has lived through these commands, 20 s apart, from 20 s on."""

    def live(*commands: tuple[str, dict[str, Any]], lag: str = "3s", **spec: Any) -> Cluster:
        timing = {"preset": "instant", "service_proxy": lag}
        cluster = make_cluster("shop", settings={"timing": timing, "nodes": {"count": 2}})
        for made in make_objects(**spec):
            inbox.append(cluster, "apply", {"object": made}, pinned_ms=0)
        for number, (kind, payload) in enumerate(commands, 1):
            inbox.append(cluster, kind, payload, pinned_ms=number * 20_000)
        inbox.control(cluster, "run", {"untilMs": (len(commands) + 4) * 20_000})
        while owner.turn(cluster.pk) is not None:
            pass
        cluster.refresh_from_db()
        assert not cluster.commands.filter(state=Command.State.PENDING).exists()
        return cluster

    return live


def find(cluster: Cluster) -> Change | None:
    stored = find_object(cluster, "Service", "default", "web")
    assert stored is not None
    return find_change(cluster, stored.uid)


def retry(cluster: Cluster, change: Change, patience: Patience | None = None) -> Retrial:
    stored = find_object(cluster, "Service", "default", "web")
    assert stored is not None
    return Retrial(restore_before(cluster, change), change, stored.data, PLACE, patience or Patience())


def count_recorded_ms(cluster: Cluster) -> int:
    """How many ms' worth of requests the recorded cluster lost since its first change."""
    stored = find_object(cluster, "Service", "default", "web")
    assert stored is not None
    return round(read_courses(cluster, [stored.uid])[stored.uid].sum_lost(20_000, cluster.instant_ms))


@pytest.mark.parametrize(
    "commands, at_ms, kinds",
    [
        pytest.param([RESTART], 20_000, ["rollout"], id="a rollout"),
        pytest.param([DRAIN], 20_000, ["drain"], id="a drain"),
        pytest.param([RESTART, SCALE], 40_000, ["scale"], id="the last of two"),
        pytest.param([RESTART, CRASH], 20_000, ["rollout"], id="that a machine fails is nobody's plan"),
        pytest.param([], None, [], id="nothing but what was made at first"),
    ],
)
def test_the_change_that_lost_requests_is_found(live: Any, commands: Any, at_ms: Any, kinds: Any) -> None:
    change = find(live(*commands))
    if change is None:
        assert at_ms is None
        return
    assert (change.at_ms, [one.kind for one in change.commands][: len(kinds)]) == (at_ms, kinds)


@pytest.mark.parametrize(
    "command, spec, cure, lost_ms",
    [
        # The rules know of it 3 s late, of one of two or three.
        pytest.param(RESTART, {}, Cure(wait_seconds=3), 0, id="a rollout, and a wait that is long enough"),
        pytest.param(DRAIN, {}, Cure(wait_seconds=3), 0, id="a drain"),
        pytest.param(SCALE, {}, Cure(wait_seconds=3), 0, id="another size"),
        # One of two is away for the last of 3 s.
        pytest.param(SCALE, {}, Cure(wait_seconds=2), 500, id="a wait that is too short by a second"),
    ],
)
def test_the_same_change_loses_less_with_a_cure(
    live: Any, command: Any, spec: Any, cure: Cure, lost_ms: int
) -> None:
    cluster = live(command, **spec)
    change = find(cluster)
    assert change is not None
    run = retry(cluster, change)
    before, after = run(Cure()), run(cure)
    assert before is not None and after is not None
    assert (before.lost_ms, after.lost_ms) == (count_recorded_ms(cluster), lost_ms)
    # Nothing was asked of the cluster itself.
    assert cluster.commands.count() == 3


def test_a_cure_of_what_brings_the_whole_workload_is_in_it(live: Any) -> None:
    deployment, _service = make_objects()
    deployment["spec"]["template"]["metadata"]["annotations"] = {"release": "2"}
    cluster = live(("apply", {"object": deployment}))
    change = find(cluster)
    assert change is not None
    trial = retry(cluster, change)(Cure(wait_seconds=3))
    assert trial is not None and trial.lost_ms == 0


def test_trials_end_when_they_took_so_many_instants(live: Any) -> None:
    cluster = live(RESTART)
    change = find(cluster)
    assert change is not None
    with pytest.raises(LateError):
        retry(cluster, change, Patience(3))(Cure(wait_seconds=3))


def test_what_cannot_be_replayed_any_more_is_said(live: Any) -> None:
    cluster = live(RESTART)
    change = find(cluster)
    assert change is not None
    cluster.checkpoints.all().delete()
    cluster.replay_from_ms = 30_000
    with pytest.raises(Unreadable, match="before instant 30000 ms"):
        restore_before(cluster, change)


@pytest.mark.parametrize("page", ["services/default/web/", "deployments/default/web/"])
def test_a_page_offers_what_would_have_kept_requests(
    live: Any, client: Client, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    cluster, asked = live(RESTART), []

    def send(_cluster: Cluster, commands: list[Any], _user: Any) -> list[Answer]:
        asked.extend(commands)
        return [Answer(True, "", "done")]

    monkeypatch.setattr(answers, "send", send)
    client.force_login(cluster.owner)
    address = f"/clusters/shop/{page}"
    assert "What would help?" in client.get(address).content.decode()
    told = client.post(f"{address}change/", {"action": "help"}).content.decode()
    assert "PreStop sleep 3 for web: lost nothing instead of " in told
    assert client.post(f"{address}change/", {"action": "remedy", "change": "all"}).status_code == 422
    chosen = {"action": "remedy", "change": "preStop sleep 3 for web"}
    assert client.post(f"{address}change/", chosen).status_code == 200
    ((kind, payload, _subject),) = asked
    (container,) = payload["patch"]["spec"]["template"]["spec"]["containers"]
    assert (kind, container["lifecycle"]) == ("patch", {"preStop": {"sleep": {"seconds": 3}}})


@pytest.mark.parametrize(
    "commands, lost, why",
    [
        pytest.param([], "", "by a change that somebody asked for: nothing is tried", id="none was lost"),
        pytest.param(
            [CRASH], "", "by a change that somebody asked for: nothing is tried", id="nobody planned it"
        ),
        # The rules follow later than the longest wait that is tried.
        pytest.param([RESTART], "50s", "none would have kept half of the requests", id="nothing helps"),
    ],
)
def test_why_nothing_is_offered_is_said(
    live: Any, client: Client, commands: Any, lost: str, why: str
) -> None:
    cluster = live(*commands, lag=lost or "3s")
    client.force_login(cluster.owner)
    told = client.post("/clusters/shop/services/default/web/change/", {"action": "help"}).content.decode()
    assert why in told and "Do it" not in told


def test_who_may_only_look_is_offered_nothing(live: Any, client: Client, django_user_model: Any) -> None:
    live(RESTART)
    client.force_login(django_user_model.objects.create_user("stranger"))
    assert client.post("/clusters/shop/services/default/web/change/", {"action": "help"}).status_code == 404


def test_what_makes_jobs_is_offered_no_cure(live: Any, client: Client) -> None:
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "a"}]}}
    pod["spec"]["restartPolicy"] = "Never"
    spec = {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": pod}}}
    meta = {"name": "nightly", "namespace": "default"}
    made = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": spec}
    cluster = live(("apply", {"object": made}), RESTART)
    client.force_login(cluster.owner)
    page = "/clusters/shop/cronjobs/default/nightly/change/"
    assert client.post(page, {"action": "help"}).status_code == 200
    assert client.post(page, {"action": "remedy", "change": "preStop sleep 3 for nightly"}).status_code == 422
    told = client.post("/clusters/shop/services/default/web/change/", {"action": "help"}).content.decode()
    assert " for web: lost nothing" in told and "nightly" not in told

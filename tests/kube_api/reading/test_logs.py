"""Logs of containers: which run, which lines, since when; and refusals in the kubelet's words."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.http import QueryDict

from lifecycle.kube_api.asking.requests import Options
from lifecycle.kube_api.containers import choice, log_options, logs
from lifecycle.kube_api.containers.log_options import LogOptions
from lifecycle.kube_api.status import Refusal
from lifecycle.models import Cluster, ContainerLog, StoredObject
from lifecycle.runs import container_logs
from tests.dashboard.conftest import make_cluster, make_user
from tests.kube_api.reading.test_watching import end_feeds

pytestmark = pytest.mark.django_db


def make_pod(
    cluster: Cluster, status: dict[str, Any], node: str | None = "node-1", **spec: Any
) -> StoredObject:
    spec = {"containers": [{"name": "main"}], **({"nodeName": node} if node else {}), **spec}
    data = {"metadata": {"name": "p"}, "spec": spec, "status": status}
    return StoredObject.objects.create(
        cluster=cluster, uid="u", kind="Pod", namespace="default", name="p", rv=1, data=data
    )


def make_node(cluster: Cluster, ready: str = "True") -> None:
    status = {
        "conditions": [{"type": "Ready", "status": ready}],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
    }
    StoredObject.objects.create(
        cluster=cluster, uid="n", kind="Node", name="node-1", rv=1, data={"status": status}
    )


def container(restarts: int = 0, last: bool = False, **state: Any) -> dict[str, Any]:
    """A status with one container."""
    last_state = {"terminated": {"exitCode": 1}} if last else {}
    return {
        "containerStatuses": [
            {"name": "main", "restartCount": restarts, "state": state, "lastState": last_state}
        ]
    }


@pytest.fixture
def cluster() -> Cluster:
    found = make_cluster(make_user())
    make_node(found)
    return found


def write(cluster: Cluster, attempt: int, *lines: tuple[int, str], number: int = 0) -> None:
    ContainerLog.objects.create(
        cluster=cluster,
        uid="u",
        container="main",
        attempt=attempt,
        number=number,
        started_ms=0,
        text="".join(f"{text}\n" for _, text in lines),
        lines=[[at_ms, 1] for at_ms, _ in lines],
    )


def may() -> bool:
    return True


def read(cluster: Cluster, pod: StoredObject, **asked: Any) -> str | None:
    log = logs.find(cluster, pod, LogOptions(**asked), may)
    return None if log is None else log._read_whole().decode()


RUNNING = {"running": {}}
WAITING = {"waiting": {"reason": "CrashLoopBackOff"}}
ENDED = {"terminated": {"exitCode": 0}}


@pytest.mark.parametrize(
    "status, previous, expected",
    [
        pytest.param(container(1, True, **RUNNING), False, "second\n", id="runs again"),
        pytest.param(container(1, True, **RUNNING), True, "first\n", id="the run before"),
        pytest.param(container(1, True, **WAITING), False, "second\n", id="waits to be restarted"),
        pytest.param(container(1, True, **WAITING), True, "second\n", id="waits: the previous is the last"),
        pytest.param(container(0, False, **ENDED), False, "first\n", id="ended"),
        pytest.param(container(2, True, **RUNNING), False, "", id="has not written yet"),
    ],
)
def test_the_run_is_the_one_the_status_tells_of(cluster, status, previous, expected):
    write(cluster, 0, (10, "first"))
    write(cluster, 1, (20, "second"))
    assert read(cluster, make_pod(cluster, status), previous=previous) == expected


LINES = [(1000, "one"), (2000, "two"), (2500, "three")]


@pytest.mark.parametrize(
    "asked, expected",
    [
        ({}, "one\ntwo\nthree\n"),
        ({"tail_lines": 1}, "three\n"),
        ({"tail_lines": 0}, ""),
        ({"tail_lines": 9}, "one\ntwo\nthree\n"),
        ({"since_ms": 2000}, "two\nthree\n"),
        ({"since_ms": 2000, "tail_lines": 1}, "three\n"),
        ({"limit_bytes": 5}, "one\nt"),
        ({"tail_lines": 1, "timestamps": True}, "2026-01-01T00:00:02.500000000Z three\n"),
        ({"timestamps": True, "limit_bytes": 4}, "2026"),
    ],
)
def test_the_lines_are_those_asked_for(cluster, asked, expected):
    write(cluster, 0, *LINES[:2])
    write(cluster, 0, *LINES[2:], number=1)
    assert read(cluster, make_pod(cluster, container(**RUNNING)), **asked) == expected


@pytest.mark.parametrize(
    "status, asked, message",
    [
        ({}, {}, 'container "main" in pod "p" is not available'),
        (
            container(waiting={"reason": "ContainerCreating"}),
            {},
            'container "main" in pod "p" is waiting to start: ContainerCreating',
        ),
        (
            container(waiting={"reason": "ErrImagePull"}),
            {},
            'container "main" in pod "p" is waiting to start: image can\'t be pulled',
        ),
        (
            container(waiting={"reason": "ImagePullBackOff"}),
            {},
            'container "main" in pod "p" is waiting to start: trying and failing to pull image',
        ),
        (
            container(**RUNNING),
            {"previous": True},
            'previous terminated container "main" in pod "p" not found',
        ),
        (container(**RUNNING), {"container": "no"}, "container no is not valid for pod p"),
    ],
)
def test_a_log_that_is_not_there_is_refused_in_the_kubelets_words(cluster, status, asked, message):
    with pytest.raises(Refusal) as refused:
        read(cluster, make_pod(cluster, status), **asked)
    assert (refused.value.code, refused.value.reason, refused.value.message) == (400, "BadRequest", message)


def test_of_several_containers_one_has_to_be_named(cluster):
    pod = make_pod(cluster, {}, containers=[{"name": "main"}, {"name": "b"}], initContainers=[{"name": "i"}])
    with pytest.raises(Refusal, match=r"must be specified for pod p, choose one of: \[i main b\]$"):
        read(cluster, pod)


def test_a_pod_without_a_node_has_no_log(cluster):
    assert read(cluster, make_pod(cluster, {}, node=None)) is None


def test_a_node_that_is_not_heard_of_cannot_be_asked(cluster):
    StoredObject.objects.filter(kind="Node").delete()
    make_node(cluster, "Unknown")
    with pytest.raises(
        Refusal, match=r"10\.0\.0\.1:10250/containerLogs/default/p/main.*no route to host"
    ) as refused:
        read(cluster, make_pod(cluster, container(**RUNNING)))
    assert refused.value.code == 500


def test_no_such_pod(cluster):
    with pytest.raises(Refusal, match='pods "p" not found'):
        choice.find_pod(cluster, "default", "p")


def ask(query: str) -> LogOptions:
    return log_options.read(Options(QueryDict(query)), "p", 1_767_225_600_000, 60_000)


@pytest.mark.parametrize(
    "query, expected",
    [
        ("", {}),
        ("follow=true&previous=1&timestamps=false", {"follow": True, "previous": True}),
        ("tailLines=5&limitBytes=9&container=a", {"tail_lines": 5, "limit_bytes": 9, "container": "a"}),
        ("sinceSeconds=10", {"since_ms": 50_000}),
        ("sinceTime=2026-01-01T00:00:07Z", {"since_ms": 7000}),
        ("sinceTime=2026-01-01T01:00:07.5%2B01:00", {"since_ms": 7500}),
    ],
)
def test_options_are_read_in_virtual_time(query, expected):
    assert ask(query) == LogOptions(**expected)


@pytest.mark.parametrize(
    "query, code, message",
    [
        (
            "tailLines=-1",
            422,
            'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
        ),
        (
            "limitBytes=0&sinceSeconds=0",
            422,
            'PodLogOptions "p" is invalid: [limitBytes: Invalid value: 0: must be greater than 0,'
            " sinceSeconds: Invalid value: 0: must be greater than 0]",
        ),
        ("stream=Stdout", 422, 'PodLogOptions "p" is invalid: stream: Forbidden: may not be specified'),
        ("tailLines=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        (
            "sinceTime=now",
            400,
            'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
        ),
    ],
)
def test_options_that_make_no_sense_are_refused(query, code, message):
    with pytest.raises(Refusal) as refused:
        ask(query)
    assert (refused.value.code, refused.value.message) == (code, message)


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_a_log_that_is_followed_comes_as_it_is_written_until_its_run_ends(monkeypatch):
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)
    in_thread = sync_to_async

    def begin() -> logs.Log:
        cluster = make_cluster(make_user())
        make_node(cluster)
        write(cluster, 0, *LINES[:2])
        found = logs.find(
            cluster, make_pod(cluster, container(**RUNNING)), LogOptions(follow=True, tail_lines=1), may
        )
        assert found is not None
        return found

    def go_on(log: logs.Log) -> None:
        tails = container_logs.Tails(log.cluster.pk)
        container_logs.write(log.cluster.pk, tails.render([("u", "main", 0, 3000, "four")]))

    def end(log: logs.Log) -> None:
        write(log.cluster, 0, (4000, "five"), number=7)
        pod = StoredObject.objects.get(uid="u")
        pod.data["status"] = container(**ENDED)
        pod.save()

    log = await in_thread(begin)()
    parts = log.follow()
    assert await anext(parts) == b"two\n"
    await in_thread(go_on)(log)
    assert await asyncio.wait_for(anext(parts), 5) == b"four\n"
    await in_thread(end)(log)
    assert await asyncio.wait_for(anext(parts), 5) == b"five\n"
    assert [part async for part in parts] == []
    await end_feeds()


@pytest.mark.django_db(transaction=True)
@pytest.mark.asyncio
async def test_following_ends_at_its_limit_and_with_the_right_to_look(monkeypatch):
    monkeypatch.setattr(logs, "LOOK_SECONDS", 0.02)

    def begin(**asked: Any) -> logs.Log:
        cluster = make_cluster(make_user("eve" if asked else "ada"), "b" if asked else "a")
        make_node(cluster)
        write(cluster, 0, *LINES)
        pod = make_pod(cluster, container(**RUNNING))
        found = logs.find(cluster, pod, LogOptions(follow=True, **asked), may if asked else lambda: False)
        assert found is not None
        return found

    limited = await sync_to_async(begin)(limit_bytes=5)
    assert [part async for part in limited.follow()] == [b"one\nt"]
    unwanted = await sync_to_async(begin)()
    assert [part async for part in unwanted.follow()] == [b"one\ntwo\nthree\n"]
    await end_feeds()

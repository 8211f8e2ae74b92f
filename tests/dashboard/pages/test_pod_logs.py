"""The log on a pod's page: times, searching, older lines, the file, and silence told as what it is."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.pages.pod.log_views import SHOWN_LINES
from lifecycle.models import Cluster, ContainerLog, StoredObject
from lifecycle.runs import container_logs
from tests.dashboard.conftest import make_shop, record
from tests.dashboard.rows import transition

pytestmark = pytest.mark.django_db

ADDRESS = "/clusters/shop/pods/default/web-1/log/"
SCRIPT = {"name": "app", "image": "busybox", "command": ["sh", "-c", "echo hello"]}
RUNNING = {"running": {"startedAt": "2026-01-01T00:00:03Z"}}


@pytest.fixture
def shop(client: Any) -> Cluster:
    cluster = make_shop(client)
    keep(cluster, "app", restartCount=1, state=RUNNING, lastState={"terminated": {"exitCode": 1}})
    return cluster


def keep(cluster: Cluster, name: str, container: dict[str, Any] = SCRIPT, **status: Any) -> None:
    statuses = [{"name": name, **status}] if status else []
    data = {"spec": {"containers": [container]}, "status": {"containerStatuses": statuses}}
    StoredObject.objects.filter(cluster=cluster, kind="Pod").update(data=data)


def write(cluster: Cluster, attempt: int, *lines: tuple[int, str]) -> None:
    uid = StoredObject.objects.get(cluster=cluster, kind="Pod").uid
    told = [(uid, "app", attempt, at_ms, text) for at_ms, text in lines]
    container_logs.write(cluster.pk, container_logs.Tails(cluster.pk).render(told))


def ask(client: Any, query: str = "container=app") -> str:
    answer = client.get(f"{ADDRESS}?{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def lines_of(page: str) -> list[tuple[str, str]]:
    rows = re.findall(r"<li><time>(.*?)</time><span>(.*?)</span></li>", page)
    return [(at, unescape(re.sub(r"</?mark>", "", text))) for at, text in rows]


def test_each_line_has_its_time_and_strangers_text_is_text(client: Any, shop: Cluster) -> None:
    write(shop, 1, (3000, "ready"), (4500, "<script>alert(1)</script> & more"))
    page = ask(client)
    assert lines_of(page) == [("00:00:03.0", "ready"), ("00:00:04.5", "<script>alert(1)</script> & more")]
    assert "<script>" not in page


def test_the_run_before_is_never_shown_as_the_current_one(client: Any, shop: Cluster) -> None:
    write(shop, 0, (1000, "the first run"))
    assert "app has written nothing." in ask(client)
    assert lines_of(ask(client, "container=app&previous=on")) == [("00:00:01.0", "the first run")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "container, status, query, words",
    [
        (SCRIPT, {"state": RUNNING}, "", "app has written nothing."),
        (
            {"name": "app", "image": "nginx:1.27"},
            {"state": RUNNING},
            "",
            "What app would write is not modelled",
        ),
        ({"name": "app", "image": "x/y:1"}, {"state": RUNNING}, "", "What app would write is not modelled"),
        (SCRIPT, {}, "", "app has not started yet."),
        (SCRIPT, {"state": {"waiting": {"reason": "ImagePullBackOff"}}}, "", "app has not started yet."),
        (SCRIPT, {"state": RUNNING}, "&previous=on", "app has had no run before this one."),
    ],
)
def test_silence_is_told_as_what_it_is(
    client: Any, shop: Cluster, container: Any, status: Any, query: str, words: str
) -> None:
    keep(shop, "app", container, **status)
    assert words in ask(client, f"container=app{query}")


def test_lines_are_found_whatever_their_case_and_marked(client: Any, shop: Cluster) -> None:
    write(shop, 1, (1000, "one"), (2000, "ONE <b> two one"), (3000, "three"))
    page = ask(client, "container=app&find=one")
    assert [text for _, text in lines_of(page)] == ["one", "ONE <b> two one"]
    assert "<mark>ONE</mark> &lt;b&gt; two <mark>one</mark>" in page
    assert "No line contains “&lt;i&gt;”." in ask(client, "container=app&find=<i>")


@pytest.mark.slow
def test_of_a_long_log_the_end_is_shown_and_older_lines_are_asked_for(client: Any, shop: Cluster) -> None:
    write(shop, 1, *((number * 10, f"line {number}") for number in range(SHOWN_LINES + 5)))
    page = ask(client)
    assert lines_of(page)[0][1] == "line 5"
    assert "5 before these" in page
    more = re.search(r'data-more="(\d+)"', page)
    assert more is not None
    assert len(lines_of(ask(client, f"container=app&lines={more[1]}"))) == SHOWN_LINES + 5
    for senseless in ("-1", "x", "9" * 40, "²"):
        assert len(lines_of(ask(client, f"container=app&lines={senseless}"))) >= SHOWN_LINES


def test_what_the_page_has_seen_is_not_sent_again(client: Any, shop: Cluster) -> None:
    write(shop, 1, (1000, "one"))
    mark = re.search(r'name="seen" value="(\w+)"', ask(client))
    assert mark is not None
    again = f"{ADDRESS}?container=app&seen={mark[1]}"
    with CaptureQueriesContext(connection) as asked:
        assert client.get(again).status_code == 204
    # 64 KiB are not read for that.
    log = ContainerLog._meta.db_table
    columns = [query["sql"].partition("FROM")[0] for query in asked if log in query["sql"]]
    assert columns and all("LENGTH" in one and f'"{log}"."lines"' not in one for one in columns)
    write(shop, 1, (2000, "two"))
    assert client.get(again).status_code == 200
    assert client.get(f"{again}&find=one").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    "query, text",
    [
        ("", "one\ntwo\n"),
        ("&times=on", "2026-01-01T00:00:01.500000Z one\n2026-01-01T00:00:02.000000Z two\n"),
    ],
)
def test_the_file_is_what_kubectl_logs_prints(client: Any, shop: Cluster, query: str, text: str) -> None:
    write(shop, 1, (1500, "one"), (2000, "two"))
    answer = client.get(f"{ADDRESS}?container=app&download=yes{query}")
    assert answer.content.decode() == text
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="web-1-app.log"'


def test_a_container_that_is_not_there_has_no_log(client: Any, shop: Cluster) -> None:
    assert client.get(f"{ADDRESS}?container=<b>").status_code == 404


def test_without_a_name_it_is_the_first_container_that_talks(client: Any, shop: Cluster) -> None:
    write(shop, 1, (1000, "one"))
    assert ask(client, "") == ask(client)


def test_every_run_can_be_read_alone_or_with_all_others(client: Any, shop: Cluster) -> None:
    for attempt, (start_ms, end_ms, code) in enumerate([(1000, 2000, 1), (3000, 4000, 137)]):
        ran = {"restartCount": attempt, "startedAt_ms": start_ms}
        over = ran | {"exitCode": code, "finishedAt_ms": end_ms}
        field = "container.app.state"
        record(shop, [transition(start_ms, field, "Running", detail=ran)])
        record(shop, [transition(end_ms, field, "Terminated", detail=over)])
    record(shop, [transition(5000, field, "Running", detail={"restartCount": 2, "startedAt_ms": 5000})])
    keep(shop, "app", restartCount=2, state=RUNNING)
    write(shop, 0, (1000, "one <b>"))
    write(shop, 2, (5000, "three"))
    page = ask(client)
    assert lines_of(page) == [("00:00:05.0", "three")]
    assert re.findall(r"<option.*?>(.*?)</option>", page) == [
        "latest run",
        "all 3 runs",
        "3 of 3: since 00:00:05.0",
        "2 of 3: exit 137, 00:00:03.0 to 00:00:04.0",
        "1 of 3: exit 1, 00:00:01.0 to 00:00:02.0",
    ]
    assert lines_of(ask(client, "run=0")) == [("00:00:01.0", "one <b>")]
    assert "Of this run of app nothing is kept" in ask(client, "run=1")
    whole = ask(client, "run=all")
    assert lines_of(whole) == [("00:00:01.0", "one <b>"), ("00:00:05.0", "three")]
    heads = re.findall(r"<h3.*?>(.*?)</h3>", whole)
    assert heads == ["Run 1 of 3: exit 1, 00:00:01.0 to 00:00:02.0", "Run 3 of 3: since 00:00:05.0"]
    assert "Of 1 run nothing is kept." in whole
    assert lines_of(ask(client, "run=all&find=ONE")) == [("00:00:01.0", "one <b>")]
    answer = client.get(f"{ADDRESS}?run=all&download=yes")
    assert answer.content.decode().splitlines()[1:3] == ["one <b>", "--- Run 3 of 3: since 00:00:05.0 ---"]
    assert answer.headers["Content-Disposition"] == 'attachment; filename="web-1-app-all-runs.log"'
    for nonsense in ("²", "9" * 5000, "-1", "\x00"):
        assert lines_of(ask(client, f"run={nonsense}")) == [("00:00:05.0", "three")]

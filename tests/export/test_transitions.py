"""The transitions export: rows as in the trace, filters, cursors, formats."""

import csv
import io
import json

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifecycle.export.filters import TRANSITION_FILTERS
from lifecycle.models import Cluster
from tests.builders import make_cluster, make_event, make_stored, make_transition

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def shop(client: Client) -> Cluster:
    """A cluster of the signed-in user."""
    cluster = make_cluster("shop")
    client.force_login(cluster.owner)
    return cluster


def ask(client: Client, path: str, **parameters: object) -> bytes:
    response = client.get(f"/api/clusters/{path}", parameters)
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content)


def ask_seqs(client: Client, **parameters: object) -> list[int]:
    return [row["seq"] for row in json.loads(ask(client, "shop/transitions", **parameters))]


def test_ndjson_lines_are_the_traces_lines(client: Client, shop: Cluster):
    """The example row of the trace, key for key."""
    make_transition(
        shop, 12, at_ms=2300, name="web-5d4f-abcde", uid="u-1", owner="ReplicaSet/web-5d4f", cause=11
    )
    lines = ask(client, "shop/transitions", format="ndjson").decode().splitlines()
    assert lines == [
        '{"type":"transition","seq":12,"at_ms":2300,"kind":"Pod","namespace":"default","name":"web-5d4f-abcde",'
        '"uid":"u-1","owner":"ReplicaSet/web-5d4f","field":"phase","old":"Pending","new":"Running",'
        '"reason":null,"message":null,"cause":11,"detail":null,"group":""}',
        '{"type":"cursor","after":12,"complete":true}',
    ]


def test_an_event_line_is_the_traces_line(client: Client, shop: Cluster):
    make_event(shop, 13, at_ms=2300, cause="command:1", detail={"period_ms": 10000}, event_id="e.1")
    assert ask(client, "shop/events", format="ndjson").decode().splitlines()[0] == (
        '{"type":"event","seq":13,"at_ms":2300,"kind":"Pod","namespace":"default","name":"web-0",'
        '"uid":"uid-web-0","fieldPath":"spec.containers{app}","eventType":"Normal","reason":"Started",'
        '"message":"Container started","source":"kubelet","count":1,'
        '"first_ms":2300,"last_ms":2300,"eventId":"e.1","cause":"command:1",'
        '"detail":{"period_ms":10000},"group":""}'
    )


def test_json_is_one_array(client: Client, shop: Cluster):
    assert json.loads(ask(client, "shop/transitions")) == []
    make_transition(shop, new="Räum <script>", detail={"exitCode": 137})
    make_transition(shop, field="ready", old=None, new=True)
    first, second = json.loads(ask(client, "shop/transitions", format="json"))
    assert (first["new"], first["detail"]) == ("Räum <script>", {"exitCode": 137})
    assert (second["old"], second["new"]) == (None, True)


def test_csv_cells_do_not_begin_like_formulas(client: Client, shop: Cluster):
    make_transition(
        shop, old=None, new=-1, reason="=HYPERLINK(1)", message='a, "b"\nc', detail={"exitCode": 1}
    )
    make_transition(shop, new=True, reason="+1", message="@x", cause="command:a")
    header, first, second = csv.reader(io.StringIO(ask(client, "shop/transitions", format="csv").decode()))
    assert header == (
        "type seq at_ms kind namespace name uid owner field old new reason message cause detail group".split()
    )
    assert first[9:] == ["", "'-1", "'=HYPERLINK(1)", 'a, "b"\nc', "", '{"exitCode":1}', ""]
    assert second[10:] == ["true", "'+1", "'@x", "command:a", "", ""]


@pytest.mark.parametrize(
    "parameters, expected",
    [
        pytest.param({}, [1, 2, 3, 4], id="everything"),
        pytest.param({"kind": "Pod"}, [1, 2, 4], id="one kind"),
        pytest.param({"kind": ["Pod", "Node"]}, [1, 2, 3, 4], id="a repeated filter means or"),
        pytest.param({"kind": "Node", "group": ""}, [3], id="a kind of the core group"),
        pytest.param({"kind": "Node", "group": "crd.projectcalico.org"}, [], id="the kind of another group"),
        pytest.param({"kind": "Pod", "name": "db-0"}, [4], id="two filters mean and"),
        pytest.param({"namespace": "shop"}, [4], id="namespace"),
        pytest.param({"namespace": ""}, [3], id="outside namespaces"),
        pytest.param({"uid": "uid-db-0"}, [4], id="uid"),
        pytest.param({"owner": "StatefulSet/db"}, [4], id="owner"),
        pytest.param({"field": "condition.Ready"}, [2, 3], id="field"),
        pytest.param({"reason": "KubeletReady"}, [3], id="reason"),
        pytest.param({"after": 2}, [3, 4], id="after is exclusive"),
        pytest.param({"after": "0" * 5000 + "2"}, [3, 4], id="a long number"),
        pytest.param({"since": 2000}, [2, 3, 4], id="since is inclusive"),
        pytest.param({"until": 90_000}, [1, 2], id="until is exclusive"),
        pytest.param({"since": "2s", "until": "1m31s"}, [2, 3], id="durations"),
        pytest.param({"since": "2026-01-01T00:01:30Z"}, [3, 4], id="a time"),
        pytest.param({"since": ["1h", "90s"]}, [3, 4], id="the earlier since"),
        pytest.param({"since": "2h"}, [], id="nothing yet"),
        pytest.param({"until": "0"}, [], id="nothing before"),
        pytest.param({"limit": 2}, [1, 2], id="limit"),
        pytest.param({"limit": 0}, [], id="limit of none"),
    ],
)
def test_filters(client: Client, shop: Cluster, parameters: dict, expected: list[int]):
    make_transition(shop, 1, at_ms=0)
    make_transition(shop, 2, at_ms=2000, field="condition.Ready")
    make_transition(
        shop,
        3,
        at_ms=90_000,
        kind="Node",
        namespace=None,
        name="n",
        field="condition.Ready",
        reason="KubeletReady",
    )
    make_transition(
        shop, 4, at_ms=91_000, namespace="shop", name="db-0", uid="uid-db-0", owner="StatefulSet/db"
    )
    assert ask_seqs(client, **parameters) == expected


@pytest.mark.parametrize(
    "parameters, named",
    [
        ({"colour": "red"}, "colour"),
        ({"name": "web\0"}, "name"),
        ({"since": "soon"}, "since"),
        ({"until": "99999999999999999999"}, "until"),
        ({"after": "-1"}, "after"),
        ({"after": "9" * 30}, "after"),
        ({"after": "0" * 20 + "9" * 30}, "after"),
        ({"after": ""}, "after"),
        ({"limit": "many"}, "limit"),
        ({"format": "xml"}, "format"),
    ],
)
@pytest.mark.parametrize("path", ["transitions", "events"])
def test_a_bad_parameter_is_named(client: Client, shop: Cluster, path: str, parameters: dict, named: str):
    response = client.get(f"/api/clusters/shop/{path}", {"format": "ndjson"} | parameters)
    assert (response.status_code, response.headers["Content-Type"]) == (400, "application/json")
    assert list(response.json()) == [named]


@pytest.mark.spec("RALL-13")
@pytest.mark.parametrize("name", ["PodRestartInPlace", "AllContainersRestarting"])
def test_the_restart_in_place_is_found_by_both_its_names(client: Client, shop: Cluster, name: str):
    make_transition(shop, 1, field="condition.Ready")
    make_transition(shop, 2, field="condition.PodRestartInPlace", old=None, new="True")
    rows = json.loads(ask(client, "shop/transitions", field=f"condition.{name}"))
    assert [(row["seq"], row["field"]) for row in rows] == [(2, "condition.PodRestartInPlace")]


def test_events_are_found_by_the_owner_of_their_subject(client: Client, shop: Cluster):
    make_stored(shop, uid="u-1", owner="ReplicaSet/web")
    make_event(shop, 1, uid="u-1")
    make_event(shop, 2, uid="u-2")
    rows = json.loads(ask(client, "shop/events", owner="ReplicaSet/web"))
    assert [row["seq"] for row in rows] == [1]


def test_rows_above_the_cursor_do_not_exist_yet(client: Client, shop: Cluster):
    make_transition(shop, 1)
    make_transition(shop, 2)
    Cluster.objects.update(seq=1)
    assert ask_seqs(client) == [1]


def test_a_limited_walk_goes_on_where_it_stopped(client: Client, shop: Cluster, monkeypatch):
    """Seven rows, three at a time, in pages of two."""
    monkeypatch.setattr("lifecycle.sources.PAGE_ROWS", 2)
    for _ in range(7):
        make_transition(shop)
    seen, cursor = [], {"after": 0, "complete": False}
    while not cursor["complete"]:
        answer = ask(client, "shop/transitions", format="ndjson", limit=3, after=cursor["after"])
        *rows, cursor = map(json.loads, answer.splitlines())
        seen.append([row["seq"] for row in rows])
    assert (seen, cursor["after"]) == ([[1, 2, 3], [4, 5, 6], [7]], 7)


def test_the_cursor_passes_rows_that_were_filtered_out(client: Client, shop: Cluster):
    make_transition(shop, 1)
    make_transition(shop, 5, kind="Node")
    last = ask(client, "shop/transitions", format="ndjson", kind="Pod").splitlines()[-1]
    assert json.loads(last) == {"type": "cursor", "after": 5, "complete": True}


def test_another_clusters_rows_stay_out(client: Client, shop: Cluster):
    make_transition(make_cluster("other", owner=shop.owner))
    assert ask_seqs(client) == []


@pytest.mark.parametrize(
    "accept, kind",
    [
        ("text/csv", "text/csv"),
        ("application/x-ndjson", "application/x-ndjson"),
        ("text/html", "application/json"),
    ],
)
def test_the_accept_header_chooses_where_no_format_is_given(
    client: Client, shop: Cluster, accept: str, kind: str
):
    response = client.get("/api/clusters/shop/transitions", headers={"Accept": accept})
    assert response.headers["Content-Type"].partition(";")[0] == kind


def test_memory_stays_constant(client: Client, shop: Cluster, django_assert_num_queries, monkeypatch):
    """One page is read for each piece that is sent: nothing is read ahead."""
    monkeypatch.setattr("lifecycle.sources.PAGE_ROWS", 10)
    for _ in range(25):
        make_transition(shop)
    pieces = client.get("/api/clusters/shop/transitions", {"format": "ndjson"}).streaming_content
    with django_assert_num_queries(1):
        assert next(pieces).count(b"\n") == 10
    with django_assert_num_queries(2):
        assert b"".join(pieces).count(b"\n") == 16


MOST_QUESTIONS = 12 if settings.get_current_profile_name() == "ci" else 1000


@given(
    st.dictionaries(
        st.sampled_from(TRANSITION_FILTERS), st.lists(st.text(max_size=8), max_size=2), max_size=3
    )
)
@settings(max_examples=MOST_QUESTIONS, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_asked_is_answered_or_refused(client: Client, shop: Cluster, parameters: dict):
    """No question ends in a server error."""
    response = client.get("/api/clusters/shop/transitions", parameters)
    if response.status_code == 200:
        json.loads(b"".join(response.streaming_content))
    else:
        assert response.status_code == 400 and set(response.json()) <= set(parameters)

"""Pages as files: one HTML file that needs nothing else, Markdown, and the pictures as SVG."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest

from lifecycle.models import Cluster, StoredObject
from tests.dashboard import zoo
from tests.dashboard.conftest import make_cluster, make_shop, make_user, record
from tests.dashboard.rows import event, transition
from tests.engine.controllers.door import Door
from tests.engine.kinds.kept import keep

pytestmark = pytest.mark.django_db
POD = "/clusters/shop/pods/default/web-1/"
HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "</pre></details><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "![a](https://evil.example/a.png) [b](javascript:alert(1)) | cell | `x` @everybody",
]


class Reader(HTMLParser):
    """What is in a file."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture
def shop(client: Any) -> Cluster:
    return make_shop(client)


def fetch(client: Any, address: str, wanted: str, **more: str) -> str:
    response = client.get(address, {"as": wanted, **more})
    assert response.status_code == 200, response.content
    assert "attachment" in response["Content-Disposition"]
    return str(response.content.decode())


def read_rows(file: str) -> list[dict[str, Any]]:
    """The recorded rows that stand in a file."""
    (text,) = re.findall(r"as NDJSON</summary><pre>(.*?)</pre>", file, re.DOTALL)
    return [json.loads(line) for line in unescape(text).splitlines()]


def test_the_file_of_a_pod_has_its_verdict_its_facts_its_picture_and_its_rows(
    client: Any, shop: Cluster
) -> None:
    record(shop, [event(9_000, "Killing", "Stopping container app")])
    file = fetch(client, POD, "html")
    page = client.get(POD).content.decode()
    (verdict,) = re.findall(r'<p class="card verdict"[^>]*>(.*?)</p>', page)
    assert f"<strong>{verdict}</strong>" in file
    assert '<th scope="row">STATUS</th>' in file
    assert '<svg class="film"' in file
    assert "Killing Stopping container app" in " ".join(Reader(file).words.split())
    rows = read_rows(file)
    assert [row["seq"] for row in rows] == list(range(1, shop.seq + 1))
    assert (rows[-1]["type"], rows[-1]["reason"]) == ("event", "Killing")


@pytest.mark.slow
def test_a_file_asks_nobody_for_anything_and_runs_nothing(client: Any, shop: Cluster) -> None:
    for address in ("/clusters/shop/", POD):
        file = fetch(client, address, "html")
        assert not {"script", "link", "img", "iframe", "object", "form", "button"} & {*Reader(file).tags}
        assert not {"src", "href", "action", "style"} & Reader(file).attributes
        assert not re.search(r"https?:|@import|url\((?!#)", file)
        assert "default-src 'none'" in file


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text_in_each_file(client: Any, shop: Cluster, hostile: str) -> None:
    def say(text: str) -> None:
        StoredObject.objects.filter(cluster=shop, name="web-1").update(
            data={
                "metadata": {"name": "web-1", "labels": {"x": text}},
                "spec": {"containers": [{"name": "app", "image": text}]},
                "status": {"podIP": text},
            }
        )

    record(shop, [event(9_000, "Killing", "plain"), transition(9_500, "state", "crashing", message="plain")])
    say("plain")
    before = Reader(fetch(client, POD, "html"))
    heads = fetch(client, POD, "md").count("\n#")
    record(shop, [])
    shop.refresh_from_db()
    record(shop, [event(9_600, hostile, hostile), transition(9_700, "state", "stuck", message=hostile)])
    say(hostile)
    after = Reader(fetch(client, POD, "html"))
    assert {*after.tags} == {*before.tags}
    assert after.attributes == before.attributes
    assert hostile in after.words
    markdown = fetch(client, POD, "md")
    assert "<img" not in markdown and "](" not in markdown and "@everybody" not in markdown
    assert markdown.count("\n#") == heads
    names = {one.tag.partition("}")[2] for one in ElementTree.fromstring(fetch(client, POD, "svg")).iter()}
    assert not names & {"script", "img", "image", "foreignObject", "a"}


def test_markdown_has_verdict_and_tables(client: Any, shop: Cluster) -> None:
    told = fetch(client, POD, "md")
    assert told.startswith("### Pod in default web-1\n\nCluster shop, Kubernetes v1.")
    assert "\n- STATUS: " in told
    assert "\n|---|---|---|---|\n| the pod as a whole |" in told
    assert "NDJSON" not in told and "#### Lifecycle" not in told


def test_the_picture_says_title_verdict_and_what_colours_mean(client: Any, shop: Cluster) -> None:
    told = " ".join(ElementTree.fromstring(fetch(client, "/clusters/shop/", "svg")).itertext())
    assert "Cluster shop" in told and "Ready" in told and "web-1" in told


def test_the_picture_is_of_the_stretch_that_is_asked_for(client: Any, shop: Cluster) -> None:
    told = fetch(client, POD, "svg", **{"from": "1000", "to": "3000"})
    ticks = re.findall(r">(\d\d:\d\d:\d\d[.\d]*)</text>", told)
    assert ticks and all("00:00:01" <= one <= "00:00:03.0" for one in ticks)


@pytest.mark.slow
@pytest.mark.parametrize("query", [{"from": "5", "to": "x"}, {"from": "9", "to": "1"}, {"from": "1" * 40}])
def test_a_stretch_that_is_none_is_as_if_nothing_was_asked(client: Any, shop: Cluster, query: Any) -> None:
    assert fetch(client, POD, "svg", **query) == fetch(client, POD, "svg")


def test_an_unknown_kind_of_file_is_refused_with_the_known_ones(client: Any, shop: Cluster) -> None:
    response = client.get(POD, {"as": "<exe>"})
    assert (response.status_code, response.headers["Content-Type"]) == (422, "text/plain; charset=utf-8")
    assert b"use html, md, svg" in response.content


@pytest.mark.parametrize("wanted", ["html", "md", "svg", "exe"])
def test_nobody_gets_a_file_of_anothers_cluster(client: Any, shop: Cluster, wanted: str) -> None:
    client.force_login(make_user("eve"))
    assert client.get(POD, {"as": wanted}).status_code in (404, 422)
    client.logout()
    assert client.get(POD, {"as": wanted}).status_code == 302


@pytest.mark.slow
def test_a_file_has_no_rows_of_other_objects(client: Any, shop: Cluster) -> None:
    record(
        shop, [transition(9_000, "exists", "created", name="other"), event(9_000, "Started", "x", "other")]
    )
    assert {row["name"] for row in read_rows(fetch(client, POD, "html"))} == {"web-1"}
    assert {row["name"] for row in read_rows(fetch(client, "/clusters/shop/", "html"))} == {"web-1", "other"}


def test_two_clusters_side_by_side_are_a_file_too(client: Any, shop: Cluster) -> None:
    make_cluster(shop.owner, "other")
    told = fetch(client, "/clusters/shop/compare/other/", "md")
    assert told.startswith("### Two clusters, side by side shop and other")


@pytest.mark.slow
def test_each_kind_with_a_page_can_be_kept(client: Any) -> None:
    """Of each: a verdict, a picture, rows, and the same words in Markdown."""
    cluster = keep(zoo.fill(Door(), None).run(70).cluster)
    client.force_login(cluster.owner)
    wrong = {}
    for kind in zoo.WITH_PAGE:
        address = f"/clusters/{cluster.name}/{zoo.page_of(kind)}"
        file, markdown = fetch(client, address, "html"), fetch(client, address, "md")
        facts = ("<strong>" in file, "<h1>" in file, bool(read_rows(file)), "**" in markdown)
        ElementTree.fromstring(fetch(client, address, "svg"))
        if not all(facts):
            wrong[kind] = facts
    assert not wrong


@pytest.mark.parametrize(
    "asked, claims",
    [
        pytest.param({}, True, id="nobody chose: how all stands in the end"),
        pytest.param({"claim": ["", "end"]}, True, id="the end was chosen"),
        pytest.param({"claim": [""]}, False, id="nothing was chosen"),
    ],
)
def test_a_scenario_claims_what_was_chosen(client: Any, shop: Cluster, asked: Any, claims: bool) -> None:
    StoredObject.objects.filter(cluster=shop).update(data={"status": {"phase": "Running"}})
    answer = client.get("/clusters/shop/scenario.yaml", asked)
    assert answer.status_code == 200
    assert ("expect:" in answer.content.decode()) is claims


def test_a_claim_on_what_was_not_seen_is_refused(client: Any, shop: Cluster) -> None:
    answer = client.get("/clusters/shop/scenario.yaml", {"claim": "fewest:<b>"})
    assert (answer.status_code, answer["Content-Type"]) == (422, "text/plain; charset=utf-8")
    assert client.get("/clusters/shop/seen-claims/").status_code == 200

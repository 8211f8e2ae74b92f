"""Home and the gallery: stories that play, clusters in the order of their forks, and who may delete one."""

from __future__ import annotations

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from dashboard.pages import stories
from dashboard.pages.home import gallery, thumbnails
from dashboard.pages.home.views import put_troubled_first, walk_forks
from lifecycle.models import Cluster, Command
from lifecycle.simulation.stories import list_stories
from tests.dashboard.conftest import make_cluster, make_user

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: nginx}]}
"""
SCENARIO = """
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: tried}
spec:
  seed: 9
  nodes: {count: 5}
  steps: [{at: 30s, scale: {deployment: web, replicas: 4}}]
"""


def test_every_story_stands_in_one_topic_and_each_topic_leads_with_its_own():
    names = [story.name for topic in gallery.list_topics() for story in topic.stories]
    assert sorted(names) == list(list_stories())
    leads = {title: lead for _, title, lead in gallery.TOPICS}
    for topic in gallery.list_topics():
        assert topic.stories[0].name == leads[topic.title]
        assert all(story.line for story in topic.stories)
    words = {story.name: story.words.split() for topic in gallery.list_topics() for story in topic.stories}
    assert {"Pod", "OOMKilled"} <= {*words["crash-loop-out-of-memory"]}
    assert not any("Scenario" in one for one in words.values())


@pytest.mark.slow
@pytest.mark.parametrize("topic", gallery.list_topics(), ids=lambda topic: topic.title)
def test_each_topic_has_a_picture(topic):
    picture = ElementTree.fromstring(thumbnails.draw(topic.stories[0].name) or "")
    bars = picture.findall("{http://www.w3.org/2000/svg}rect")
    assert bars
    assert all(0 <= float(bar.get("x") or -1) <= thumbnails.WIDTH for bar in bars)


def test_there_is_no_other_story():
    assert gallery.find_plan("../settings") is None
    assert thumbnails.draw("nosuch") is None


@pytest.mark.slow
@pytest.mark.django_db
def test_a_story_is_played_in_a_cluster_of_ones_own(client):
    ada = make_user("ada")
    client.force_login(ada)
    assert client.post("/gallery/slow-pre-stop/").url == "/clusters/slow-pre-stop/"
    assert client.post("/gallery/slow-pre-stop/").url == "/clusters/slow-pre-stop-2/"
    made = Cluster.objects.get(name="slow-pre-stop")
    plan = gallery.find_plan("slow-pre-stop")
    assert plan is not None
    assert (made.owner, made.seed) == (ada, plan.seed)
    asked = list(Command.objects.filter(cluster=made).values_list("kind", "pinned_ms"))
    assert asked == [("apply", 0)] * len(plan.objects) + [(step.kind, step.at_ms) for step in plan.steps]
    assert client.post("/gallery/nosuch/").status_code == 404


@pytest.mark.django_db
def test_manifests_with_a_scenario_are_played(client):
    client.force_login(make_user("ada"))
    answer = client.post("/try/", {"manifest": DEPLOYMENT + SCENARIO}, headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == "/clusters/web/"
    made = Cluster.objects.get(name="web")
    assert (made.seed, made.settings["nodes"]["count"]) == (9, 5)
    assert list(made.commands.values_list("kind", "pinned_ms")) == [("apply", 0), ("scale", 30_000)]


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(
    "manifest, word",
    [
        pytest.param("", "empty", id="nothing"),
        pytest.param(
            DEPLOYMENT.replace("replicas", "x").replace("{app: web}", "3"), "matchLabels", id="wrong"
        ),
        pytest.param(
            DEPLOYMENT + SCENARIO.replace("replicas: 4", "replicas: x"), "steps[0]", id="wrong step"
        ),
        pytest.param("a: &a [1]\nb: [*a" + ", *a" * 300_000 + "]", "", id="too much"),
    ],
)
def test_what_is_wrong_is_told_and_no_cluster_is_made(client, manifest, word):
    client.force_login(make_user("ada"))
    answer = client.post("/try/", {"manifest": manifest}, headers={"HX-Request": "true"})
    assert answer.status_code in (413, 422)
    assert word in answer.text
    assert not Cluster.objects.exists()


@pytest.mark.django_db
def test_only_its_owner_deletes_a_cluster(client):
    ada, bob = make_user("ada"), make_user("bob")
    made = make_cluster(ada)
    client.force_login(bob)
    assert client.post(f"/clusters/{made.name}/delete/").status_code == 404
    client.force_login(ada)
    assert client.get(f"/clusters/{made.name}/delete/").status_code == 405
    answer = client.post(f"/clusters/{made.name}/delete/", headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == "/"
    assert not Cluster.objects.exists()


def test_forks_stand_below_what_they_are_forks_of():
    family = {"shop": None, "shop-fork": "shop", "alone": None, "deep": "shop-fork", "strange": "unseen"}
    seen = [SimpleNamespace(pk=name, parent_id=parent) for name, parent in family.items()]
    walked = [(cluster.pk, depth) for cluster, depth in walk_forks(seen)]  # type: ignore[arg-type]
    assert walked == [("shop", 0), ("shop-fork", 1), ("deep", 2), ("alone", 0), ("strange", 0)]


@pytest.mark.slow
@pytest.mark.django_db
def test_the_gallery_lists_every_story(client):
    client.force_login(make_user("ada"))
    page = client.get("/gallery/").text
    names = [story.name for topic in gallery.list_topics() for story in topic.stories]
    assert all(f'action="/gallery/{name}/"' in page for name in names)
    assert client.post("/gallery/s08-node-limit-2s/").status_code == 302
    assert client.post("/gallery/s15-hook-overruns-v1.23.1/").url == "/clusters/s15-hook-overruns-v1-23-1/"


@pytest.mark.django_db
def test_a_story_is_told_in_the_gallery_and_where_it_plays(client):
    told = stories.tell_story("slow-pre-stop")
    assert told is not None
    assert told.sentence == "Old pods take twenty seconds to say goodbye during a rolling update"
    assert [(one.at, one.words, one.since_ms, one.until_ms) for one in told.steps] == [
        ("1m 00s", "setImage: {deployment: web, container: app, image: 'nginx:1.27'}", 50_000, 120_000)
    ]
    assert told.claims[0] == "always: deployment/web .status.availableReplicas >= 3, from: 60s"
    assert stories.tell_story("../settings") is None
    client.force_login(make_user())
    page = client.get("/gallery/slow-pre-stop/").content.decode()
    assert told.sentence in page and "preStop" in page and "Look at it" not in page
    assert client.get("/gallery/nosuch/").status_code == 404
    for number in (1, 2):
        where = client.post("/gallery/slow-pre-stop/")["Location"]
        page = client.get(where).content.decode()
        assert f"The story: {told.sentence}" in page and "?from=50000&amp;to=120000" in page, number
    assert where.endswith("-2/")
    # A cluster that somebody called so plays no story.
    other = make_cluster(make_user("eve"), "slow-pre-stop")
    assert stories.find_story_of(other) is None


def test_every_story_can_be_told_and_short_ones_come_before_long_ones():
    assert all(stories.tell_story(name) for name in list(list_stories())[::40])
    for topic in gallery.list_topics():
        lengths = [gallery.LENGTHS.index(story.length) for story in topic.stories[1:]]
        assert lengths == sorted(lengths), topic.title
    assert {story.length for topic in gallery.list_topics() for story in topic.stories} == {*gallery.LENGTHS}


@pytest.mark.django_db
def test_several_clusters_are_deleted_at_once_and_only_ones_own(client):
    ada, eve = make_user(), make_user("eve")
    for name in ("one", "two", "three"):
        make_cluster(ada, name)
    make_cluster(eve, "hers")
    client.force_login(ada)
    assert "Delete several clusters" in client.get("/").content.decode()
    # One that is not there leaves all as they are.
    assert client.post("/delete/", {"cluster": ["one", "hers@eve"]}).status_code == 404
    assert client.post("/delete/", {}).status_code == 422
    assert client.post("/delete/", {"cluster": [f"c{n}" for n in range(501)]}).status_code == 422
    assert Cluster.objects.count() == 4
    assert client.post("/delete/", {"cluster": ["one", "two", "two"]})["HX-Redirect"] == "/"
    assert sorted(Cluster.objects.values_list("name", flat=True)) == ["hers", "three"]


def test_clusters_with_trouble_come_first_with_their_forks():
    calm, bad = SimpleNamespace(troubles=[]), SimpleNamespace(troubles=["one"])
    told = [("a", 0, calm), ("a-fork", 1, calm), ("b", 0, calm), ("c", 0, calm), ("c-fork", 1, bad)]
    cards = [{"name": name, "depth": depth, "verdict": verdict} for name, depth, verdict in told]
    assert [one["name"] for one in put_troubled_first(cards)] == ["c", "c-fork", "a", "a-fork", "b"]


@pytest.mark.parametrize(
    "objects, name",
    [
        ([("v1", "ConfigMap", "settings"), ("apps/v1", "Deployment", "shop.web")], "shop-web"),
        ([("v1", "ConfigMap", "settings")], "try"),
        ([("batch/v1", "Job", "x" * 60), ("v1", "Pod", "one")], "one"),
        ([("apps/v1", "Deployment", "\ud800"), ("apps/v1", "Deployment", "Big")], "try"),
        ([], "try"),
    ],
)
def test_a_cluster_is_called_as_its_first_workload(objects, name):
    made = [
        {"apiVersion": version, "kind": kind, "metadata": {"name": given}} for version, kind, given in objects
    ]
    assert gallery.name_for(SimpleNamespace(objects=made)) == name

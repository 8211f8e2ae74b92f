"""A look shows a cluster as it was at an instant, whole, to one person, and nothing happens to it."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model

from dashboard.pages.states import count_states
from lifecycle.access import Verb, clusters_for, may
from lifecycle.models import Cluster, Role, StoredObject, Transition
from lifecycle.runs import inbox, looks
from tests.dashboard import zoo
from tests.runs.conftest import create

pytestmark = pytest.mark.slow

CHANGES = re.compile(r'<form[^>]*method="post"[^>]*>|<[^>]*hx-(?:post|put|patch|delete)=[^>]*>')


@pytest.fixture
def shop(owner, wall, make_cluster):
    """Two pods from the start, four from 5 s on, and 15 s more."""
    cluster = make_cluster()
    create(cluster, replicas=2)
    where = {"kind": "Deployment", "namespace": "default", "name": "web"}
    inbox.append(cluster, "scale", {**where, "replicas": 4}, pinned_ms=5_000)
    for _ in range(20):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    return cluster


def count_pods(cluster: Cluster) -> dict[str, int]:
    return {tone.name: count for tone, count in count_states(cluster) if count}


def states_then(cluster: Cluster, at_ms: int) -> dict[str, int]:
    """What the recorded rows say of each pod up to an instant."""
    rows = Transition.objects.filter(cluster=cluster, kind="Pod", field="state", at_ms__lte=at_ms)
    last = dict(rows.order_by("seq").values_list("uid", "new"))
    return {state: list(last.values()).count(state) for state in last.values()}


@pytest.mark.parametrize("at_ms", [1_000, 4_500, 6_000, 15_000])
def test_a_look_shows_what_was(shop, at_ms):
    look = looks.look(shop, at_ms, shop.owner)
    assert look.instant_ms == at_ms
    assert count_pods(look) == states_then(shop, at_ms)
    web = StoredObject.objects.get(cluster=look, kind="Deployment").data
    assert web["spec"]["replicas"] == (2 if at_ms < 5_000 else 4)


def test_a_look_is_changed_by_nobody_and_listed_nowhere(shop):
    look = looks.look(shop, 6_000, shop.owner)
    assert may(shop.owner, look, Verb.VIEW)
    assert not any(may(shop.owner, look, verb) for verb in (Verb.CHANGE, Verb.RUN, Verb.OWN))
    assert list(clusters_for(shop.owner)) == [shop]


def test_the_same_instant_is_looked_at_once_and_few_are_kept(shop):
    first = looks.look(shop, 1_000, shop.owner)
    assert looks.look(shop, 1_000, shop.owner) == first
    instants = [2_000, 3_000, 4_000]
    for at_ms in instants:
        assert looks.look(first, at_ms, shop.owner).parent == shop
    kept = Cluster.objects.filter(is_look=True).values_list("forked_at_ms", flat=True)
    assert sorted(kept) == instants


def test_what_is_not_recorded_is_refused(shop):
    with pytest.raises(ValueError, match="recorded history goes from 0"):
        looks.look(shop, 10**9, shop.owner)
    with pytest.raises(ValueError, match="instant -1"):
        looks.look(shop, -1, shop.owner)


def test_its_neighbours_are_the_changes_around_it(shop):
    look = looks.look(shop, 4_500, shop.owner)
    instants = sorted(set(Transition.objects.filter(cluster=shop).values_list("at_ms", flat=True)))
    before, after = looks.find_neighbours(look)
    assert before == max(at_ms for at_ms in instants if at_ms < 4_500)
    assert after == min(at_ms for at_ms in instants if at_ms > 4_500)


def _are_of(rows, subject):
    """The instants of what a page about a subject shows, from the recorded rows alone."""
    kind, name = subject
    sets = rows.filter(kind="ReplicaSet", owner="Deployment/web").values_list("name", flat=True)
    owners = {"Deployment/web", *(f"ReplicaSet/{one}" for one in sets)} if kind == "Deployment" else set()
    on_node = rows.filter(field="node", new=name).values_list("uid", flat=True) if kind == "Node" else ()
    own = rows.filter(kind=kind, name=name) | rows.filter(owner__in=owners) | rows.filter(uid__in=on_node)
    return sorted(set(own.values_list("at_ms", flat=True)))


@pytest.mark.parametrize("kind", ["Pod", "Deployment", "Node"])
def test_a_page_leads_to_the_changes_of_what_it_shows(client, shop, kind):
    client.force_login(shop.owner)
    rows = Transition.objects.filter(cluster=shop)
    pod = rows.filter(kind="Pod", field="exists").order_by("seq").first()
    name, folder = {
        "Pod": (pod.name, f"pods/default/{pod.name}"),
        "Deployment": ("web", "deployments/default/web"),
        "Node": ("node-1", "nodes/node-1"),
    }[kind]
    instants = _are_of(rows, (kind, name))
    at_ms = 5_500
    page = client.get(f"/clusters/{shop.name}/{folder}/?at={at_ms}ms").text
    found = {rel: int(ms) for rel, ms in re.findall(r'rel="(prev|next)" href="\?at=(\d+)ms"', page)}
    before = [one for one in instants if one < at_ms]
    after = [one for one in instants if one > at_ms]
    expected = ({"prev": before[-1]} if before else {}) | ({"next": after[0]} if after else {})
    assert found == expected


def test_looks_go_with_what_they_look_at(shop):
    looks.look(shop, 1_000, shop.owner)
    shop.delete()
    assert not Cluster.objects.exists()


@pytest.mark.parametrize("path", ["", "deployments/default/web/"])
def test_pages_go_to_an_instant_and_say_so(client, shop, path):
    client.force_login(shop.owner)
    page = client.get(f"/clusters/{shop.name}/{path}?at=6s").text
    look = Cluster.objects.get(is_look=True)
    assert "shop as it was at <time>00:00:06.0</time>" in page
    assert not path or f'hx-get="/clusters/{look.name}/{path}yaml/"' in page
    assert '"?at=6s&amp;as=html"' in page
    file = client.get(f"/clusters/{shop.name}/{path}?at=6s&as=md")
    assert file.headers["Content-Disposition"].startswith("attachment") and "at 00:00:06.0" in file.text
    assert "hx-post" in page  # fork here
    assert not any(word in page for word in ('name="kind" value="pause"', "data-manifest", "Change image"))
    refused = client.get(f"/clusters/{shop.name}/{path}?at=tomorrow")
    assert refused.status_code == 422
    assert "is no instant" in refused.text
    assert client.post(f"/clusters/{look.name}/control/", {"kind": "resume"}).status_code == 403


def test_an_address_of_the_past_lives_as_long_as_the_history(client, shop):
    """However many looks come after it; and for a colleague who may see the cluster."""
    address = f"/clusters/{shop.name}/deployments/default/web/?at=6s"
    colleague = get_user_model().objects.create_user("colleague")
    Role.objects.create(cluster=shop, user=colleague, name=Role.Name.VIEWER)
    for user in (shop.owner, colleague):
        client.force_login(user)
        for at in ("6s", "1s", "2s", "3s", "4s", "6s"):
            page = client.get(address.replace("6s", at))
            assert page.status_code == 200
        assert "shop as it was at <time>00:00:06.0</time>" in page.text
    client.force_login(get_user_model().objects.create_user("stranger"))
    assert client.get(address).status_code == 404


def test_pages_of_every_kind_show_what_was_and_change_nothing(client, owner, wall, make_cluster):
    """The past is there, whole, and only to be looked at, or shared."""
    cluster = make_cluster()
    create(cluster, replicas=0, name="other")
    for kind in zoo.WITH_PAGE:
        if kind not in zoo.NAMES:
            asked = {"object": zoo.make_manifest(kind)}
            inbox.append(cluster, "apply", asked, pinned_ms=2_000)
    for _ in range(12):
        owner.turn(cluster.pk)
        wall.go_on(1)
    cluster.refresh_from_db()
    client.force_login(cluster.owner)
    wrong = {}
    for kind in zoo.WITH_PAGE:
        place = zoo.page_of(kind)
        now = client.get(f"/clusters/{cluster.name}/{place}")
        then = client.get(f"/clusters/{cluster.name}/{place}?at=6s")
        before = client.get(f"/clusters/{cluster.name}/{place}?at=1s")
        changes = [
            one for one in CHANGES.findall(then.text) if not re.search('/fork/|/links/|/sign-out/"', one)
        ]
        if (now.status_code, then.status_code) != (200, 200) or changes:
            wrong[kind] = (now.status_code, then.status_code, changes)
        elif f"{cluster.name} as it was at <time>00:00:06.0</time>" not in then.text:
            wrong[kind] = "it does not say when it is"
        elif before.status_code != (200 if kind == "Node" else 404):
            wrong[kind] = f"before it was made: {before.status_code}"
    assert wrong == {}


def test_with_a_filter_the_neighbours_are_changes_of_what_is_asked_for(client, shop):
    client.force_login(shop.owner)
    rows = Transition.objects.filter(cluster=shop, kind="Pod")
    name = rows.filter(field="exists").order_by("-seq").first().name
    instants = set(rows.filter(name=name).values_list("at_ms", flat=True))
    at_ms = min(instants) + 1
    page = client.get(f"/clusters/{shop.name}/?at={at_ms}ms&q={name}").text
    found = {rel: int(ms) for rel, ms in re.findall(r'rel="(prev|next)" href="\?at=(\d+)ms"', page)}
    assert found == {"prev": min(instants), "next": min(ms for ms in instants if ms > at_ms)}

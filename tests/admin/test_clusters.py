"""Clusters, commands and histories in the admin."""

import pytest
from django.test import Client
from django.urls import reverse

from lifecycle.models import Cluster, Command
from lifecycle.runs import inbox
from lifecycle.runs.celery import carrier
from lifecycle.runs.sharing.shards import shard_of
from tests.builders import make_cluster, make_event, make_transition, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def history(client: Client, cluster: str, what: str, **parameters: object) -> list[list]:
    address = reverse("admin:lifecycle_cluster_history", args=[cluster, what])
    return client.get(address, parameters).context["page"].rows


def test_transitions_are_listed_newest_first(client: Client, shop: Cluster):
    make_transition(shop, 1, at_ms=5)
    make_transition(shop, 2, at_ms=6, field="ready")
    assert [row[0] for row in history(client, "shop", "transitions")] == [2, 1]
    assert [row[0] for row in history(client, "shop", "transitions", field="ready")] == [2]


def test_events_are_listed_with_filters(client: Client, shop: Cluster):
    make_event(shop, 1, reason="Started")
    make_event(shop, 2, reason="Killing")
    assert [row[0] for row in history(client, "shop", "events", reason="Killing", field="ignored")] == [2]


def test_older_rows_are_on_the_next_page(client: Client, shop: Cluster, monkeypatch):
    monkeypatch.setattr("lifecycle.admin.history.PAGE_ROWS", 2)
    for _ in range(3):
        make_transition(shop)
    address = reverse("admin:lifecycle_cluster_history", args=["shop", "transitions"])
    assert client.get(address).context["page"].older_before == 2
    assert [row[0] for row in history(client, "shop", "transitions", before=2)] == [1]


def test_histories_are_escaped(client: Client, shop: Cluster):
    make_event(shop, message="<img src=x onerror=alert(1)>")
    page = client.get(reverse("admin:lifecycle_cluster_history", args=["shop", "events"])).content.decode()
    assert "<img src=x" not in page and "&lt;img src=x" in page


def test_the_history_of_someone_elses_cluster_is_not_there(client: Client, shop: Cluster):
    make_cluster("secret")
    address = reverse("admin:lifecycle_cluster_history", args=["secret", "events"])
    assert client.get(address).status_code == 404


def test_people_who_are_no_staff_are_sent_to_sign_in(client: Client):
    client.force_login(make_user())
    assert client.get(reverse("admin:lifecycle_cluster_changelist")).status_code == 302


def test_a_cluster_is_made_through_the_inbox(
    client: Client, shop: Cluster, monkeypatch, django_capture_on_commit_callbacks
):
    """With its shard and its first turn, as everywhere; the maker owns it."""
    nudged = []
    monkeypatch.setattr(carrier, "nudge", nudged.append)
    form = {"name": "fresh", "seed": "7", "epoch_0": "2026-01-01", "epoch_1": "00:00:00", "settings": "{}"}
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(reverse("admin:lifecycle_cluster_add"), form)
    assert response.status_code == 302, response.context["adminform"].form.errors
    fresh = Cluster.objects.get(name="fresh")
    assert (fresh.owner, fresh.seed, fresh.shard, nudged) == (
        shop.owner,
        7,
        shard_of(fresh.pk),
        [fresh.shard],
    )


@pytest.mark.parametrize(
    "settings, epoch, said",
    [
        pytest.param("[1]", "2026-01-01", "must be a mapping", id="no mapping"),
        pytest.param('{"colour": 1}', "2026-01-01", "colour: unknown setting", id="unknown"),
        pytest.param(
            '{"nodes": {"count": 1000000000}}',
            "2026-01-01",
            ">nodes.count: must be from 0 to 5000",
            id="nodes",
        ),
        pytest.param('{"nodes": {"cpu": "much"}}', "2026-01-01", "nodes.cpu", id="a quantity"),
        pytest.param('{"timing": {"a": "b"}}', "2026-01-01", "timing", id="timing"),
        pytest.param('{"timing": NaN}', "2026-01-01", "no JSON", id="NaN"),
        pytest.param('{"kubelet": [1]}', "2026-01-01", "KubeletConfiguration", id="no kubelet"),
        pytest.param(
            '{"kubelet": [{"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",'
            ' "maxPods": "many"}]}',
            "2026-01-01",
            "maxPods",
            id="a kubelet",
        ),
        pytest.param("{}", "9999-12-31", "use one from 1970 to 9000", id="no year left"),
    ],
)
def test_input_that_gives_no_cluster_is_refused(client: Client, shop: Cluster, settings, epoch, said):
    form = {"name": "fresh", "seed": "7", "epoch_0": epoch, "epoch_1": "00:00:00", "settings": settings}
    page = client.post(reverse("admin:lifecycle_cluster_add"), form)
    assert page.status_code == 200 and said in page.content.decode()
    assert not Cluster.objects.filter(name="fresh").exists()


@pytest.mark.parametrize("what, action", [("cluster", "fork"), ("storedobject", "restart")])
@pytest.mark.parametrize("number", ["abc", "", "9" * 30, "3' OR 1"])
def test_numbers_that_no_row_can_have_are_a_bad_request(client: Client, shop: Cluster, what, action, number):
    ticked = {"action": action, "_selected_action": number}
    assert client.post(reverse(f"admin:lifecycle_{what}_changelist"), ticked).status_code == 400


@pytest.mark.parametrize("what", ["cluster", "command", "storedobject"])
@pytest.mark.parametrize("asked", [{"id__in": "9" * 30}, {"cluster__owner__password__startswith": "p"}])
def test_lists_are_filtered_only_by_what_stands_beside_them(client: Client, shop: Cluster, what, asked):
    assert client.get(reverse(f"admin:lifecycle_{what}_changelist"), asked).status_code == 400


def test_deleting_a_cluster_deletes_its_history(client: Client, shop: Cluster):
    make_transition(shop)
    address = reverse("admin:lifecycle_cluster_delete", args=[shop.pk])
    assert "its whole history" in client.get(address).content.decode()
    client.post(address, {"post": "yes"})
    assert not Cluster.objects.filter(name="shop").exists()


def test_a_strangers_cluster_cannot_be_deleted(client: Client, shop: Cluster):
    secret = make_cluster("secret")
    client.post(reverse("admin:lifecycle_cluster_delete", args=[secret.pk]), {"post": "yes"})
    action = {"action": "delete_selected", "_selected_action": [secret.pk], "post": "yes"}
    client.post(reverse("admin:lifecycle_cluster_changelist"), action)
    assert Cluster.objects.filter(name="secret").exists()


@pytest.mark.parametrize("action", ["pause", "resume"])
def test_run_controls_are_asked_for(client: Client, shop: Cluster, monkeypatch, action: str):
    asked = []
    monkeypatch.setattr(inbox, "control", lambda cluster, kind, *rest: asked.append((cluster.name, kind)))
    secret = make_cluster("secret")
    form = {"action": action, "_selected_action": [shop.pk, secret.pk]}
    client.post(reverse("admin:lifecycle_cluster_changelist"), form)
    assert asked == [("shop", action)]


def test_commands_can_be_read_and_not_changed(client: Client, shop: Cluster):
    payload = {"object": {"kind": "Pod", "metadata": {"name": "<b>web</b>"}}}
    result = {"code": 201, "object": {"kind": "Pod"}}
    command = Command.objects.create(cluster=shop, order=1, kind="create", payload=payload, result=result)
    listing = client.get(reverse("admin:lifecycle_command_changelist")).content.decode()
    assert "Pod &lt;b&gt;web&lt;/b&gt;" in listing and "201" in listing
    address = reverse("admin:lifecycle_command_change", args=[command.pk])
    assert "name: &lt;b&gt;web&lt;/b&gt;" in client.get(address).content.decode()
    assert client.post(address, {"kind": "delete"}).status_code == 403
    assert client.get(reverse("admin:lifecycle_command_add")).status_code == 403


def test_the_input_of_a_cluster_is_fixed_but_for_its_name(client: Client, shop: Cluster):
    make_cluster("taken", owner=shop.owner)
    address = reverse("admin:lifecycle_cluster_change", args=[shop.pk])
    refused = client.post(address, {"name": "taken", "seed": 9}).content.decode()
    assert "There is a cluster called taken already" in refused
    assert client.post(address, {"name": "Not one", "seed": 9}).status_code == 200
    assert client.post(address, {"name": "kiosk", "seed": 9, "settings": '{"nodes": 1}'}).status_code == 302
    before = shop.seed, shop.settings
    assert client.get(address).status_code == 200
    shop.refresh_from_db()
    assert (shop.name, shop.seed, shop.settings) == ("kiosk", *before)


def test_instants_are_told_as_such(client: Client, shop: Cluster):
    make_transition(shop, 1, at_ms=86_400_000 + 187_400)
    assert history(client, "shop", "transitions")[0][1] == "1d 00:03:07.4"
    Cluster.objects.update(forked_at_ms=90_000)
    page = client.get(reverse("admin:lifecycle_cluster_change", args=[shop.pk])).content.decode()
    assert "00:01:30.0" in page and "90000" not in page
    assert f'href="/clusters/{shop.name}/"' in page


def test_the_list_of_commands_says_what_was_asked(client: Client, shop: Cluster):
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    asked = [
        ("setImage", target | {"container": "app", "image": "nginx:<b>"}),
        ("scale", target | {"replicas": 0}),
        ("cordon", {"node": "node-1"}),
    ]
    for order, (kind, payload) in enumerate(asked, 1):
        Command.objects.create(cluster=shop, order=order, kind=kind, payload=payload)
    page = client.get(reverse("admin:lifecycle_command_changelist")).content.decode()
    for told in ("container app, image nginx:&lt;b&gt;", "replicas 0", "Node node-1", "Deployment web"):
        assert told in page, told

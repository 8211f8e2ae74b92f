"""Objects in the admin: the spec as YAML, changed through commands only."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from lifecycle.admin.texts import to_yaml
from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.input.manifests import read_documents
from lifecycle.models import Cluster, StoredObject
from tests.admin.conftest import Inbox
from tests.builders import make_cluster, make_stored, make_superuser

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

SPEC: dict[str, Any] = {
    "replicas": 3,
    "selector": {"matchLabels": {"app": "web"}},
    "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "app", "image": "web:1", "args": ["y", "0644", "1e3", "a\nb\n"]}]},
    },
}


ALIAS_BOMB = "a0: &a0 [x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)

_TEMPLATE = SPEC["template"] | {"metadata": {"labels": {"app": "web"}, "annotations": {BEHAVIOR: ALIAS_BOMB}}}
WITH_BOMB = to_yaml(SPEC | {"template": _TEMPLATE})


def make_deployment(cluster: Cluster, name: str = "web", **fields: Any) -> StoredObject:
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}", "generation": 1}
    data = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": SPEC, "status": {}}
    return make_stored(cluster, "Deployment", name, uid=f"uid-{name}", data=data, **fields)


def page_of(stored: StoredObject) -> str:
    return reverse("admin:lifecycle_storedobject_change", args=[stored.pk])


def save(client: Client, stored: StoredObject, spec: Any, generation: int = 1) -> Any:
    # A leading line makes the parser take it for YAML, which JSON is.
    text = spec if isinstance(spec, str) else f"# \n{json.dumps(spec)}"
    return client.post(page_of(stored), {"spec": text, "generation": generation})


def errors_of(response: Any) -> list[str]:
    assert response.status_code == 200, "it was taken"
    errors = response.context["adminform"].form.errors
    return [str(message) for messages in errors.values() for message in messages]


def test_the_page_shows_the_spec_and_saving_it_again_asks_for_nothing(client: Client, shop, answering: Inbox):
    """What Kubernetes' YAML would read as something else is quoted: y, 0644, 1e3."""
    stored = make_deployment(shop)
    shown = client.get(page_of(stored)).context["adminform"].form.initial["spec"]
    assert read_documents(shown)[0].data == SPEC
    assert save(client, stored, shown.replace("\n", "\r\n")).status_code == 302
    assert answering.asked == []


def test_saving_sends_the_difference_as_a_patch(client: Client, shop, answering: Inbox):
    assert (
        save(client, make_deployment(shop), SPEC | {"replicas": 5, "minReadySeconds": 10}).status_code == 302
    )
    patch = {"spec": {"replicas": 5, "minReadySeconds": 10}}
    target = {"kind": "Deployment", "namespace": "default", "name": "web"}
    assert answering.asked == [("shop", "patch", target | {"type": "merge", "patch": patch})]


def test_saving_writes_nothing_itself(client: Client, shop, answering: Inbox):
    stored = make_deployment(shop)
    save(client, stored, SPEC | {"replicas": 5})
    stored.refresh_from_db()
    assert stored.data["spec"] == SPEC


@pytest.mark.parametrize(
    "spec, said",
    [
        pytest.param("replicas: [", "not valid YAML", id="malformed"),
        pytest.param("", "This field is required.", id="nothing"),
        pytest.param("a" * (2**23 + 1), "bytes are more than the limit", id="too large"),
        pytest.param(ALIAS_BOMB, "aliases", id="alias bomb"),
        pytest.param(WITH_BOMB, "aliases expand to more than", id="alias bomb in a behaviour"),
        pytest.param("a: " + "[" * 5000, "deep", id="too deep"),
        pytest.param("- a", "a manifest is a mapping", id="a list"),
        pytest.param("a: 1\n---\nb: 2", "the spec is one YAML mapping", id="two documents"),
        pytest.param(
            "replicas: 3\nreplcas: 4", 'line 2: spec.replcas: unknown field "replcas"', id="unknown field"
        ),
        pytest.param("replicas: three", "line 1: spec.replicas: must be a whole number", id="wrong type"),
        pytest.param("replicas: 1\nreplicas: 2", '"replicas" is given twice', id="given twice"),
        pytest.param(
            to_yaml(SPEC | {"replicas": -1}), "line 1: spec.replicas: Invalid value: -1", id="value"
        ),
    ],
)
def test_what_is_wrong_is_said_at_its_field(client: Client, shop, answering: Inbox, spec: str, said: str):
    (error,) = errors_of(save(client, make_deployment(shop), spec))
    assert said in error
    assert answering.asked == []


def test_all_that_is_wrong_with_the_change_is_said_before_anything_is_asked(
    client: Client, shop, answering: Inbox
):
    """Judged as an update: a selector is fixed, and has to match the template still."""
    spec = SPEC | {"replicas": -1, "selector": {"matchLabels": {"app": "other"}}}
    errors = errors_of(save(client, make_deployment(shop), to_yaml(spec)))
    assert [error.split(": ")[:2] for error in errors] == [
        ["line 1", "spec.replicas"],
        ["line 7", "spec.template.metadata.labels"],
        ["line 2", "spec.selector"],
    ]
    assert "field is immutable" in errors[-1]
    assert answering.asked == []


def test_what_the_cluster_refuses_is_said_at_its_field(client: Client, shop, answering: Inbox):
    message = "only <b> knows why"
    answering.result = {
        "code": 422,
        "status": {"message": "…", "details": {"causes": [{"field": "spec.selector", "message": message}]}},
    }
    response = save(client, make_deployment(shop), SPEC | {"replicas": 4})
    assert errors_of(response) == ["line 2: spec.selector: only <b> knows why"]
    assert b"&lt;b&gt;" in response.content and b"<b>" not in response.content


def test_no_answer_is_said_with_the_commands_id(client: Client, shop, answering: Inbox):
    answering.result = None
    (error,) = errors_of(save(client, make_deployment(shop), SPEC | {"replicas": 4}))
    assert "There is no answer yet. The command " in error


def test_a_spec_that_changed_meanwhile_is_not_overwritten(client: Client, shop, answering: Inbox):
    (error,) = errors_of(save(client, make_deployment(shop), SPEC | {"replicas": 4}, generation=7))
    assert "changed this spec meanwhile" in error
    assert answering.asked == []


def act(client: Client, action: str, *rows: StoredObject, **fields: Any) -> list[str]:
    """What the page says after an action on rows."""
    form = {"action": action, "_selected_action": [row.pk for row in rows], **fields}
    listing = reverse("admin:lifecycle_storedobject_changelist")
    response = client.post(f"{listing}?deleted=both", form, follow=True)
    return [str(message) for message in response.context["messages"]]


WEB = {"kind": "Deployment", "namespace": "default", "name": "web"}


@pytest.mark.parametrize(
    "action, fields, kind, payload, said",
    [
        ("scale", {"replicas": 5}, "scale", {"replicas": 5}, "Deployment default/web: scaled to 5."),
        ("restart", {}, "rollout", {"action": "restart"}, "Deployment default/web: restarted."),
        ("delete_with_grace", {}, "delete", {}, "Deployment default/web: asked to end."),
    ],
)
def test_actions_are_commands(client: Client, shop, answering: Inbox, action, fields, kind, payload, said):
    assert act(client, action, make_deployment(shop), **fields) == [said]
    assert answering.asked == [("shop", kind, WEB | payload)]


@pytest.mark.parametrize(
    "action, fields, said",
    [
        ("scale", {"replicas": ""}, "Write the number of replicas"),
        ("scale", {"replicas": "-1"}, "Write the number of replicas"),
        ("scale", {"replicas": "3"}, "only Deployment, ReplicaSet"),
        ("restart", {}, "only DaemonSet, Deployment"),
    ],
)
def test_actions_that_make_no_sense_are_refused(client: Client, shop, answering: Inbox, action, fields, said):
    (message,) = act(client, action, make_stored(shop), **fields)
    assert said in message
    assert answering.asked == []


def test_a_deleted_object_stays_as_it_was(client: Client, shop, answering: Inbox):
    stored = make_deployment(shop, deleted_ms=5)
    assert act(client, "delete_with_grace", stored) == ["Deployment default/web is deleted already."]
    assert save(client, stored, SPEC | {"replicas": 9}).status_code == 403
    assert client.get(page_of(stored)).status_code == 200
    assert answering.asked == []


@pytest.mark.parametrize(
    "asked, shown", [("", ["living"]), ("deleted", ["gone"]), ("both", ["gone", "living"])]
)
def test_living_objects_are_listed_unless_asked_otherwise(client: Client, shop, asked: str, shown: list[str]):
    make_stored(shop, name="living")
    make_stored(shop, name="gone", deleted_ms=5)
    page = client.get(reverse("admin:lifecycle_storedobject_changelist"), {"deleted": asked} if asked else {})
    assert [stored.name for stored in page.context["cl"].result_list] == shown


def test_staff_see_their_own_clusters_only(client: Client, shop, answering: Inbox):
    mine = make_deployment(shop, "mine")
    theirs = make_deployment(make_cluster("secret"), "theirs")
    listing = client.get(reverse("admin:lifecycle_storedobject_changelist")).content.decode()
    assert "mine" in listing and "theirs" not in listing and "secret" not in listing
    assert client.get(page_of(mine)).status_code == 200
    assert client.get(page_of(theirs)).status_code == 302, "to the index: it is not there"
    assert save(client, theirs, SPEC | {"replicas": 0}).status_code == 302
    act(client, "delete_with_grace", theirs)
    assert answering.asked == []


def test_a_superuser_sees_everything(client: Client, answering: Inbox):
    client.force_login(make_superuser())
    stored = make_deployment(make_cluster("shop"))
    assert save(client, stored, SPEC | {"replicas": 4}).status_code == 302
    assert len(answering.asked) == 1


def test_names_are_escaped(client: Client, shop):
    name = "<script>alert(1)</script>"
    stored = make_stored(shop, name=name, data={"metadata": {"name": name}, "kind": "X"})
    for address in (page_of(stored), reverse("admin:lifecycle_storedobject_changelist")):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page and "&lt;script&gt;alert" in page

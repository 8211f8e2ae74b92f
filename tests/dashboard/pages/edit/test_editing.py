"""An object edited on its page: what is shown, judged, compared, applied; and what others did meanwhile."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from dashboard.pages.edit.conflicts import find_conflict, merge
from dashboard.pages.edit.small_forms import list_forms
from lifecycle.engine.schema.tables import load_tables
from lifecycle.models import Cluster, Command, Role, StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_user
from tests.kube_api.conftest import Shop, shop, shop_settings

__all__ = ["shop", "shop_settings"]
pytestmark = pytest.mark.slow
HERE = "/clusters/shop/deployments/default/web/"
CONTAINERS = [{"name": "app", "image": "nginx:1.27"}, {"name": "side", "image": "busybox:1.36"}]
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": CONTAINERS}}
SPEC = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE}
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": SPEC}


class Editor:
    """What a page does: the text and what it began with, sent again and again."""

    def __init__(self, client: Client) -> None:
        self.client = client
        page = client.get(f"{HERE}edit/")
        assert page.status_code == 200
        self.page = page.content.decode()
        self.text = unescape(re.findall(r"<textarea[^>]*>(.*?)</textarea>", self.page, re.DOTALL)[0])
        self.opened = self._read_opened(self.page)

    def _read_opened(self, page: str) -> str:
        return re.findall(r'name="opened" value="([^"]+)"', page)[0]

    def write(self, old: str, new: str) -> Editor:
        assert old in self.text
        self.text = self.text.replace(old, new, 1)
        return self

    def ask(self, what: str, **more: str) -> tuple[int, str]:
        form = {"text": self.text, "opened": self.opened, "what": what} | more
        answer: HttpResponse = self.client.post(f"{HERE}edit/", form)
        told = answer.content.decode()
        if 'name="opened"' in told:
            self.opened = self._read_opened(told)
        return answer.status_code, " ".join(unescape(re.sub(r"<[^>]+>", " ", told)).split())


@pytest.fixture
def editor(shop: Shop, client: Client, monkeypatch: pytest.MonkeyPatch) -> Editor:
    metadata = {"name": "web", "namespace": "default"}
    shop.submit("create", object=DEPLOYMENT | {"metadata": metadata})
    client.force_login(shop.cluster.owner)
    wait = inbox.wait_for_result

    def turn_and_wait(command: Command, *more: Any) -> Any:
        shop.turn()
        return wait(command, *more)

    monkeypatch.setattr(inbox, "wait_for_result", turn_and_wait)
    return Editor(client)


def find(shop: Shop) -> dict[str, Any]:
    return StoredObject.objects.get(cluster=shop.cluster, kind="Deployment").data


def test_what_is_applied_takes_the_place_of_the_object(shop: Shop, editor: Editor):
    for only_the_clusters in ("status:", "uid:", "resourceVersion:", "managedFields:", "generation:"):
        assert only_the_clusters not in editor.text
    assert editor.ask("difference") == (200, "Deployment default/web Nothing would change.")
    editor.write("replicas: 2", "replicas: 3").write("- name: side\n", "- name: aside\n")
    status, told = editor.ask("difference")
    assert status == 200
    assert "spec.replicas 2 3" in told
    assert "spec.template.spec.containers[side]" in told
    before = Command.objects.count()
    assert editor.ask("apply")[1] == "Deployment default/web configured"
    spec = find(shop)["spec"]
    assert (spec["replicas"], spec["template"]["spec"]["containers"][1]["name"]) == (3, "aside")
    sent = Command.objects.order_by("order").last()
    assert (Command.objects.count() - before, sent.kind, sent.user) == (1, "replace", shop.cluster.owner)
    # The editor goes on from what is there now.
    assert editor.ask("apply")[1] == "Deployment default/web unchanged"


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("  replicas: 2", "  replicas: -1", "spec.replicas Invalid value: -1"),
        ("  replicas: 2", "  replicsa: 2", 'spec.replicsa unknown field "replicsa"'),
        ("  replicas: 2", "  replicas: [", "line"),
        ("kind: Deployment", "kind: Pod", "line"),
        ("  name: web", "  name: other", "metadata.name must stay web, not "),
        ("  namespace: default", "  namespace: kube-system", "metadata.namespace must stay default"),
        ("  name: web", "  name: web\n  uid: other", "metadata.uid must stay"),
        ("matchLabels:\n      app: web", "matchLabels:\n      app: ²", "spec.selector"),
        ("apiVersion", "---\nkind: A\n---\napiVersion", ""),
        ("apiVersion", "\x00", ""),
        ("image: nginx:1.27", "image: ''", "spec.template.spec.containers[0].image Required value"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_place_and_nothing_is_sent(shop, editor, old, new, told):
    before, sent = find(shop), Command.objects.count()
    editor.write(old, new)
    for what in ("difference", "preview", "apply", "merge", "compare"):
        status, answer = editor.ask(what)
        assert status == 422
        assert told in answer
    assert (find(shop), Command.objects.count()) == (before, sent)


def test_what_the_inbox_refuses_is_said(shop: Shop, editor: Editor):
    editor.write("  name: web", '  name: web\n  annotations: {x: "a\\0b"}')
    for what in ("apply", "compare"):
        status, answer = editor.ask(what)
        assert status == 422 and "NUL" in answer, what
    assert Cluster.objects.count() == 1


def test_what_only_the_cluster_writes_is_ignored_and_said(shop: Shop, editor: Editor):
    editor.write("  name: web", "  name: web\n  generation: 99\n  resourceVersion: '1'")
    editor.text += "status:\n  replicas: 77\n"
    status, told = editor.ask("apply")
    assert (status, told.partition(". ")[0]) == (
        200,
        "Left out, as only the cluster writes it: status, metadata.generation, metadata.resourceVersion",
    )
    assert find(shop)["metadata"]["generation"] == 1
    assert find(shop)["status"].get("replicas") != 77


def test_a_preview_says_what_would_come_and_does_nothing(shop: Shop, editor: Editor):
    before = find(shop)
    status, told = editor.write("replicas: 2", "replicas: 4").ask("preview")
    assert status == 200
    assert "Preview of Deployment default/web" in told
    assert find(shop) == before


def test_what_others_changed_is_shown_and_both_come_together(shop: Shop, editor: Editor):
    editor.write("image: busybox:1.36", "image: busybox:1.37")
    shop.submit("scale", kind="Deployment", namespace="default", name="web", replicas=5)
    sent = Command.objects.count()
    status, told = editor.ask("apply")
    assert status == 409
    assert "was changed by somebody else since this editor was opened" in told
    assert "spec.replicas 2 5" in told
    assert Command.objects.count() == sent
    status, told = editor.ask("merge")
    assert (status, "replicas: 5" in told, "image: busybox:1.37" in told) == (200, True, True)
    # What it began with is now what is there: the text has both, and can be applied.
    editor.write("replicas: 2", "replicas: 5")
    assert editor.ask("difference")[1].endswith("[side].image busybox:1.36 busybox:1.37")
    assert editor.ask("apply")[0] == 200


def test_who_saw_what_others_changed_may_write_over_just_that(shop: Shop, editor: Editor):
    editor.write("replicas: 2", "replicas: 4")
    shop.submit("scale", kind="Deployment", namespace="default", name="web", replicas=5)
    form = {"text": editor.text, "opened": editor.opened, "what": "apply"}
    page = editor.client.post(f"{HERE}edit/", form)
    assert "you changed it too" in page.content.decode()
    seen = re.findall(r'data-over="(\w+)"', page.content.decode())[0]
    shop.submit("scale", kind="Deployment", namespace="default", name="web", replicas=6)
    assert editor.ask("apply", seen=seen)[0] == 409
    shop.submit("scale", kind="Deployment", namespace="default", name="web", replicas=5)
    assert editor.ask("apply", seen=seen)[0] == 200
    assert find(shop)["spec"]["replicas"] == 4


@pytest.mark.parametrize(
    "written, now, both",
    [
        pytest.param([{"name": "a", "v": 2}], [{"name": "a", "v": 3}], {"spec[a].v"}, id="one field"),
        pytest.param([{"name": "a", "v": 2}], [], {"spec[a]"}, id="others took away what holds it"),
        pytest.param([], [{"name": "a", "v": 3}], {"spec[a].v"}, id="the writer did"),
        pytest.param([{"name": "a", "v": 1, "w": 2}], [{"name": "a", "v": 3}], set(), id="beside it"),
    ],
)
def test_what_both_changed_is_said_of_what_holds_it_too(written: Any, now: Any, both: set[str]):
    opened = {"spec": [{"name": "a", "v": 1}]}
    found = find_conflict(opened, {"spec": written}, {"spec": now})
    assert found is not None and found.both == both


def test_a_status_that_goes_on_is_no_conflict(shop: Shop, editor: Editor):
    version = find(shop)["metadata"]["resourceVersion"]
    shop.turn(20)
    assert find(shop)["metadata"]["resourceVersion"] != version
    assert editor.write("replicas: 2", "replicas: 3").ask("apply")[0] == 200


def test_of_what_is_gone_nothing_is_written(shop: Shop, editor: Editor):
    shop.submit("delete", kind="Deployment", namespace="default", name="web")
    shop.turn(60)
    status, told = editor.ask("apply")
    assert (status, "It was deleted since" in told) == (422, True)
    assert editor.client.get(f"{HERE}edit/").status_code == 404
    assert 'hx-get="edit/"' not in editor.client.get(HERE).content.decode()


@pytest.mark.parametrize("opened", ["", "x", "\x00", "²" * 100, ".e:1:2", "a:b:c", "9" * 5_000])
def test_what_the_editor_began_with_is_its_own(editor: Editor, opened: str):
    editor.opened = opened
    for what in ("difference", "apply", "merge"):
        assert editor.ask(what)[0] == 422


@pytest.mark.parametrize("what", ["", "delete", "\x00"])
def test_only_what_can_be_asked_is(editor: Editor, what: str):
    assert editor.ask(what)[0] == 422


@pytest.mark.parametrize("role, allowed", [("viewer", False), ("editor", True)])
def test_who_may_change_the_cluster_edits(shop: Shop, editor: Editor, role: str, allowed: bool):
    bob, client, here = make_user("bob"), Client(), HERE.replace("shop", "shop@ada")
    client.force_login(bob)
    assert client.get(f"{here}edit/").status_code == 404
    Role.objects.create(cluster=shop.cluster, user=bob, name=role)
    form = {"text": editor.text, "opened": editor.opened, "what": "apply"}
    assert client.get(f"{here}edit/").status_code == (200 if allowed else 403)
    assert client.post(f"{here}edit/", form).status_code == (200 if allowed else 403)
    page = client.get(f"{here}?edit").content.decode()
    assert ('hx-get="edit/"' in page) is ("click, load" in page) is allowed
    # At a past instant everybody only looks, and what is kept as a file cannot be edited.
    shop.turn(30)
    past = editor.client.get(f"{HERE}?at=1s&edit", follow=True)
    assert past.status_code == 200
    assert 'hx-get="edit/"' not in past.content.decode()
    assert "Edit YAML" not in editor.client.get(f"{HERE}?as=html").content.decode()


def test_fields_are_told_by_version_and_kind(editor: Editor):
    told = editor.client.get("/clusters/shop/schema/?apiVersion=apps/v1&kind=Deployment").json()
    strategy = told["definitions"]["DeploymentStrategy"]["properties"]["type"]
    assert strategy == {"enum": ["Recreate", "RollingUpdate"]}
    for asked in ("", "?kind=Deployment&apiVersion=v9", "?kind=²&apiVersion=²"):
        assert editor.client.get(f"/clusters/shop/schema/{asked}").status_code == 422


def test_small_forms_name_fields_that_there_are(editor: Editor, shop: Shop):
    """Each path leads somewhere in the field tables, and each choice is one of theirs."""
    types = load_tables().types
    kinds = {
        "Deployment": "apps",
        "StatefulSet": "apps",
        "DaemonSet": "apps",
        "PodDisruptionBudget": "policy",
    }
    for kind, api_group in kinds.items():
        forms = list_forms(StoredObject(kind=kind, group=api_group))
        assert forms
        for form in forms:
            for field in (one for group in form.groups for one in group.fields):
                found, type_name = None, "Container" if field.of_container else kind
                for step in field.path.split("."):
                    found = types[type_name][step]
                    type_name = found.type_name
                assert found is not None
                assert {*field.choices} <= {*found.choices}
                assert {*(field.starts or ())} <= {*types.get(type_name, ())}


@pytest.mark.parametrize(
    "opened, written, now, merged",
    [
        pytest.param({"a": 1}, {"a": 2}, {"a": 1}, {"a": 2}, id="only the writer"),
        pytest.param({"a": 1}, {"a": 1}, {"a": 3}, {"a": 3}, id="only others"),
        pytest.param({"a": 1}, {"a": 2}, {"a": 3}, {"a": 2}, id="both: as it was written"),
        pytest.param({"a": 1, "b": 1}, {"b": 1}, {"a": 1, "b": 2}, {"b": 2}, id="one took away, one changed"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"c": 3}, {"b": 2, "c": 3}, id="others took away"),
        pytest.param({"a": {"x": 1}}, {"a": {"x": 2}}, {"a": {"x": 1, "y": 1}}, {"a": {"x": 2, "y": 1}}),
        pytest.param(
            [{"name": "a", "v": 1}, {"name": "b", "v": 1}],
            [{"name": "a", "v": 2}, {"name": "b", "v": 1}],
            [{"name": "b", "v": 3}, {"name": "a", "v": 1}, {"name": "c"}],
            [{"name": "a", "v": 2}, {"name": "b", "v": 3}, {"name": "c"}],
            id="lists by name",
        ),
        pytest.param([1, 2], [1, 3], [0, 2], [1, 3], id="other lists whole"),
        pytest.param(
            [{"name": "a"}, {"name": "a", "v": 1}],
            [{"name": "a"}, {"name": "a", "v": 2}],
            [{"name": "a", "v": 9}, {"name": "a", "v": 1}],
            [{"name": "a"}, {"name": "a", "v": 2}],
            id="names that are not one's own",
        ),
    ],
)  # fmt: skip
def test_two_changes_come_together(opened, written, now, merged):
    assert merge(opened, written, now) == merged

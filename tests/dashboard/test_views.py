"""Pages: who sees them, what they send, and that nothing a stranger wrote becomes markup."""

from __future__ import annotations

import json
import re
import time
from html import unescape
from typing import Any

import pytest

from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import event, pod_life
from tests.input.test_bombs import make_bomb, pod_with_behavior

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

HOSTILE = "<script>alert(1)</script>"
PAGES = [
    "",
    "workloads/",
    "verdict/",
    "events/",
    "table/",
    "names/?of=pod",
    "stretch/?from=0s&to=5s",
    "control/",
    "why/1/",
    "pods/default/web-1/",
    "pods/default/web-1/status/",
    "pods/default/web-1/log/",
    "pods/default/web-1/yaml/",
    "deployments/default/web/yaml/",
    "deployments/default/web/",
    "deployments/default/web/status/",
]
ACTIONS = ["control/", "fork/", "manifest/", "pods/default/web-1/delete/", "deployments/default/web/change/"]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: app, image: nginx}]}\n"


class Sent:
    """Commands and run controls that were asked for, answered as a test says."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.controls: list[tuple[str, dict[str, Any]]] = []
        self.result: dict[str, Any] | None = {"code": 201, "object": {}, "status": None, "warnings": []}

    def append_all(self, cluster: Cluster, commands: list[tuple[str, dict[str, Any]]], user: Any) -> Any:
        self.commands += commands
        return commands

    def control(self, cluster: Cluster, kind: str, payload: dict[str, Any], user: Any) -> Any:
        inbox._check_control(kind, payload)
        self.controls.append((kind, payload))
        return type("Applied", (), {"problem": ""})


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    sent = Sent()
    monkeypatch.setattr(inbox, "append_all", sent.append_all)
    monkeypatch.setattr(inbox, "wait_for_results", lambda commands: [sent.result for _ in commands])
    monkeypatch.setattr(inbox, "control", sent.control)
    monkeypatch.setattr(inbox, "wait_for_control", lambda control: True)
    return sent


@pytest.fixture
def shop(client):
    """A cluster of the signed-in user with one pod and one Deployment."""
    ada = make_user("ada")
    client.force_login(ada)
    cluster = make_cluster(ada)
    record(cluster, [*pod_life(), event(6000, "Started", HOSTILE)])
    pod = {"spec": {"containers": [{"name": "app", "image": HOSTILE}]}, "status": {}}
    StoredObject.objects.filter(cluster=cluster, kind="Pod").update(data=pod, state="ready")
    template = {"spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}
    StoredObject.objects.create(
        cluster=cluster,
        uid="uid-web",
        kind="Deployment",
        group="apps",
        namespace="default",
        name="web",
        rv=50,
        data={"metadata": {"name": "web"}, "spec": {"replicas": 3, "template": template}, "status": {}},
    )
    return cluster


@pytest.mark.parametrize("path", PAGES)
def test_every_page_answers(client, shop, path):
    assert client.get(f"/clusters/shop/{path}").status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_someone_elses_cluster_is_not_there(client, shop, path):
    client.force_login(make_user("eve"))
    assert client.get(f"/clusters/shop/{path}").status_code == 404


@pytest.mark.parametrize("path", ACTIONS)
def test_someone_elses_cluster_takes_nothing(client, shop, sent, path):
    client.force_login(make_user("eve"))
    assert client.post(f"/clusters/shop/{path}", {"kind": "pause", "manifest": POD}).status_code == 404
    assert not sent.commands
    assert not sent.controls


@pytest.mark.parametrize("path", ["/", "/clusters/shop/", "/clusters/shop/pods/default/web-1/"])
def test_without_signing_in_there_is_only_the_door(client, shop, path):
    client.logout()
    answer = client.get(path)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/")


def test_a_page_that_was_signed_out_is_sent_to_the_door(client, shop):
    client.logout()
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/clusters/shop/"}
    answer = client.get("/clusters/shop/workloads/", headers=headers)
    assert answer["HX-Redirect"] == "/sign-in/?next=/clusters/shop/"


def test_the_list_shows_ones_own_clusters(client, shop):
    make_cluster(make_user("eve"), "secret")
    page = client.get("/").content.decode()
    assert "shop" in page
    assert "secret" not in page


@pytest.mark.parametrize("path", ["", *(f"clusters/shop/{page}" for page in PAGES)])
def test_pages_have_no_inline_script_no_handlers_and_no_strangers_markup(client, shop, path):
    page = client.get(f"/{path}").content.decode()
    for script in re.findall(r"<script[^>]*>", page):
        assert "src=" in script, script
    assert not re.search(r"<[^>]+\s(on\w+|hx-on[^=]*|style)=", page)
    assert HOSTILE not in page


def test_the_policy_allows_scripts_from_here_only(client, shop):
    policy = client.get("/clusters/shop/").headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy
    assert "unsafe-eval" not in policy


def test_every_document_becomes_one_apply(client, shop, sent):
    answer = client.post("/clusters/shop/manifest/", {"manifest": f"{POD}---\n{POD.replace('one', 'two')}"})
    assert answer.status_code == 200
    assert [(kind, payload["object"]["metadata"]["name"]) for kind, payload in sent.commands] == [
        ("apply", "one"),
        ("apply", "two"),
    ]
    assert answer.content.decode().count("created") == 2


@pytest.mark.parametrize(
    "manifest, words",
    [
        pytest.param("a: [", ["not valid YAML", "line"], id="no YAML"),
        pytest.param("", ["no objects passed to apply"], id="nothing"),
        pytest.param(
            POD.replace("image:", "imagee:"), ["Pod one", "spec.containers[0].imagee"], id="unknown field"
        ),
        pytest.param(POD.replace("nginx", "[1]"), ["Pod one", "spec.containers[0].image"], id="wrong type"),
        pytest.param("a: &a [1]\n" + "b: [*a]\n" * 3, ["given twice"], id="key twice"),
    ],
)
def test_an_unsound_manifest_is_answered_and_nothing_is_sent(client, shop, sent, manifest, words):
    answer = client.post("/clusters/shop/manifest/", {"manifest": manifest})
    assert answer.status_code == 422
    for word in words:
        assert word in answer.content.decode()
    assert not sent.commands


def test_what_a_cluster_gave_out_is_applied_as_manifests_and_what_is_stored_only_is_said(client, shop, sent):
    text = """
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web, uid: u1, resourceVersion: "7"}
  spec: {ports: [{port: 80}]}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata:
    name: web-x
    uid: u2
    ownerReferences: [{apiVersion: v1, kind: Service, name: web, uid: u1, controller: true}]
  addressType: IPv4
  endpoints: []
- {apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}, spec: {podSelector: {}}}
"""
    page = client.post("/clusters/shop/manifest/", {"manifest": text}).content.decode()
    applied = [payload["object"] for _, payload in sent.commands]
    assert [data["kind"] for data in applied] == ["Service", "NetworkPolicy"]
    assert applied[0]["metadata"] == {"name": "web"}
    assert "EndpointSlice web-x: its owner Service web is given, and makes it" in page
    assert "NetworkPolicy (1): stored, but nothing in the model acts on them" in page


TWO_WRONG = """apiVersion: v1
kind: Pod
metadata: {name: One}
spec:
  containers:
  - name: app
    image: nginx
    ports: [{containerPort: 70000}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: fine}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: -1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: other}}
    spec: {containers: [{name: app, image: nginx}]}
"""


def test_values_are_refused_together_with_their_lines_and_nothing_is_sent(client, shop, sent):
    answer = client.post("/clusters/shop/manifest/", {"manifest": TWO_WRONG})
    assert answer.status_code == 422
    assert not sent.commands
    told = re.findall(
        r'<span class="path">(.*?)</span>.*?data-line="\d+"[^>]*>(.*?)</button>',
        unescape(answer.content.decode()),
        re.S,
    )
    assert told == [
        ("metadata.name", "document 1, line 3"),
        ("spec.containers[0].ports[0].containerPort", "document 1, line 8"),
        ("spec.replicas", "document 3, line 19"),
        ("spec.template.metadata.labels", "document 3, line 22"),
    ]


def test_values_are_judged_with_the_gates_of_the_cluster(client, shop, sent):
    rule = "{action: RestartAllContainers, exitCodes: {operator: In, values: [1]}}"
    container = f"{{name: app, image: nginx, restartPolicy: Never, restartPolicyRules: [{rule}]}}"
    manifest = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: one}}\nspec: {{containers: [{container}]}}\n"
    assert client.post("/clusters/shop/manifest/", {"manifest": manifest}).status_code == 422
    shop.settings = {"featureGates": {"RestartAllContainersOnContainerExits": True}}
    shop.save()
    assert client.post("/clusters/shop/manifest/", {"manifest": manifest}).status_code == 200


def test_a_page_waits_once_for_all_its_commands(client, shop, monkeypatch):
    """Nobody answers: it waits for the last."""
    waits = []
    monkeypatch.setattr(inbox, "wait_for_result", lambda command, timeout: waits.append(timeout))
    pods = [POD.replace("one", f"pod-{number}") for number in range(50)]
    answer = client.post("/clusters/shop/manifest/", {"manifest": "---\n".join(pods)})
    assert answer.content.decode().count("No answer within 10 seconds") == 50
    assert waits == [inbox.WAIT_SECONDS]
    assert [command.payload["object"]["metadata"]["name"] for command in shop.commands.order_by("order")] == [
        f"pod-{number}" for number in range(50)
    ]


def test_a_refusal_names_object_and_field(client, shop, sent):
    cause = {
        "field": "spec.selector",
        "message": "Invalid value: `selector` does not match template `labels`",
    }
    sent.result = {"code": 422, "status": {"message": "x", "details": {"causes": [cause]}}}
    answer = client.post("/clusters/shop/manifest/", {"manifest": POD})
    assert answer.status_code == 422
    for word in ("Pod one", "spec.selector", "does not match"):
        assert word in answer.content.decode()


def test_a_refusal_is_shown_as_text(client, shop, sent):
    sent.result = {"code": 409, "status": {"message": HOSTILE}}
    assert HOSTILE not in client.post("/clusters/shop/manifest/", {"manifest": POD}).content.decode()


@pytest.mark.parametrize(
    "form, expected",
    [
        pytest.param({"kind": "pause"}, ("pause", {}), id="pause"),
        pytest.param({"kind": "speed", "speed": "60"}, ("speed", {"speed": 60.0}), id="speed"),
        pytest.param({"kind": "speed", "speed": "auto"}, ("speed", {"speed": "auto"}), id="auto"),
        pytest.param(
            {"kind": "run", "until": "10m"},
            ("run", {"untilMs": 606_000, "fast": True, "asked": "10m"}),
            id="a duration",
        ),
        pytest.param(
            {"kind": "run", "until": "00:10:00"},
            ("run", {"untilMs": 600_000, "fast": True, "asked": "00:10:00"}),
            id="a clock",
        ),
        pytest.param(
            {"kind": "run", "until": "idle"},
            ("run", {"condition": "idle", "fast": True, "asked": "idle"}),
            id="idle",
        ),
    ],
)
def test_run_controls(client, shop, sent, form, expected):
    Cluster.objects.update(anchor_instant_ms=6000)
    assert client.post("/clusters/shop/control/", form).status_code == 200
    assert sent.controls == [expected]


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "run", "until": "00:00:01"},
        {"kind": "speed", "speed": "0"},
        {"kind": "speed", "speed": "nan"},
        {"kind": "speed", "speed": "soon"},
        {"kind": "speed"},
        {"kind": "run"},
        {"kind": "explode"},
        {},
    ],
)
def test_a_senseless_control_is_answered(client, shop, sent, form):
    answer = client.post("/clusters/shop/control/", form)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not sent.controls


@pytest.mark.parametrize("is_auto, chosen", [(True, "auto"), (False, "10")])
def test_the_speed_that_is_set_is_chosen(client, shop, is_auto, chosen):
    Cluster.objects.update(is_auto=is_auto, speed=10)
    page = client.get("/clusters/shop/control/").content.decode()
    assert page.count(" selected>") == 1 and f'<option value="{chosen}" selected>' in page


TARGET = {"kind": "Deployment", "namespace": "default", "name": "web"}


@pytest.mark.parametrize(
    "form, expected",
    [
        pytest.param(
            {"action": "setImage", "container": "app", "image": " nginx:2 "},
            ("setImage", TARGET | {"container": "app", "image": "nginx:2"}),
            id="another image",
        ),
        pytest.param({"action": "scale", "replicas": "0"}, ("scale", TARGET | {"replicas": 0}), id="to none"),
        pytest.param({"action": "restart"}, ("rollout", TARGET | {"action": "restart"}), id="restart"),
        pytest.param(
            {"action": "undo", "revision": "1"},
            ("rollout", TARGET | {"action": "undo", "toRevision": 1}),
            id="undo",
        ),
    ],
)
def test_changes_of_a_deployment(client, shop, sent, form, expected):
    assert client.post("/clusters/shop/deployments/default/web/change/", form).status_code == 200
    assert sent.commands == [expected]


@pytest.mark.parametrize(
    "form", [{"action": "setImage", "image": " "}, {"action": "scale", "replicas": "-1"}, {"action": "burn"}]
)
def test_senseless_changes_are_answered(client, shop, sent, form):
    assert client.post("/clusters/shop/deployments/default/web/change/", form).status_code == 422
    assert not sent.commands


def test_a_deployment_is_deleted_after_a_question(client, shop):
    page = client.get("/clusters/shop/deployments/default/web/").content.decode()
    (button,) = re.findall(r"<button[^>]*>Delete</button>", page)
    # A question on a button counts only where the button itself sends the request.
    assert 'hx-post="/clusters/shop/deployments/default/web/change/"' in button
    assert 'hx-confirm="Delete the Deployment web and its pods?"' in button
    assert 'type="button"' in button


@pytest.mark.spec("FORCE-09")
def test_a_pod_is_deleted_by_force_after_a_question(client, shop, sent):
    page = client.get("/clusters/shop/pods/default/web-1/").content.decode()
    (button,) = re.findall(r"<button[^>]*>Delete by force</button>", page)
    # Asked where the request is sent, so that nothing is sent without an answer.
    assert 'hx-post="/clusters/shop/pods/default/web-1/delete/"' in button
    assert "beside a new pod of the same name" in re.search('hx-confirm="([^"]*)"', button)[1]
    client.post("/clusters/shop/pods/default/web-1/delete/", {"grace": "", "force": "yes"})
    target = {"kind": "Pod", "namespace": "default", "name": "web-1"}
    assert sent.commands == [("delete", target | {"gracePeriodSeconds": 0, "force": True})]


@pytest.mark.parametrize(
    "address",
    [
        "/clusters/shop%00/",
        "/clusters/shop/pods/default/web%00/",
        "/clusters/shop/pods/default/web-1/log/?container=a%00",
        "/admin/lifecycle/storedobject/?kind=%00",
    ],
)
def test_an_address_with_a_nul_is_refused(client, shop, address):
    assert client.get(address).status_code == 400


async def test_an_address_with_a_nul_is_refused_by_the_asynchronous_server_too(async_client):
    assert (await async_client.get("/clusters/shop%00/")).status_code == 400
    assert (await async_client.get("/sign-in/")).status_code == 200


@pytest.mark.parametrize("path", ["", "control/", "pods/default/web-1/"])
def test_why_a_cluster_stopped_is_said_beside_its_controls(client, shop, path):
    told = "This cluster takes no commands:"
    assert told not in client.get(f"/clusters/shop/{path}").content.decode()
    Cluster.objects.filter(pk=shop.pk).update(failure="KeyError: <b>web</b>")
    page = client.get(f"/clusters/shop/{path}").content.decode()
    assert told in page and "KeyError: &lt;b&gt;web" in page


def test_a_pod_is_deleted_with_a_grace_period(client, shop, sent):
    client.post("/clusters/shop/pods/default/web-1/delete/", {"grace": "5"})
    target = {"kind": "Pod", "namespace": "default", "name": "web-1"}
    assert sent.commands == [("delete", target | {"gracePeriodSeconds": 5})]


@pytest.mark.parametrize("path", ["pods/default/none/", "deployments/default/none/"])
def test_what_is_not_there_is_404(client, shop, path):
    assert client.get(f"/clusters/shop/{path}").status_code == 404


@pytest.mark.parametrize("name", ["Shop", "a_b", "-a", "x" * 64, HOSTILE, ""])
def test_a_bad_cluster_name_is_answered_in_the_form(client, shop, name):
    answer = client.post("/clusters/", {"name": name, "seed": 1, "nodes": 3, "timing": "realistic"})
    assert answer.status_code == 422
    assert Cluster.objects.count() == 1
    assert HOSTILE not in answer.content.decode()


def test_the_stylesheet_knows_every_state(client):
    assert ".tone-ready { --tone: #0f9d77; }" in client.get("/palette.css").content.decode()


def test_the_pod_page_says_what_is_assumed_and_what_was_not_interpreted(client, shop):
    script = {"name": "job", "image": "busybox", "command": ["sh", "-c", "frobnicate; sleep 5"]}
    containers = [{"name": "own", "image": "own:1"}, script]
    StoredObject.objects.filter(cluster=shop, kind="Pod").update(data={"spec": {"containers": containers}})
    what = "the command 'frobnicate': taken to succeed at once"
    warning = {"eventType": "Warning", "fieldPath": "spec.containers{job}"}
    record(shop, [event(7000, "UninterpretedBehavior", f"cannot interpret {what}", **warning)] * 2)
    page = unescape(client.get("/clusters/shop/pods/default/web-1/status/").content.decode())
    own, job = re.findall(r"<li>\s*<strong>.*?</li>", page, re.DOTALL)
    assert "Nothing is known of its program." in own
    assert "<b>Assumed</b> image own:1: assumed to run for ever" in own
    assert "Not interpreted" not in own
    assert "Runs its command line as it is written." in job
    assert job.count(f"<b>Not interpreted</b> {what}") == 1


def test_the_cluster_page_names_images_that_are_assumed_to_answer(client, shop):
    for part in ("", "workloads/"):
        page = client.get(f"/clusters/shop/{part}").content.decode()
        assert "Assumed to start and answer</b> &lt;script&gt;alert(1)&lt;/script&gt; (no profile)" in page
        assert HOSTILE not in page
    known = {"spec": {"containers": [{"name": "app", "image": "nginx:1"}]}}
    StoredObject.objects.filter(cluster=shop, kind="Pod").update(data=known)
    assert "Assumed to start" not in client.get("/clusters/shop/workloads/").content.decode()


@pytest.mark.parametrize("levels", [4, 6, 12])
def test_a_bomb_in_a_behaviour_is_answered_in_few_words(client, shop, sent, levels):
    """On the page that applies manifests, and on that of a pod which has it by other ways."""
    pod = json.dumps(pod_with_behavior(make_bomb(levels)))
    started = time.process_time()
    answer = client.post("/clusters/shop/manifest/", {"manifest": pod})
    assert (answer.status_code, sent.commands) == (422, [])
    StoredObject.objects.filter(cluster=shop, kind="Pod").update(data=json.loads(pod))
    page = client.get("/clusters/shop/pods/default/web-1/status/")
    assert len(answer.content) < 200_000
    assert len(page.content) < 200_000
    assert time.process_time() - started < 3


def test_nobody_waits_for_what_nobody_has_made(client, shop, sent):
    asked = {"kind": "run", "until": "deployment/nope Available"}
    answer = client.post("/clusters/shop/control/", asked)
    assert answer.status_code == 422
    assert "There is no Deployment default/nope" in answer.content.decode()
    assert not sent.controls
    client.post("/clusters/shop/control/", asked | {"until": "deployment/web Available"})
    assert [kind for kind, _ in sent.controls] == ["run"]


def test_a_step_where_nothing_is_due_says_so(client, shop, sent):
    shop.paused = True
    shop.save(update_fields=["paused"])
    answer = client.post("/clusters/shop/control/", {"kind": "step"})
    assert "Nothing is due: nothing will change by itself any more." in answer.content.decode()


def test_a_cluster_is_renamed_by_its_owner(client, shop):
    make_cluster(shop.owner, "taken")
    make_cluster(make_user("bob"), "kiosk")
    for name, words in (
        ("taken", "There is a cluster called taken already"),
        ("Not one", "a lowercase DNS label"),
    ):
        answer = client.post("/clusters/shop/rename/", {"name": name})
        assert answer.status_code == 422 and words in answer.content.decode()
    answer = client.post("/clusters/shop/rename/", {"name": "kiosk"})
    assert answer["HX-Redirect"] == "/clusters/kiosk/"
    assert client.get("/clusters/kiosk/").status_code == 200
    client.force_login(make_user("eve"))
    assert client.post("/clusters/kiosk/rename/", {"name": "mine"}).status_code == 404


@pytest.mark.parametrize(
    "path, form", [("pods/default/web-1/", 'id="delete"'), ("deployments/default/web/", 'id="change"')]
)
def test_what_is_gone_is_not_offered_to_be_changed(client, shop, path, form):
    assert form in client.get(f"/clusters/shop/{path}").content.decode()
    StoredObject.objects.update(deleted_ms=5000)
    assert form not in client.get(f"/clusters/shop/{path}").content.decode()
    # A page that is open puts it away with the next part.
    part = client.get(f"/clusters/shop/{path}status/").content.decode()
    assert f'<section {form} hx-swap-oob="delete">' in part


@pytest.mark.parametrize(
    "form, words",
    [
        (
            {"action": "setImage", "container": "app", "image": "nginx:2"},
            "app gets nginx:2: rolling out revision 3",
        ),
        ({"action": "restart"}, "restarted: rolling out revision 3"),
        ({"action": "undo", "revision": "1"}, "rolled back to revision 1: rolling out revision 3"),
        ({"action": "pause"}, "paused: changes wait until it is resumed"),
        ({"action": "scale", "replicas": "2"}, "scaled to 2"),
        ({"action": "delete"}, "deletion requested"),
    ],
)
def test_answers_are_named_by_what_happens(client, shop, sent, form, words):
    sent.result = {"code": 200, "object": {"metadata": {"resourceVersion": "999"}}, "warnings": []}
    StoredObject.objects.create(
        cluster=shop, uid="rs", kind="ReplicaSet", group="apps", namespace="default", name="web-a", rv=1,
        owner="Deployment/web", revision=2, data={},
    )  # fmt: skip
    answer = client.post("/clusters/shop/deployments/default/web/change/", form).content.decode()
    assert words in " ".join(answer.split())
    assert "configured" not in answer


def test_a_change_that_changes_nothing_says_so(client, shop, sent):
    sent.result = {"code": 200, "object": {"metadata": {"resourceVersion": "0"}}, "warnings": []}
    form = {"action": "setImage", "container": "app", "image": "nginx:1"}
    answer = client.post("/clusters/shop/deployments/default/web/change/", form).content.decode()
    assert "unchanged" in answer and "revision" not in answer


@pytest.mark.parametrize(
    "meta, words",
    [
        ({"deletionGracePeriodSeconds": 30}, "deletion requested: its containers have 30s to end"),
        ({"finalizers": ["a.example/<b>"]}, "finalizers are done (a.example/&lt;b&gt;)"),
    ],
)
def test_a_deletion_says_what_it_waits_for(client, shop, sent, meta, words):
    StoredObject.objects.filter(kind="Pod").update(data={"metadata": meta})
    assert words in client.post("/clusters/shop/pods/default/web-1/delete/", {}).content.decode()
    StoredObject.objects.update(deleted_ms=5000)
    assert (
        "</strong>\n  \n  deleted\n"
        in client.post("/clusters/shop/pods/default/web-1/delete/", {}).content.decode()
    )

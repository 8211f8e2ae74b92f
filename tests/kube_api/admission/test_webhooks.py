"""Admission webhooks on a TLS server of our own: what is sent, what comes of answers, what is bounded."""

from __future__ import annotations

import base64
import datetime
import http.server
import ipaddress
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from lifecycle.engine.api.patching.json_patch import json_patch
from lifecycle.kube_api.admission import calls
from lifecycle.kube_api.admission.webhooks import find_difference
from lifecycle.models import Command, StoredObject
from lifecycle.runs import inbox
from tests.kube_api.conftest import Shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

Json = dict[str, Any]
MAPS = "/k8s/shop/api/v1/namespaces/default/configmaps"
CHILDREN = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove"
    " them or set propagationPolicy=Orphan to suppress this warning"
)
HOOKS = "/k8s/shop/apis/admissionregistration.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["configmaps"]}


def make_certificate(folder: Path) -> tuple[Path, bytes]:
    """(file with key and certificate, the certificate): of 127.0.0.1 and of the Service shop/gate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gate")])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("gate.shop.svc")]
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + DAY)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "gate.pem"
    path.write_bytes(private + certificate)
    return path, certificate


DAY = datetime.timedelta(days=1)


class Gate(http.server.BaseHTTPRequestHandler):
    """Answers by the path; what it was asked is kept."""

    asked: list[tuple[str, Json, Any]] = []

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Gate.asked.append((path, review, self.headers))
        answer = ANSWERS[path](review["request"])
        if answer is None:
            return self._drip()
        code, body = answer if isinstance(answer, tuple) else (200, answer)
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "https://127.0.0.1:1/elsewhere")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        try:
            self.wfile.write(text)
        except OSError:
            return None

    def _drip(self) -> None:
        try:
            for _ in range(600):
                self.wfile.write(b"H")
                time.sleep(0.1)
        except OSError:
            return

    def log_message(self, *_: Any) -> None:
        return


def review(request: Json, allowed: bool = True, **response: Any) -> Json:
    said = {"uid": request["uid"], "allowed": allowed, **response}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": said}


def patch(request: Json, *operations: Json) -> Json:
    text = base64.b64encode(json.dumps(operations).encode()).decode()
    return review(request, patch=text, patchType="JSONPatch")


SPOILT = "autoscaling.alpha.kubernetes.io/metrics"
LABEL = {"op": "add", "path": "/metadata/labels", "value": {"by": "gate"}}
OTHER = {"op": "add", "path": "/metadata", "value": {"name": "other", "uid": "1"}}
ANSWERS: dict[str, Callable[[Json], Any]] = {
    "/yes": review,
    "/warn": lambda request: review(request, warnings=["take\x00care", 3]),
    "/no": lambda request: review(
        request, False, status={"code": 403, "reason": "Forbidden", "message": "no"}
    ),
    "/silent": lambda request: review(request, False),
    "/odd": lambda request: review(request, False, status={"code": "²", "message": {"a": 1}, "reason": "R"}),
    "/label": lambda request: patch(request, LABEL),
    "/again": lambda request: patch(
        request,
        {"op": "add", "path": "/data", "value": {"seen": str(request["object"]["metadata"].get("labels"))}},
    ),
    "/other": lambda request: patch(request, OTHER),
    "/scale": lambda request: patch(
        request,
        {"op": "test", "path": "/apiVersion", "value": request["object"]["apiVersion"]},
        {"op": "add", "path": "/spec/targetCPUUtilizationPercentage", "value": 55},
    ),
    "/spoil": lambda request: patch(
        request, {"op": "add", "path": "/metadata/annotations", "value": {SPOILT: 5}}
    ),
    "/size": lambda request: patch(
        request,
        {"op": "test", "path": "/apiVersion", "value": "example.org/v2"},
        {"op": "add", "path": "/spec", "value": {"a/b~c": {"size": 2}}},
    ),
    "/types": lambda request: patch(request, {"op": "add", "path": "/data", "value": [1]}),
    "/misfit": lambda request: patch(request, {"op": "remove", "path": "/nowhere/at/all"}),
    "/undecodable": lambda request: review(request, patch="!", patchType="JSONPatch"),
    "/uid": lambda request: review({"uid": "other"}),
    "/redirect": lambda request: (302, review(request)),
    "/broken": lambda request: (500, b"<b>\x00"),
    "/text": lambda request: b"[" * 100_000,
    "/list": lambda request: [],
    "/huge": lambda request: b" " * (calls.MOST_BYTES + 10),
    "/slow": lambda request: None,
}


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, str]]:
    """(port, caBundle) of a server."""
    path, certificate = make_certificate(tmp_path_factory.mktemp("gate"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1], base64.b64encode(certificate).decode()
    server.shutdown()
    server.server_close()


@pytest.fixture
def api(shop: Shop, client: Any, monkeypatch: pytest.MonkeyPatch, settings: Any, gate: Any) -> Any:
    """A client of the API, whose commands the worker carries out at once."""
    client.force_login(shop.cluster.owner)
    Gate.asked.clear()
    port = gate[0]
    settings.WEBHOOKS = {f"127.0.0.1:{port}": f"127.0.0.1:{port}", "shop/gate:443": f"127.0.0.1:{port}"}

    def wait(command: Command, timeout: float) -> Any:
        command.refresh_from_db()
        if command.result is None:
            shop.turn()
            command.refresh_from_db()
        return command.result

    monkeypatch.setattr(inbox, "wait_for_result", wait)
    return client


def make_webhook(gate: Any, path: str, **more: Any) -> Json:
    port, bundle = gate
    return {
        "name": f"{path.strip('/')}.example.org",
        "clientConfig": {"url": f"https://127.0.0.1:{port}{path}", "caBundle": bundle},
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1 if path == "/slow" else 10,
        **more,
    }


def configure(api: Any, kind: str, name: str, *hooks: Json, code: int = 201) -> None:
    data = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(hooks),
    }
    made = api.post(f"{HOOKS}/{kind.lower()}webhookconfigurations", data, content_type="application/json")
    assert made.status_code == code, made.content


def keep(*hooks: Json) -> None:
    """Have a configuration hold what is refused today, as one that is older than its rules may."""
    row = StoredObject.objects.get(kind="ValidatingWebhookConfiguration")
    row.data["webhooks"] = list(hooks)
    row.save()


def create(api: Any, name: str, query: str = "", **more: Any) -> Any:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}
    return api.post(f"{MAPS}{query}", data, content_type="application/json")


FAILED = 'Internal error occurred: failed calling webhook "{}.example.org": '
INVALID = FAILED + "received invalid webhook response: "


ROWS: list[tuple[str, str, int, str]] = [
    ("Validating", "/yes", 201, ""),
    ("Validating", "/no", 403, 'admission webhook "no.example.org" denied the request: no'),
    (
        "Validating",
        "/silent",
        400,
        'admission webhook "silent.example.org" denied the request without explanation',
    ),
    ("Validating", "/odd", 400, 'admission webhook "odd.example.org" denied the request: R'),
    ("Validating", "/label", 500, INVALID + "validating webhook may not return response.patch"),
    ("Validating", "/uid", 500, INVALID + 'expected response.uid="'),
    ("Validating", "/redirect", 500, FAILED + 'failed to call webhook: Post "https://127.0.0.1:'),
    ("Validating", "/broken", 500, FAILED + 'failed to call webhook: Post "https://127.0.0.1:'),
    ("Validating", "/text", 500, FAILED + 'failed to call webhook: Post "https://127.0.0.1:'),
    ("Validating", "/list", 500, INVALID + "webhook response was absent"),
    ("Validating", "/huge", 500, FAILED + 'failed to call webhook: Post "https://127.0.0.1:'),
    ("Mutating", "/misfit", 500, "Internal error occurred: "),
    ("Mutating", "/undecodable", 500, FAILED + "received undecodable patch in webhook response"),
    ("Mutating", "/types", 400, 'ConfigMap "'),
]


@pytest.mark.spec("HOOK-01")
def test_what_a_webhook_answers_decides_in_the_words_of_the_api_server(api, gate):
    for kind in ("Mutating", "Validating"):
        hooks = [
            make_webhook(gate, path, objectSelector={"matchLabels": {"row": f"{kind}{index}"}})
            for index, (of, path, *_) in enumerate(ROWS)
            if of == kind
        ]
        configure(api, kind, "gate", *hooks)
    for index, (kind, path, code, message) in enumerate(ROWS):
        data = {"kind": "ConfigMap", "metadata": {"name": f"box{index}", "labels": {"row": f"{kind}{index}"}}}
        made = api.post(MAPS, {"apiVersion": "v1", **data}, content_type="application/json")
        said = "" if made.status_code == 201 else made.json()["message"]
        assert made.status_code == code and said.startswith(message.format(path[1:])), (path, said)
        assert api.get(f"{MAPS}/box{index}").status_code == (200 if code == 201 else 404)


@pytest.mark.spec("HOOK-02")
def test_mutating_webhooks_change_what_is_stored_and_others_see_it(api, gate, shop):
    again = make_webhook(gate, "/again", reinvocationPolicy="IfNeeded")
    configure(api, "Mutating", "a", again)
    configure(api, "Mutating", "b", make_webhook(gate, "/other"), make_webhook(gate, "/label"))
    configure(api, "Validating", "c", make_webhook(gate, "/warn"))
    made = create(api, "box", "?fieldManager=ann", data={"a": "b"})
    assert made.status_code == 201, made.content
    stored = made.json()
    assert stored["metadata"]["name"] == "box" and stored["metadata"]["uid"] != "1"
    # The first was asked again, after another had changed the labels that it had seen.
    assert [review["request"]["object"]["metadata"].get("labels") for _, review, _ in Gate.asked[::3]] == [
        None,
        {"by": "gate"},
    ]
    assert stored["data"] == {"seen": "{'by': 'gate'}"} and stored["metadata"]["labels"] == {"by": "gate"}
    assert made.warnings == ['299 - "take care"']
    paths = [path for path, *_ in Gate.asked]
    assert paths == ["/again", "/other", "/label", "/again", "/warn"]
    last = Gate.asked[-1][1]["request"]
    assert last["object"]["data"] == stored["data"] and last["oldObject"] is None
    options = {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions", "fieldManager": "ann"}
    assert last["options"] == options
    assert (last["operation"], last["namespace"], last["name"]) == ("CREATE", "default", "box")
    assert last["userInfo"]["username"] == "ada" and last["dryRun"] is False
    assert not any(
        name.lower() in ("authorization", "cookie") for _, _, headers in Gate.asked for name in headers
    )
    commands = Command.objects.filter(cluster=shop.cluster, kind="create").values_list("payload", flat=True)
    sent = [(one.get("request") or {}).get("patches") for one in commands]
    assert 4 in [len(patches or ()) for patches in sent]


@pytest.mark.spec("HOOK-03")
def test_changes_and_deletions_are_asked_of_with_what_was_there(api, gate):
    assert create(api, "box", data={"a": "b"}).status_code == 201
    configure(
        api,
        "Validating",
        "gate",
        make_webhook(gate, "/no", rules=[{**RULE, "operations": ["UPDATE", "DELETE"]}]),
    )
    body = json.dumps({"data": {"a": "c"}})
    changed = api.patch(f"{MAPS}/box", body, content_type="application/merge-patch+json")
    gone, all_gone = api.delete(f"{MAPS}/box"), api.delete(f"{MAPS}?fieldSelector=metadata.name%3Dbox")
    assert [one.status_code for one in (changed, gone, all_gone)] == [403, 403, 403]
    update, delete = (asked[1]["request"] for asked in Gate.asked[:2])
    assert (update["oldObject"]["data"], update["object"]["data"]) == ({"a": "b"}, {"a": "c"})
    assert (delete["operation"], delete["object"], delete["oldObject"]["data"]) == (
        "DELETE",
        None,
        {"a": "b"},
    )
    assert api.get(f"{MAPS}/box").json()["data"] == {"a": "b"}


SCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web"},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
        "maxReplicas": 3,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
            }
        ],
    },
}


def send(api: Any, path: str, data: Json) -> Any:
    made = api.post(f"/k8s/shop/apis/{path}", data, content_type="application/json")
    assert made.status_code == 201, made.content
    return made.json()


@pytest.mark.spec("CEL-06")
def test_an_autoscaler_is_shown_as_v1_to_whom_asks_for_that_and_patched_as_such(api, gate):
    rule = {
        "apiGroups": ["autoscaling"],
        "apiVersions": ["v1"],
        "operations": ["*"],
        "resources": ["horizontalpodautoscalers"],
    }
    configure(api, "Mutating", "gate", make_webhook(gate, "/scale", rules=[rule]))
    configure(api, "Validating", "exact", make_webhook(gate, "/no", rules=[rule], matchPolicy="Exact"))
    path = "namespaces/default/horizontalpodautoscalers"
    made = send(api, f"autoscaling/v2/{path}", SCALER)
    ((_, review, _),) = Gate.asked
    asked = review["request"]
    assert (asked["kind"]["version"], asked["requestKind"]["version"]) == ("v1", "v2")
    assert asked["object"]["apiVersion"] == "autoscaling/v1"
    assert asked["object"]["spec"]["targetCPUUtilizationPercentage"] == 70
    assert made["spec"]["metrics"][0]["resource"]["target"]["averageUtilization"] == 55
    configure(api, "Mutating", "spoilt", make_webhook(gate, "/spoil", rules=[rule]))
    body = {**SCALER, "metadata": {"name": "other"}}
    refused = api.post(f"/k8s/shop/apis/autoscaling/v2/{path}", body, content_type="application/json")
    assert refused.status_code == 500 and "metadata.annotations" in refused.json()["message"]


def test_what_a_webhook_changes_takes_nothing_back_that_others_wrote_meanwhile():
    seen = {
        "metadata": {"labels": {"a": "1"}, "finalizers": ["x/y"]},
        "spec": {"min": 1, "max": 5},
        "gone": 1,
    }
    made = {
        "metadata": {"labels": {"a": "1", "b/c": "2"}, "finalizers": ["x/y"]},
        "spec": {"min": 1, "max": 6},
    }
    patch = list(find_difference(seen, made))
    assert json_patch(seen, patch) == made
    meanwhile = {"metadata": {"labels": {"a": "3"}}, "spec": {"min": 2, "max": 5}, "gone": 1}
    labels = {"a": "3", "b/c": "2"}
    assert json_patch(meanwhile, patch) == {"metadata": {"labels": labels}, "spec": {"min": 2, "max": 6}}


@pytest.mark.spec("CEL-06")
def test_a_custom_resource_is_shown_in_the_version_of_the_rule_whichever_is_stored(api, gate, shop):
    names = {"plural": "boxes", "singular": "box", "kind": "Box"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [
        {"name": name, "served": True, "storage": name == "v1", "schema": schema} for name in ("v1", "v2")
    ]
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "boxes.example.org"},
        "spec": {"group": "example.org", "scope": "Namespaced", "names": names, "versions": versions},
    }
    send(api, "apiextensions.k8s.io/v1/customresourcedefinitions", definition)
    shop.turn(5)
    rule = {"apiGroups": ["example.org"], "apiVersions": ["v2"], "operations": ["*"], "resources": ["boxes"]}
    configure(api, "Mutating", "gate", make_webhook(gate, "/size", rules=[rule]))
    every = {**rule, "apiVersions": ["*"]}
    configure(api, "Validating", "gate", make_webhook(gate, "/yes", rules=[every]))
    for version in ("v1", "v2"):
        Gate.asked.clear()
        data = {"apiVersion": f"example.org/{version}", "kind": "Box", "metadata": {"name": f"b{version}"}}
        made = send(api, f"example.org/{version}/namespaces/default/boxes", data)
        assert made["apiVersion"] == data["apiVersion"] and made["spec"] == {"a/b~c": {"size": 2}}
        shown = [review["request"]["object"]["apiVersion"] for _, review, _ in Gate.asked]
        assert shown == ["example.org/v2", data["apiVersion"]]


@pytest.mark.spec("HOOK-04")
def test_a_webhook_that_fails_is_passed_over_or_refuses_and_never_holds_long(api, gate, settings):
    begun, gold = time.monotonic(), {"matchLabels": {"tier": "gold"}}
    configure(
        api,
        "Validating",
        "gate",
        make_webhook(gate, "/slow", failurePolicy="Ignore"),
        make_webhook(gate, "/uid", failurePolicy="Ignore"),
        make_webhook(
            gate, "/no", matchConditions=[{"name": "crate", "expression": "object.metadata.name == 'crate'"}]
        ),
        make_webhook(gate, "/no", name="a.no.example.org", objectSelector=gold),
        make_webhook(gate, "/no", name="b.no.example.org", namespaceSelector=gold),
    )
    assert create(api, "box").status_code == 201
    assert create(api, "crate").status_code == 403
    configure(api, "Validating", "late", make_webhook(gate, "/slow"))
    late = create(api, "late")
    assert late.status_code == 500 and late.json()["message"].endswith("context deadline exceeded")
    assert time.monotonic() - begun < 20


@pytest.mark.spec("HOOK-05")
def test_only_addresses_that_the_operator_allowed_are_called(api, gate, settings):
    service = {"service": {"namespace": "shop", "name": "gate", "path": "/no"}, "caBundle": gate[1]}
    configure(api, "Validating", "service", make_webhook(gate, "/no", clientConfig=service))
    assert create(api, "box").status_code == 403
    settings.WEBHOOKS = {"127.0.0.1:1": "127.0.0.1:1"}
    made = create(api, "box")
    assert made.status_code == 201
    assert "is not asked: the operator of this server has not allowed shop/gate:443" in made.warnings[0]
    settings.WEBHOOKS = {}
    asked = len(Gate.asked)
    assert create(api, "crate").status_code == 201 and len(Gate.asked) == asked


def test_a_dry_run_is_sent_only_to_webhooks_without_side_effects(api, gate):
    configure(api, "Validating", "gate", make_webhook(gate, "/yes"))
    keep(make_webhook(gate, "/yes", sideEffects="Some"))
    refused = create(api, "box", "?dryRun=All")
    assert refused.status_code == 400
    assert refused.json()["message"] == 'admission webhook "yes.example.org" does not support dry run'


def test_a_server_with_another_certificate_is_not_trusted(api, gate, tmp_path):
    _path, other = make_certificate(tmp_path)
    config = {"url": f"https://127.0.0.1:{gate[0]}/yes", "caBundle": base64.b64encode(other).decode()}
    configure(api, "Validating", "gate", make_webhook(gate, "/yes", clientConfig=config))
    refused = create(api, "box")
    assert refused.status_code == 500 and "tls: failed to verify certificate" in refused.json()["message"]
    assert Gate.asked == []


def test_what_is_no_webhook_harms_no_write(api, gate):
    configure(api, "Validating", "gate", make_webhook(gate, "/yes"))
    configs = [None, {}, {"url": "https://[::1/"}, {"url": "http://x"}, {"caBundle": "YQ=="}]
    odd = [make_webhook(gate, "/yes", clientConfig=one, failurePolicy="Ignore") for one in configs]
    keep(*odd, {"rules": [{"resources": None}]}, {}, {**odd[0], "timeoutSeconds": -1, "matchPolicy": "x"})
    assert create(api, "box").status_code == 201


@pytest.mark.spec("HOOK-06")
def test_every_warning_reaches_the_answer_once(api, gate):
    """Of a deletion of many, and of a write that another webhook refuses."""
    for name in ("box", "crate"):
        assert create(api, name).status_code == 201
    deletions = {**RULE, "operations": ["DELETE"]}
    configure(api, "Validating", "a", make_webhook(gate, "/warn", rules=[deletions]))
    gone = api.delete(MAPS)
    assert (gone.status_code, gone.warnings) == (200, ['299 - "take care"'])
    configure(api, "Validating", "b", make_webhook(gate, "/warn"), make_webhook(gate, "/no"))
    refused = create(api, "late")
    assert (refused.status_code, refused.warnings) == (403, ['299 - "take care"'])
    jobs = api.delete("/k8s/shop/apis/batch/v1/namespaces/default/jobs")
    assert jobs.warnings == [f'299 - "{CHILDREN}"']

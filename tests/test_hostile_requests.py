"""Whatever stands in an address, a query or a form: an answer, never a server error."""

from __future__ import annotations

from io import BytesIO
from itertools import count, cycle, product
from json import dumps
from urllib.parse import quote
from zipfile import ZipFile, ZipInfo

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lifecycle.export.filters import EVENT_FILTERS, LOG_FILTERS, OBJECT_FILTERS, TRANSITION_FILTERS
from lifecycle.models import StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import event, pod_life, transition

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

VALUES = [
    "",
    " ",
    "0",
    "-1",
    "+5",
    "1e309",
    "NaN",
    "-inf",
    "0x10",
    "1_000",
    "9" * 30,
    "9" * 5000,
    "1.5h" * 500,
    "٣",
    "10m",
    "idle",
    "deployment/web Available",
    "(((((" * 100,
    "not " * 600,
    "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00+23:59",
    "2026-13-40",
    "\x00",
    "a\nb",
    "é\u2028\U0001f600",
    "../../etc/passwd",
    "<script>",
    "{{ x }}",
    "%00%ff",
    "[\n",
    '{"kind": [',
    "[" * 5000,
    '{"timing": "\\ud800", "nodes": {"count": 1e400}}',
    "null",
    "default",
    "web-1",
    "run",
    "setImage",
]
# As they stand in an address: no UTF-8, half a surrogate pair, another header, another path.
RAW = ["%ff", "%ED%A0%80", "a%0d%0aX-Forged:%201", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..%5c", "%", "%zz"]
PAGES = [
    "/clusters/{}/",
    "/clusters/{}/workloads/",
    "/clusters/{}/control/",
    "/clusters/shop/pods/default/{}/",
    "/clusters/shop/pods/{}/web-1/status/",
    "/clusters/shop/pods/default/web-1/log/?container={}",
    "/clusters/shop/pods/default/web-1/log/?previous={}",
    "/clusters/shop/deployments/{}/web/",
    "/clusters/shop/deployments/default/{}/status/",
    *(f"/clusters/shop/?{name}={{}}" for name in ("at", "q", "{}")),
    *(f"/clusters/shop/pods/default/web-1/{part}" for part in ("?at={}", "placement/?at={}", "yaml/?x={}")),
    *(f"/clusters/shop/events/?{name}={{}}" for name in ("q", "uid")),
    *(
        f"/clusters/shop/{part}"
        for part in ("ahead/?figure={}", "why/{}/", "why/change/{}/", "why/command/{}/", "{}/")
    ),
    *(
        f"/clusters/shop/{part}={{}}"
        for part in ("table/?q", "names/?of=pod&like", "names/?of=pod&named", "names/?of")
    ),
    *(f"/clusters/shop/stretch/?to=5s&{name}={{}}" for name in ("from", "from=0s&of", "from=0s&q")),
    *(f"/clusters/shop/{part}" for part in ("tokens/{}/revoke/", "nodes/{}/", "nodes/{}/status/")),
    "/clusters/shop/{}/default/web/yaml/",
    "/clusters/shop/{}/default/web/edit/",
    "/clusters/shop/schema/?kind={}&apiVersion={}",
    "/clusters/shop/poddisruptionbudgets/{}/web/status/",
    "/clusters/shop/horizontalpodautoscalers/default/{}/",
    "/clusters/shop/services/{}/web/",
    "/clusters/shop/services/default/{}/status/",
    "/clusters/{}/scenario.yaml",
    "/clusters/{}/kubeconfig",
    "/gallery/{}.svg",
    "/static/{}",
    "/k8s/{}/api/v1/pods",
    "/k8s/shop/{}",
    "/k8s/shop/api/v1/namespaces/default/pods/{}",
    "/k8s/shop/api/v1/namespaces/default/pods/web-1/log?{}=1",
    *(
        f"/k8s/shop/api/v1/namespaces/default/pods/web-1/log?{name}={{}}"
        for name in ("container", "tailLines", "limitBytes", "sinceSeconds", "sinceTime", "previous")
    ),
    *(
        f"/k8s/shop/api/v1/pods?{name}={{}}"
        for name in (
            *("limit", "continue", "labelSelector", "fieldSelector", "resourceVersion", "timeoutSeconds"),
            *("resourceVersionMatch", "sendInitialEvents", "pretty", "allowWatchBookmarks"),
        )
    ),
    "/enter/{}/",
    "/sign-in/?next={}",
    "/api/clusters/{}/",
    "/admin/lifecycle/cluster/?q={}",
    "/admin/lifecycle/cluster/?p={}",
    "/admin/lifecycle/cluster/?o={}",
    "/admin/lifecycle/cluster/?paused__exact={}",
    "/admin/lifecycle/cluster/{}/change/",
    "/admin/lifecycle/cluster/{}/rows/events/",
    "/admin/lifecycle/cluster/shop/rows/{}/",
    *(
        f"/admin/lifecycle/cluster/shop/rows/transitions/?{name}={{}}"
        for name in ("kind", "namespace", "name", "field", "reason", "before", "{}")
    ),
    *(
        f"/admin/lifecycle/storedobject/?{name}={{}}"
        for name in ("q", "p", "o", "cluster", "kind", "state", "deleted", "kind__exact", "{}")
    ),
    "/admin/lifecycle/storedobject/{}/change/",
    *(
        f"/api/clusters/shop/{rows}?{name}={{}}"
        for rows in ("transitions", "events", "objects", "logs")
        for name in sorted(
            {*TRANSITION_FILTERS, *EVENT_FILTERS, *OBJECT_FILTERS, *LOG_FILTERS, "format", "{}"}
        )
    ),
]
FORMS = {
    "/try/": ("manifest", "file", "paths", "named", "seen"),
    "/gallery/s01-plain-pod/": ("name",),
    "/clusters/shop/nodes/node-1/change/": ("action", "grace", "timeout", "fault", "lasts", "preview"),
    "/clusters/": ("name", "seed", "nodes", "timing"),
    "/clusters/shop/control/": ("kind", "speed", "until"),
    "/clusters/shop/fork/": ("name", "at"),
    "/admin/lifecycle/cluster/": ("action", "_selected_action", "index", "select_across"),
    "/admin/lifecycle/cluster/add/": ("name", "seed", "epoch", "settings"),
    "/admin/lifecycle/storedobject/": ("action", "_selected_action", "replicas"),
    "/clusters/shop/pods/default/web-1/edit/": ("text", "opened", "what", "seen"),
    "/clusters/shop/manifest/": ("manifest", "file", "paths", "named", "seen"),
    "/clusters/shop/pods/default/web-1/delete/": ("grace", "force"),
    "/clusters/shop/deployments/default/web/change/": (
        "action",
        "container",
        "image",
        "replicas",
        "revision",
    ),
}

# What stands in a form's other fields meanwhile: nothing, a word, a number, or what leads it further.
OTHERS = ("", "run", "1")
LEADING = {
    "/clusters/shop/control/": ("step",),
    "/clusters/shop/nodes/node-1/change/": ("drain",),
    "/admin/lifecycle/storedobject/": ("scale",),
    "/clusters/shop/deployments/default/web/change/": ("scale",),
}


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    ada = make_user(is_staff=True)
    cluster = make_cluster(ada)
    deployment = transition(0, "exists", "created", "web", kind="Deployment")
    record(cluster, [*pod_life(), deployment, event(5000, "Pulled", "there")])
    spec = {"containers": [{"name": "app", "image": "nginx"}]}
    for stored in StoredObject.objects.all():
        metadata = {"name": stored.name, "namespace": "default", "generation": 1}
        stored.data = {"apiVersion": "v1", "kind": stored.kind, "metadata": metadata, "spec": spec}
        stored.save()
    # Nobody serves the cluster here.
    monkeypatch.setattr(inbox, "wait_for_result", lambda command, timeout: None)
    monkeypatch.setattr(inbox, "wait_for_control", lambda control: False)
    client = Client(raise_request_exception=False)
    client.force_login(ada)
    return client


IN_ADDRESSES = [*(quote(value, safe="") for value in VALUES), *RAW]


@pytest.mark.parametrize("part", range(2))
def test_addresses_are_answered(client, part):
    """Each page with one value, by turns each of them; the deep tests take all."""
    assert len(PAGES) > len(IN_ADDRESSES)
    for number, page in [*enumerate(PAGES)][part::2]:
        ask(client, page, [IN_ADDRESSES[number % len(IN_ADDRESSES)]])


@pytest.mark.deep
@pytest.mark.parametrize("page", PAGES)
def test_an_address_is_answered_whatever_stands_in_it(client, page):
    ask(client, page, IN_ADDRESSES)


def ask(client: Client, page: str, values: list[str]) -> None:
    for value in values:
        answer = client.get(page.replace("{}", value))
        if answer.streaming:
            list(answer.streaming_content)
        assert answer.status_code < 500, (page, value)
        assert not any("\n" in text or "\r" in text for text in answer.headers.values()), (page, value)


FIELDS = [(address, field) for address in FORMS for field in FORMS[address]]


def test_a_form_is_answered(client):
    """One value in each field, by turns each of them, beside one thing and another in the other fields.

    The deep tests put each beside each.
    """
    assert len(FIELDS) > len(VALUES)
    for (address, field), value, turn in zip(FIELDS, cycle(VALUES), count(), strict=False):
        choices = (*OTHERS, *LEADING.get(address, ()))
        others = choices[turn % len(choices)]
        answer = client.post(address, dict.fromkeys(FORMS[address], others) | {field: value})
        assert answer.status_code < 500, (address, field, value, others)


@pytest.mark.deep
@pytest.mark.parametrize(
    "address, others",
    [(address, others) for address in FORMS for others in (*OTHERS, *LEADING.get(address, ()))],
)
def test_a_form_is_answered_whatever_stands_beside(client, address, others):
    for field, value in product(FORMS[address], VALUES):
        answer = client.post(address, dict.fromkeys(FORMS[address], others) | {field: value})
        assert answer.status_code < 500, (field, value)


MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: y}\n"


PATHS = ["{}", "{}/a.yaml", "a.yaml", "a/kustomization.yaml"]
CONTENTS = ["{}", MANIFEST + "labels: {}", "PK\x03\x04{}"]
UPLOADS = [*product(PATHS, CONTENTS, [False, True])]


def test_uploads_are_answered(client):
    """Every twentieth value, by turns each twentieth of them; the deep tests take all."""
    assert len(UPLOADS) > 20
    for number, kind in enumerate(UPLOADS):
        upload(client, *kind, VALUES[number % 20 :: 20])


@pytest.mark.deep
@pytest.mark.parametrize("path, content, is_packed", UPLOADS)
def test_an_upload_is_answered_whatever_stands_in_it(client, path, content, is_packed):
    upload(client, path, content, is_packed, VALUES)


def upload(client: Client, path: str, content: str, is_packed: bool, values: list[str]) -> None:
    for value in values:
        name, text = path.replace("{}", value), content.replace("{}", value, 1)
        raw = _pack(name, text) if is_packed else text.encode()
        answer = client.post(
            "/clusters/shop/manifest/",
            {
                "file": [SimpleUploadedFile("0", raw), SimpleUploadedFile("1", MANIFEST.encode())],
                "paths": dumps(["a.zip" if is_packed else name, "b/c.yaml"]),
                "named": dumps([value, f"a/{value}", "\ud800"]),
            },
        )
        assert answer.status_code < 500, (path, content, value)


def _pack(name: str, text: str) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr(ZipInfo(name[:60_000]), text)
    return packed.getvalue()

"""What leads through the API server to programs, and what it says where that leads nowhere."""

from __future__ import annotations

import pytest
from django.test import Client as Browser

pytestmark = pytest.mark.slow
BELOW = "/api/v1/namespaces/default"
PROXIED = [
    (f"{BELOW}/pods/p/proxy/", 200, "hello\n"),
    (f"{BELOW}/pods/p:8080/proxy/index.html?a=b", 200, "hello\n"),
    (f"{BELOW}/pods/http:p:8080/proxy/none", 404, ""),
    (f"{BELOW}/pods/p/proxy", 301, ""),
    (f"{BELOW}/pods/p:81/proxy/", 503, "error trying to reach service: dial tcp 10."),
    (f"{BELOW}/pods/p:web/proxy/", 503, "lookup tcp/web: unknown port"),
    (f"{BELOW}/pods/a:b:c:d/proxy/", 400, 'invalid pod request \\"a:b:c:d\\"'),
    (f"{BELOW}/pods/ftp:p:80/proxy/", 400, 'invalid pod request \\"ftp:p:80\\"'),
    (f"{BELOW}/pods/nope/proxy/", 404, 'pods \\"nope\\" not found'),
    (f"{BELOW}/services/s:web/proxy/", 200, "hello\n"),
    (f"{BELOW}/services/s:80/proxy/", 200, "hello\n"),
    (f"{BELOW}/services/s/proxy/", 503, 'no endpoints available for service \\"s\\"'),
    (f"{BELOW}/services/s:81/proxy/", 503, 'no service port 81 found for service \\"s\\"'),
    # Digits that are no number, and more of them than a number has.
    (f"{BELOW}/services/s:²/proxy/", 503, 'no endpoints available for service \\"s:²\\"'),
    (f"{BELOW}/services/s:{'9' * 5000}/proxy/", 503, 'for service \\"s\\"'),
    (f"{BELOW}/pods/p:²/proxy/", 503, "unknown port"),
    (f"{BELOW}/pods/p:{'9' * 5000}/proxy/", 503, "invalid port"),
    (f"{BELOW}/services/s:0080/proxy/", 200, "hello\n"),
    (f"{BELOW}/services/none:web/proxy/", 503, 'no endpoints available for service \\"none:web\\"'),
    (f"{BELOW}/services/nope/proxy/", 404, 'endpoints \\"nope\\" not found'),
    (f"{BELOW}/services/nope:80/proxy/", 404, 'services \\"nope\\" not found'),
    ("/api/v1/nodes/node-1/proxy/healthz", 200, "ok"),
    ("/api/v1/nodes/node-1:10250/proxy/healthz", 200, "ok"),
    ("/api/v1/nodes/node-1:80/proxy/healthz", 503, "connection refused"),
    ("/api/v1/nodes/node-1/proxy/metrics/cadvisor", 503, "the kubelet is simulated"),
    ("/api/v1/nodes/node-1/proxy/nope", 404, "404 page not found"),
    ("/api/v1/nodes/node-9/proxy/healthz", 404, 'nodes \\"node-9\\" not found'),
]


def test_proxies(serving):
    """registry/core/{pod,service,node}: ResourceLocation; apimachinery's util/proxy."""
    browser = Browser()
    browser.force_login(serving.cluster.owner)
    for path, code, words in PROXIED:
        # The program is asked, and takes what it likes.
        answer = browser.get(f"/k8s/shop{path}", headers={"Accept": "image/png"})
        assert (answer.status_code, words in answer.content.decode()) == (code, True), (path, answer.content)
        # A page of a program's is none of ours to a browser.
        assert not answer.headers["Content-Type"].startswith("text/html")
    redirected = browser.get(f"/k8s/shop{BELOW}/pods/p/proxy?a=b")
    assert redirected.headers["Location"] == f"/k8s/shop{BELOW}/pods/p/proxy/?a=b"
    pods = (browser.get("/k8s/shop/api/v1/nodes/node-1/proxy/pods")).json()
    where = (browser.get(f"/k8s/shop{BELOW}/pods/p")).json()["spec"]["nodeName"]
    assert pods["kind"] == "PodList"
    assert [one["metadata"]["name"] for one in pods["items"]] == (["p"] if where == "node-1" else [])

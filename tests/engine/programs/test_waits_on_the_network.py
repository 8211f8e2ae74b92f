"""Init containers and scripts that wait until something answers: what they ask, and what they then see."""

import pytest

from lifecycle.engine.programs import ConnectResult
from tests.engine.kubelet.world import World
from tests.engine.programs.test_examples_in_a_cluster import Run
from tests.engine.programs.worlds import FakeWorld, run_script

FRONTEND = """
apiVersion: v1
kind: Service
metadata: {name: frontend}
spec: {selector: {app: frontend}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Pod
metadata: {name: frontend, labels: {app: frontend}}
spec: {containers: [{name: server, image: example.com/frontend, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: loadgenerator}
spec:
  initContainers:
  - name: frontend-check
    image: busybox:latest
    env: [{name: FRONTEND_ADDR, value: "frontend:80"}]
    securityContext: {readOnlyRootFilesystem: true}
    command:
    - /bin/sh
    - -exc
    - |
      echo "Init container pinging frontend: ${FRONTEND_ADDR}..."
      STATUSCODE=$(wget --server-response http://${FRONTEND_ADDR} 2>&1 | awk '/^  HTTP/{print $2}')
      if test $STATUSCODE -ne 200; then
          echo "Error: Could not reach frontend - Status code: ${STATUSCODE}"
          exit 1
      fi
  containers: [{name: main, image: example.com/loadgenerator}]
"""


def test_a_wait_for_a_status_code_passes_once_the_server_answers() -> None:
    run = Run(FRONTEND)
    assert run.container_at(30, "loadgenerator")["ready"]


@pytest.mark.parametrize("option", ["-S", "--server-response"])
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (200, ["  HTTP/1.1 200 OK", "  Connection: close"]),
        (
            503,
            [
                "  HTTP/1.1 503 Service Unavailable",
                "  Connection: close",
                "wget: server returned error: HTTP/1.1 503 Service Unavailable",
            ],
        ),
    ],
)
def test_wget_tells_the_header_of_the_response_as_busybox_does(
    option: str, status: int, expected: list[str]
) -> None:
    world = FakeWorld(
        hosts={"web": "10.96.0.9"}, answers={("web", 80): ConnectResult("connected", 1, status)}
    )
    assert run_script(f"wget {option} -O /dev/null http://web", world)[1] == expected
    # All of it goes to standard error.
    assert run_script(f"wget {option} -O /dev/null http://web 2>/dev/null", world)[1] == []


@pytest.mark.parametrize("name", ["kubernetes", "kubernetes.default", "kubernetes.default.svc.cluster.local"])
def test_the_api_servers_name_is_known(name: str) -> None:
    world = World()
    text = f"until nslookup {name}; do sleep 2; done; nc -z {name} 443"
    command = ["sh", "-c", text]
    world.pod({"name": "app", "image": "busybox:1.36", "command": command}, restartPolicy="Never")
    assert world.to(10).ends()[0][1] == 0
    assert "Address:   10.96.0.1" in [line for *_, line in world.logs]


@pytest.mark.parametrize("has_links", [True, False])
def test_every_pod_knows_where_the_api_server_is(has_links: bool) -> None:
    """Services of other namespaces are unknown to it, and without links its own ones too."""
    world = World()
    words = "echo $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT $KUBERNETES_PORT $WEB_SERVICE_HOST."
    world.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    spec = {"clusterIP": "10.96.3.4", "ports": [{"port": 80}]}
    meta = {"name": "web", "namespace": "shop"}
    world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})
    app = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", words]}
    world.pod(app, meta={"namespace": "shop"}, restartPolicy="Never", enableServiceLinks=has_links)
    assert world.to(5).rows
    own = "10.96.3.4" if has_links else ""
    assert [line for *_, line in world.logs] == [f"10.96.0.1:443 tcp://10.96.0.1:443 {own}."]


def test_its_service_is_as_the_api_server_makes_it() -> None:
    found = World().get("kubernetes", "Service")
    assert found is not None
    assert found["metadata"]["labels"] == {"component": "apiserver", "provider": "kubernetes"}
    spec = found["spec"]
    assert (spec["clusterIP"], spec["clusterIPs"], spec["type"]) == ("10.96.0.1", ["10.96.0.1"], "ClusterIP")
    assert spec["ports"] == [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    assert "selector" not in spec

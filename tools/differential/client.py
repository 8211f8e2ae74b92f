"""A plain client of a Kubernetes API: requests, and watches that go on until they are told to stop."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import yaml

Json = dict[str, Any]
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
TIMEOUT_SECONDS = 60

PATHS = {
    "Pod": ("api/v1", "pods"),
    "Service": ("api/v1", "services"),
    "ConfigMap": ("api/v1", "configmaps"),
    "Secret": ("api/v1", "secrets"),
    "ResourceQuota": ("api/v1", "resourcequotas"),
    "LimitRange": ("api/v1", "limitranges"),
    "ServiceAccount": ("api/v1", "serviceaccounts"),
    "ReplicationController": ("api/v1", "replicationcontrollers"),
    "PersistentVolumeClaim": ("api/v1", "persistentvolumeclaims"),
    "Event": ("api/v1", "events"),
    "Deployment": ("apis/apps/v1", "deployments"),
    "ReplicaSet": ("apis/apps/v1", "replicasets"),
    "StatefulSet": ("apis/apps/v1", "statefulsets"),
    "DaemonSet": ("apis/apps/v1", "daemonsets"),
    "Job": ("apis/batch/v1", "jobs"),
    "CronJob": ("apis/batch/v1", "cronjobs"),
    "PodDisruptionBudget": ("apis/policy/v1", "poddisruptionbudgets"),
    "EndpointSlice": ("apis/discovery.k8s.io/v1", "endpointslices"),
    "HorizontalPodAutoscaler": ("apis/autoscaling/v2", "horizontalpodautoscalers"),
    "Node": ("api/v1", "nodes"),
    "Namespace": ("api/v1", "namespaces"),
}
"""Where the API has each kind, and how it calls it there."""
OF_CLUSTER = ("Node", "Namespace")


@dataclass(frozen=True)
class Answer:
    """What the API said."""

    code: int
    body: Json

    @property
    def is_ok(self) -> bool:
        return 200 <= self.code < 300


class Client:
    """Speaks to the API server of a kubeconfig's current context; each thread has a connection of its own."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        context = _find(config["contexts"], config["current-context"])["context"]
        cluster = _find(config["clusters"], context["cluster"])["cluster"]
        user = _find(config["users"], context["user"])["user"]
        self.kubeconfig = kubeconfig
        self._server = urlsplit(cluster["server"])
        self._trust = _make_trust(cluster, user)
        token = user.get("token")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._local = threading.local()

    def ask(self, method: str, path: str, body: Any = None, type_: str = "application/json") -> Answer:
        """One request. Raises OSError when the server cannot be reached."""
        data = None if body is None else json.dumps(body).encode()
        headers = {**self._headers, "Content-Type": type_, "Accept": "application/json"}
        for is_last in (False, True):
            connection = self._connect()
            try:
                connection.request(method, f"/{path}", data, headers)
                answer = connection.getresponse()
                return Answer(answer.status, json.loads(answer.read() or b"{}"))
            except (http.client.HTTPException, OSError):
                # A connection that was left alone for long is closed by the server.
                connection.close()
                del self._local.connection
                if is_last:
                    raise
        raise AssertionError("not reached")

    def _connect(self) -> http.client.HTTPConnection:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._open(TIMEOUT_SECONDS)
        found: http.client.HTTPConnection = self._local.connection
        return found

    def _open(self, timeout_seconds: float | None) -> http.client.HTTPConnection:
        host, port = self._server.hostname or "", self._server.port
        if self._server.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout_seconds)
        return http.client.HTTPSConnection(host, port, timeout=timeout_seconds, context=self._trust)

    def list(self, kind: str) -> tuple[list[Json], str]:
        """All objects of a kind, and the version of the list."""
        answer = self.ask("GET", path_of(kind))
        assert answer.is_ok, (kind, answer)
        return answer.body["items"], answer.body["metadata"]["resourceVersion"]

    def watch(self, kind: str, version: str) -> Iterator[Json]:
        """The events of a kind since a version, for as long as the server goes on."""
        asked = urlencode({"watch": "1", "resourceVersion": version, "timeoutSeconds": 86_000})
        connection = self._open(None)
        connection.request("GET", f"/{path_of(kind)}?{asked}", headers=self._headers)
        answer = connection.getresponse()
        assert answer.status == 200, (kind, answer.status)
        for line in answer:
            yield json.loads(line)


def path_of(kind: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """The path of an object, or of all of a kind. Raises KeyError for a kind that is not known here."""
    group, plural = PATHS[kind]
    within = f"/namespaces/{namespace}" if namespace and kind not in OF_CLUSTER else ""
    return "/".join(filter(None, (f"{group}{within}/{plural}", name, subresource)))


def _find(entries: list[Json], name: str) -> Json:
    return next(one for one in entries if one["name"] == name)


def _make_trust(cluster: Json, user: Json) -> ssl.SSLContext:
    authority = cluster.get("certificate-authority-data")
    trust = ssl.create_default_context(
        cafile=cluster.get("certificate-authority"),
        cadata=base64.b64decode(authority).decode() if authority else None,
    )
    if cluster.get("insecure-skip-tls-verify"):
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    if "client-certificate-data" in user:
        with tempfile.NamedTemporaryFile() as pair:
            pair.write(base64.b64decode(user["client-certificate-data"]) + b"\n")
            pair.write(base64.b64decode(user["client-key-data"]))
            pair.flush()
            trust.load_cert_chain(pair.name)
    elif "client-certificate" in user:
        trust.load_cert_chain(user["client-certificate"], user["client-key"])
    return trust

"""Random sequences of applies, by kubectl against our API and by the built-in apply: what is stored."""

from __future__ import annotations

import base64
import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from lifecycle.engine import Cluster, Command, Settings
from lifecycle.engine.objects.names import LAST_APPLIED
from tests.kube_api.live import Installation
from tests.kube_api.random_applies import DEFINITION, make_sequence

Json = dict[str, Any]
Step = tuple[str, Json]
_PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
# Given by each server, or by what goes on in it.
_OWN_META = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink")
_OWN_SPEC = ("clusterIP", "clusterIPs")
_REVISIONS = ("deployment.kubernetes.io/revision", "deprecated.daemonset.template.generation")


class Sides:
    """Both of them, with the definition of the custom resource that is applied, too."""

    def __init__(self, installation: Installation, prefix: str = "n") -> None:
        """`prefix`: of the names of all objects."""
        self._installation, self._prefix = installation, prefix
        config = installation.config
        cluster = config["clusters"][0]["cluster"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self._base, self._trust = cluster["server"], ssl.create_default_context(cadata=authority)
        self._token = config["users"][0]["user"]["token"]
        self._paths = _read_paths(installation)
        self._engine = Cluster(seed=1, settings=Settings(timing="instant", nodes={"count": 0}))
        installation.kubectl("apply", "-f", "-", stdin=json.dumps(DEFINITION))
        self._submit("apply", object=DEFINITION)
        self._engine.run_until(1000)

    def compare(self, seeds: Sequence[int]) -> dict[int, tuple[Any, Any]]:
        """What is stored otherwise, by seed: with kubectl, and with the built-in apply."""
        sequences = {seed: make_sequence(seed, f"{self._prefix}{seed}") for seed in seeds}
        refused = {seed: list[bool]() for seed in seeds}, {seed: list[bool]() for seed in seeds}
        for steps in zip_longest(*sequences.values()):
            given = {seed: step for seed, step in zip(seeds, steps, strict=True) if step is not None}
            self._take_built_in(given, sequences, refused[1])
            self._take_kubectl(given, sequences, refused[0])
        found = {}
        for seed, sequence in sequences.items():
            manifest = sequence[0][1]
            theirs = (refused[0][seed], _shown(self._get(manifest)))
            ours = (refused[1][seed], _shown(self._find(manifest)))
            if theirs != ours:
                found[seed] = (theirs, ours)
        return found

    # --- the built-in apply ---------------------------------------------------------------------------

    def _submit(self, what: str, /, **payload: Any) -> bool:
        """Whether it was refused."""
        return not self._engine.submit(Command(id="", kind=what, payload=payload)).ok

    def _take_built_in(
        self, given: dict[int, Step], sequences: dict[int, list[Step]], refused: dict[int, list[bool]]
    ) -> None:
        for seed, (what, body) in given.items():
            first = sequences[seed][0][1]
            if what == "apply":
                refused[seed].append(self._submit("apply", object=body))
                continue
            whose = {"kind": first["kind"], "namespace": "default", "name": first["metadata"]["name"]}
            if first["kind"] == "Foo":
                whose["kind"] = "Foo.example.com"
            refused[seed].append(self._submit("patch", **whose, type=what, patch=body))

    def _find(self, manifest: Json) -> Json | None:
        kind = "Foo.example.com" if manifest["kind"] == "Foo" else manifest["kind"]
        return self._engine.get(kind, "default", manifest["metadata"]["name"])

    # --- kubectl --------------------------------------------------------------------------------------

    def _take_kubectl(
        self, given: dict[int, Step], sequences: dict[int, list[Step]], refused: dict[int, list[bool]]
    ) -> None:
        applied = {seed: body for seed, (what, body) in given.items() if what == "apply"}
        manifests = "\n---\n".join(map(json.dumps, applied.values()))
        done = self._installation.kubectl("apply", "-f", "-", stdin=manifests, check=False)
        accepted = {line.split()[0].rpartition("/")[2] for line in done.stdout.splitlines() if line}
        for seed, (what, body) in given.items():
            first = sequences[seed][0][1]
            if what == "apply":
                refused[seed].append(first["metadata"]["name"] not in accepted)
            else:
                answer = self._ask("PATCH", self._path(first), body, _PATCH_TYPES[what])
                refused[seed].append(answer is None)

    def _get(self, manifest: Json) -> Json | None:
        return self._ask("GET", self._path(manifest))

    def _path(self, manifest: Json) -> str:
        version = manifest["apiVersion"]
        top = f"apis/{version}" if "/" in version else f"api/{version}"
        return f"{top}/namespaces/default/{self._paths[manifest['kind']]}/{manifest['metadata']['name']}"

    def _ask(self, method: str, path: str, body: Json | None = None, type_: str = "") -> Json | None:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": type_ or "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._base}/{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self._trust) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as problem:
            assert problem.code < 500, (method, path, problem.read())
            return None


def _read_paths(installation: Installation) -> dict[str, str]:
    """The plural of each kind."""
    lines = installation.kubectl("api-resources", "--no-headers").stdout.splitlines()
    return {line.split()[-1]: line.split()[0] for line in lines} | {"Foo": "foos"}


def _shown(stored: Json | None) -> Json | None:
    """What both sides can agree in."""
    if stored is None:
        return None
    found = json.loads(json.dumps(stored))
    found.pop("status", None)
    if found.get("rules") is None:
        # Of a Role, which Kubernetes always shows, if only as null.
        found.pop("rules", None)
    meta = found["metadata"]
    for name in _OWN_META:
        meta.pop(name, None)
    annotations = meta.get("annotations") or {}
    if LAST_APPLIED in annotations:
        annotations[LAST_APPLIED] = json.loads(annotations[LAST_APPLIED])
    for name in _REVISIONS:
        annotations.pop(name, None)
    for name in _OWN_SPEC:
        if isinstance(found.get("spec"), dict):
            found["spec"].pop(name, None)
    return found


def tell(one: Any, other: Any, path: str = "") -> Iterable[str]:
    """Where two differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other}):
            if one.get(name, _NOTHING) != other.get(name, _NOTHING):
                yield from tell(one.get(name, _NOTHING), other.get(name, _NOTHING), f"{path}.{name}")
    else:
        yield f"{path}: {one!r} with kubectl, {other!r} without"


_NOTHING = "nothing"

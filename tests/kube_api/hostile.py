"""Requests nobody should send: made of a cluster's own paths and objects by a seeded source of chance."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

Json = dict[str, Any]

VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    2**31,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**30,
    1.5,
    -0.0,
    1e308,
    "",
    " ",
    "x",
    "a.b",
    "-",
    "a" * 300,
    "\u0000",
    "\ud7ff\u2028\U0001f600",
    "100%",
    "-5%",
    "10m",
    "1Ei",
    "1e99",
    "9" * 40,
    "0x10",
    "null",
    "true",
    "default",
    "web",
    "2026-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "0000-00-00T00:00:00Z",
    "<script>",
    "../..",
    "a=b,c!=d",
    "{{x}}",
    "$(date)",
    "RollingUpdate",
    [],
    [None],
    [[]],
    [{}],
    ["a", "a"],
    [1, "1"],
    {},
    {"": ""},
    {"a": None},
    {"a": {"b": [1]}},
    {"$patch": "delete"},
    {"$patch": "replace"},
    {"$patch": 5},
    {"$retainKeys": ["x"]},
    {"$setElementOrder/containers": [1]},
    {"$deleteFromPrimitiveList/finalizers": ["x"]},
    [{"$patch": "replace"}],
    [{"name": None}],
    [{"name": {}}],
]
WORDS = [
    "",
    " ",
    "x",
    "web",
    "-1",
    "0",
    "1",
    "99999999999999999999",
    "1.5",
    "true",
    "false",
    "yes",
    "\u0000",
    "a\nb",
    "%",
    "%zz",
    "\u2028",
    "..",
    ".",
    "a/b",
    "é" * 200,
    "a" * 4000,
    "app=web",
    "app in (a,b",
    "app notin ()",
    "!app",
    "app>1",
    "app<z",
    "a=b=c",
    ",,,",
    "((((",
    "metadata.name=web",
    "metadata.name!=",
    "spec.x=1",
    "status.phase=Running",
    "All",
    "Strict",
    "Warn",
    "Orphan",
    "Exact",
    "NotOlderThan",
    "5m",
    "2026-01-01T00:00:00Z",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJkZWZhdWx0L3dlYlx1MDAwMCJ9",
    "bnVsbA",
    "W10",
    "MQ",
]
QUERY = (
    "labelSelector fieldSelector limit continue resourceVersion resourceVersionMatch sendInitialEvents"
    " timeoutSeconds allowWatchBookmarks pretty includeObject dryRun fieldManager fieldValidation force"
    " gracePeriodSeconds propagationPolicy orphanDependents container previous tailLines limitBytes"
    " sinceSeconds sinceTime timestamps insecureSkipTLSVerifyBackend command stdin stdout stderr tty"
    " ports timeout"
).split()
ACCEPTS = [
    "application/json",
    "*/*",
    "application/yaml",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "text/html",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v9;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;q=nan,*/*;q=x",
    ";;,=",
    "",
    "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
    "application/vnd.kubernetes.protobuf",
]
PATCHES = ("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")
TYPES = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", ""]
BROKEN = [
    b"",
    b"{",
    b"[" * 50_000,
    b'{"a":' * 9000,
    b"\xff\xfe",
    b"nul",
    b"1e999",
    b"[1,]",
    b'"\\ud800"',
    b'{"a":"\\ud800"}',
    b"a: &a [*a]",
    b"a: &a {x: 1}\nb: {<<: *a, y: *a}",
    b"--- 1\n--- 2",
    b"k8s\x00",
    b"k8s\x00\x0a\xff\xff\xff\xff\x0f",
    b"k8s\x00\x0a\x0e\x0a\x02v1\x12\x08ConfigMa",
    b"!!python/object:os.system {}",
    b"? [a]\n: b",
    b"y: 1\nn: 2",
    b"a: 2026-13-45",
    b"a: 0o9",
    b"a: .nan",
    b"- " * 3000,
    b"null",
    b"[]",
    b"5",
    b'"x"',
    b"%YAML 9.9\n---\na",
]


@dataclass(slots=True)
class Request:
    """One request to send."""

    method: str
    path: str
    body: bytes = b""
    content_type: str = ""
    accept: str = "application/json"

    def __str__(self) -> str:
        return f"{self.method} {self.path} ({self.content_type}; accept {self.accept})\n{self.body[:2000]!r}"


class Chance:
    """Requests about `objects` (by the path of each), and about `paths` of OpenAPI with their methods."""

    def __init__(self, seed: int, paths: dict[str, Json], objects: dict[str, Json]) -> None:
        self.random = Random(seed)
        self.paths = [(path, operations) for path, operations in sorted(paths.items())]
        self.objects = sorted(objects.items())

    def make(self, number: int) -> Iterator[Request]:
        """That many requests."""
        for _ in range(number):
            yield self.random.choice((self._about_object, self._about_object, self._about_path))()

    # --- which -------------------------------------------------------------------------------------------

    def _about_object(self) -> Request:
        path, data = self.random.choice(self.objects)
        method = self.random.choice(
            ("PUT", "PATCH", "PATCH", "PATCH", "PATCH", "POST", "POST", "GET", "DELETE")
        )
        if method == "DELETE":
            return self._send(method, path, {"kind": "DeleteOptions", "dryRun": ["All"]}, always="dryRun=All")
        part = self.random.choice(("",) * 6 + ("/status", "/scale", "/resize", "/ephemeralcontainers"))
        if method == "POST":
            path, part = path.rpartition("/")[0], ""
            name = f"f{self.random.randrange(10**6)}"
            kept = {key: value for key, value in data["metadata"].items() if key in ("labels", "annotations")}
            data = {**data, "metadata": {**kept, "name": name}}
        return self._send(method, path + part, data)

    def _about_path(self) -> Request:
        path, operations = self.random.choice(self.paths)
        methods = [name for name in operations if name != "parameters"]
        method = self.random.choice(methods).upper()
        filled = path
        for name in ("namespace", "name", "path"):
            word = self.random.choice(("default", "kube-system", *WORDS) if name == "namespace" else WORDS)
            filled = filled.replace(f"{{{name}}}", quote(word[:300], safe=""))
        _, data = self.random.choice(self.objects)
        always = "dryRun=All" if method == "DELETE" else ""
        if method == "DELETE":
            data = {"kind": "DeleteOptions", "gracePeriodSeconds": 5, "preconditions": {"uid": "x"}}
        return self._send(method, filled, data, always)

    # --- what --------------------------------------------------------------------------------------------

    def _send(self, method: str, path: str, data: Json, always: str = "") -> Request:
        query = [(self.random.choice(QUERY), self.random.choice(WORDS)) for _ in range(self._few())]
        text = "&".join(filter(None, [always, urlencode(query)]))
        body, content_type = b"", ""
        if method != "GET":
            body, content_type = self._body(method, data)
        accept = self.random.choice(ACCEPTS) if self.random.random() < 0.3 else "application/json"
        return Request(method, f"{path}?{text}" if text else path, body, content_type, accept)

    def _few(self) -> int:
        return self.random.choice((0, 0, 0, 1, 1, 2, 3))

    def _body(self, method: str, data: Json) -> tuple[bytes, str]:
        if method == "PATCH":
            content_type = f"application/{self.random.choice(PATCHES)}"
        else:
            content_type = TYPES[0]
        if self.random.random() < 0.05:
            content_type = self.random.choice(TYPES)
        if self.random.random() < 0.08:
            return self.random.choice(BROKEN), content_type
        value: Any = self._json_patch(data) if "json-patch" in content_type else self._mutated(data)
        if method == "DELETE" and isinstance(value, dict):
            value["dryRun"] = ["All"]
        if "merge" in content_type and self.random.random() < 0.6:
            value = self._slice(value)
        return json.dumps(value).encode(), content_type

    def _mutated(self, data: Json) -> Any:
        value: Any = copy.deepcopy(data)
        if "metadata" in value:
            value["metadata"].pop("managedFields", None)
            value["metadata"].pop("resourceVersion", None)
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            place, key = self._place(value)
            if self.random.random() < 0.15 and isinstance(place, dict):
                place[self.random.choice([word for word in WORDS if word])[:300]] = self._value()
            elif self.random.random() < 0.15:
                del place[key]
            else:
                place[key] = self._value()
        return value

    def _value(self) -> Any:
        return copy.deepcopy(self.random.choice(VALUES))

    def _place(self, value: Any) -> tuple[Any, Any]:
        """Somewhere within: the map or list, and the key."""
        places: list[tuple[Any, Any]] = []
        todo = [value]
        while todo:
            one = todo.pop()
            for key in list(one) if isinstance(one, dict) else range(len(one)):
                places.append((one, key))
                if isinstance(one[key], dict | list):
                    todo.append(one[key])
        return self.random.choice(places) if places else ({"": 0}, "")

    def _slice(self, value: Any) -> Any:
        """Some top fields of it alone, as a patch has them."""
        if not isinstance(value, dict) or not value:
            return value
        names = self.random.sample(sorted(value), self.random.randrange(1, min(3, len(value)) + 1))
        return {name: value[name] for name in names}

    def _json_patch(self, data: Json) -> Any:
        if self.random.random() < 0.1:
            return self._value()
        return [self._operation(data) for _ in range(self.random.choice((1, 1, 2, 3)))]

    def _operation(self, data: Json) -> Any:
        if self.random.random() < 0.05:
            return self._value()
        what = self.random.choice(
            ("add", "remove", "replace", "move", "copy", "test", "add", "replace", "frob")
        )
        step: Json = {"op": what, "path": self._pointer(data), "value": self._value()}
        if what in ("move", "copy"):
            step["from"] = self._pointer(data)
        if self.random.random() < 0.1:
            step[self.random.choice(("op", "path", "from"))] = self._value()
        return step

    def _pointer(self, data: Json) -> str:
        steps: list[str] = []
        here: Any = data
        while isinstance(here, dict | list) and here and self.random.random() < 0.85:
            key = self.random.choice(list(here) if isinstance(here, dict) else range(len(here)))
            steps.append(str(key).replace("~", "~0").replace("/", "~1"))
            here = here[key]
        if self.random.random() < 0.2:
            steps.append(self.random.choice(("-", "-1", "0", "01", "99999999999", "~2", "", "x", "\u0000")))
        return "".join(f"/{step}" for step in steps)

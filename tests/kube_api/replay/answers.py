"""HTTP calls, masks for what differs from run to run, and the differences of two answers."""

from __future__ import annotations

import http.client
import json
import re
from typing import Any
from urllib.parse import urlsplit

import yaml

Json = Any
HEADERS = ("content-type", "warning", "retry-after", "allow", "www-authenticate", "location")

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
MICRO = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
TIME = re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
AGE = re.compile(r"^\d+[smhdy](\d+[smhd])*$")
AGO = re.compile(r"\(\d+[smhdy](\d+[smhd])* ago\)")
TEXT = [
    (re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n?", re.S), "<pem>"),
    (UUID, "<uid>"),
    (MICRO, "<microtime>"),
    (TIME, "<time>"),
    (re.compile(r"\b10\.(96|244)\.\d{1,3}\.\d{1,3}\b"), "<ip>"),
    (re.compile(r"kube-api-access-[a-z0-9]{5}\b"), "kube-api-access-<suffix>"),
    (re.compile(r"\.[0-9a-f]{16}\b"), ".<hex>"),
    (re.compile(r"containerd://[0-9a-f]{64}"), "<container-id>"),
    (re.compile(r"@sha256:[0-9a-f]{64}"), "@sha256:<digest>"),
    (AGO, "(<age> ago)"),
    (re.compile(r'Invalid value: "\{.*\}"', re.S), 'Invalid value: "<object>"'),
    (re.compile(r"Invalid value: \{.{200,}?\}: (?=[a-z])", re.S), "Invalid value: <object>: "),
    (re.compile(r"\n+(@@ |\{\n|  core\.).*", re.S), "\n<diff>"),
    (re.compile(r'in scheme \"[^"]*\"'), 'in scheme "<scheme>"'),
]
IPS = {"podIP", "hostIP", "ip", "clusterIP"}
HASHES = ("pod-template-hash", "controller-revision-hash")
TOO_OLD = re.compile(r"(too old resource version: )\d+( \()\d+\)")


class Server:
    """One API server; every request on a connection of its own, so nothing is retried or reused unseen."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self.host, self.port = parts.hostname or "", parts.port
        self.base, self.token = parts.path.rstrip("/"), token

    def call(
        self, method: str, target: str, headers: dict[str, str], body: bytes | None, timeout: float = 90
    ) -> tuple[int, dict[str, str], bytes]:
        """(status, headers by lower-case name, repeated ones joined by ` | `, body)."""
        link = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        sent = {"Authorization": f"Bearer {self.token}", **headers}
        if not sent["Authorization"]:
            del sent["Authorization"]
        try:
            link.request(method, self.base + target, body=body, headers=sent)
            answer = link.getresponse()
            found: dict[str, str] = {}
            for name, value in answer.getheaders():
                low = name.lower()
                found[low] = f"{found[low]} | {value}" if low in found else value
            return answer.status, found, answer.read()
        finally:
            link.close()


class Mask:
    """Replaces what differs from run to run. Learns names as it sees them, so one serves a whole story."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words = dict(words)  # actual text -> mask, longest first when used
        self.prefix = ""  # generateName of the request, for names in refusals

    def learn(self, value: Json) -> None:
        if isinstance(value, list):
            for one in value:
                self.learn(one)
        if not isinstance(value, dict):
            return
        meta = value.get("metadata")
        if isinstance(meta, dict):
            self._learn_meta(value, meta)
        for one in value.values():
            self.learn(one)

    def _learn_meta(self, value: dict, meta: dict) -> None:
        name, prefix = meta.get("name"), meta.get("generateName")
        labels = meta.get("labels") or {}
        for label in HASHES:
            word = labels.get(label, "")
            word = word if label == HASHES[0] else word.rsplit("-", 1)[-1]
            if len(word) >= 5:
                self.words[word] = "<hash>"
        if value.get("kind") == "ControllerRevision" and re.search(r"-[a-z0-9]{5,10}$", name or ""):
            self.words[name.rsplit("-", 1)[-1]] = "<hash>"
        numbered = labels.get("apps.kubernetes.io/pod-index") or labels.get(
            "batch.kubernetes.io/job-completion-index"
        )
        if name and prefix and name.startswith(prefix) and len(name) > len(prefix) and numbered is None:
            self.words[name] = prefix + "<suffix>"
        if (
            name
            and numbered is not None
            and re.search(r"-[a-z0-9]{5}$", name)
            and "batch.kubernetes.io/job-completion-index" in labels
        ):
            self.words[name] = name[:-5] + "<suffix>"

    def text(self, value: str) -> str:
        if value[:1] in "{[" and value.strip()[-1:] in "}]":
            try:  # annotations that hold JSON
                return json.dumps(self.value(json.loads(value)), separators=(",", ":"))
            except ValueError:
                pass
        return self.plain(value)

    def plain(self, value: str) -> str:
        for word in sorted(self.words, key=len, reverse=True):
            if word in value:
                value = value.replace(word, self.words[word])
        if self.prefix:
            value = re.sub(
                re.escape(self.prefix[:58]) + r"[a-z0-9]{5}(?![a-z0-9])", self.prefix[:58] + "<suffix>", value
            )
        for pattern, mask in TEXT:
            value = pattern.sub(mask, value)
        return TOO_OLD.sub(r"\g<1><rv>\g<2><rv>)", value)

    def value(self, value: Json, key: str = "", keep_managed: bool = False) -> Json:
        if isinstance(value, dict):
            if value.get("kind") == "Table" and "rows" in value:
                return self._table(value, keep_managed)
            out = {}
            for name, one in value.items():
                if name == "managedFields" and not keep_managed:
                    continue
                if name.startswith("topology.kubernetes.io/") and str(one).startswith("lab-"):
                    continue  # what others write on the lab's nodes is copied to the pods bound there
                out[self.plain(name)] = self.value(one, name, keep_managed)
            return out
        if isinstance(value, list):
            out = [self.value(one, key, keep_managed) for one in value]
            if any(
                "<suffix>" in json.dumps(one) or "<hash>" in json.dumps(one)
                for one in out
                if isinstance(one, dict)
            ):
                out.sort(key=lambda one: json.dumps(one, sort_keys=True))
            if key in ("podIPs", "hostIPs", "clusterIPs"):
                return [
                    one if one in ("None", "") else "<ip>" if isinstance(one, str) else one for one in out
                ]
            if key == "managedFields":  # the server orders them by second, then by name
                out.sort(
                    key=lambda one: [
                        one.get(name, "") for name in ("operation", "manager", "apiVersion", "subresource")
                    ]
                )
            return out
        if key == "storageVersionHash":
            return "<hash>"
        if key in ("resourceVersion", "selfLink", "remainingItemCount") and value not in ("", "0", None):
            return "<rv>" if key == "resourceVersion" else value
        if key in ("nodePort", "healthCheckNodePort") and isinstance(value, int) and value >= 30000:
            return "<node-port>"
        if isinstance(value, str):
            if key in IPS and value not in ("", "None"):
                return "<ip>"
            if key == "continue" and value:
                return "<continue>"
            return self.text(value)
        return value

    def _table(self, table: dict, keep_managed: bool) -> Json:
        names = [one["name"] for one in table.get("columnDefinitions") or ()]
        rows = []
        for row in table["rows"] or ():
            shown = {name: one for name, one in row.items() if name != "cells"}
            shown = self.value(shown, "", keep_managed)
            shown["cells"] = [self.cell(one) for one in row["cells"]]
            rows.append(shown)
        rest = {name: one for name, one in table.items() if name not in ("rows", "columnDefinitions")}
        out = (
            self.value(rest, "", keep_managed)
            if rest.get("kind") != "Table"
            else {name: self.value(one, name) for name, one in rest.items()}
        )
        columns = [
            {name: one for name, one in column.items() if name != "description"}
            for column in table.get("columnDefinitions") or ()
        ]
        out["columnDefinitions"] = columns if names else table.get("columnDefinitions")
        if any("<suffix>" in json.dumps(one) or "<hash>" in json.dumps(one) for one in rows):
            rows.sort(key=lambda one: json.dumps(one, sort_keys=True))
        out["rows"] = rows
        return out

    def cell(self, value: Json) -> Json:
        if isinstance(value, str):
            return "<age>" if AGE.match(value) else self.plain(value)
        return value


def parse(body: bytes, kind: str) -> Json:
    """JSON and YAML as a value; a watch as a list of events; anything else as text."""
    text = body.decode("utf-8", "replace")
    if "yaml" in kind and text.startswith(("apiVersion:", "kind:")):
        return {"yaml": yaml.safe_load(text)}
    if "json" not in kind:
        return text
    try:
        value = json.loads(text)
        return {"stream": [value]} if isinstance(value, dict) and set(value) == {"type", "object"} else value
    except ValueError:
        pass
    try:
        return {"stream": events([json.loads(line) for line in text.splitlines() if line.strip()])}
    except ValueError:
        return text


def events(stream: list) -> list:
    """How many bookmarks come depends on the moment: of several in a row the first is kept."""
    out: list = []
    for one in stream:
        if one.get("type") == "BOOKMARK" and out and out[-1].get("type") == "BOOKMARK":
            continue
        out.append(one)
    return out


def at(value: Json, path: str) -> Json:
    """`items.0.metadata.name`; a dot inside a key is written `\\.`; None when absent."""
    for step in re.split(r"(?<!\\)\.", path):
        step = step.replace("\\.", ".")
        if isinstance(value, list):
            value = (
                value[int(step)]
                if step.lstrip("-").isdigit() and -len(value) <= int(step) < len(value)
                else None
            )
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def drop(value: Json, path: str) -> None:
    """Removes a path; `*` stands for every element or key."""
    steps = [step.replace("\\.", ".") for step in re.split(r"(?<!\\)\.", path)]

    def walk(node: Json, rest: list[str]) -> None:
        step = rest[0]
        keys: list = []
        if isinstance(node, list):
            keys = (
                list(range(len(node)))
                if step == "*"
                else [int(step)]
                if step.isdigit() and int(step) < len(node)
                else []
            )
        elif isinstance(node, dict):
            keys = list(node) if step == "*" else [step] if step in node else []
        for key in keys:
            if len(rest) > 1:
                walk(node[key], rest[1:])
            elif isinstance(node, dict):
                del node[key]
            else:
                node[key] = "<ignored>"

    walk(value, steps)


def differences(want: Json, got: Json, path: str = "") -> list[str]:
    """One line per differing leaf."""
    if isinstance(want, dict) and isinstance(got, dict):
        out = []
        for key in sorted(set(want) | set(got)):
            here = f"{path}.{key}" if path else key
            if key not in got:
                out.append(f"- {here}: {short(want[key])}")
            elif key not in want:
                out.append(f"+ {here}: {short(got[key])}")
            else:
                out += differences(want[key], got[key], here)
        return out
    if isinstance(want, list) and isinstance(got, list):
        out = []
        for index in range(max(len(want), len(got))):
            here = f"{path}[{index}]"
            if index >= len(got):
                out.append(f"- {here}: {short(want[index])}")
            elif index >= len(want):
                out.append(f"+ {here}: {short(got[index])}")
            else:
                out += differences(want[index], got[index], here)
        return out
    if want != got or type(want) is not type(got):
        return [f"- {path}: {short(want)}", f"+ {path}: {short(got)}"]
    return []


def short(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 300 else text[:300] + "…"

"""Plays one HTTP story against a server and hands back the masked answers."""

from __future__ import annotations

import json
import re
import secrets
import string
import time
from typing import Any
from urllib.parse import quote

from tests.kube_api.replay.answers import HEADERS, Mask, Server, at, drop, parse

Json = Any
UNTIL_SECONDS = 60  # how long a step waits for controllers at most
SAFE = "=&%,!()/:*'+;-._~"


def fresh() -> str:
    """A run's word in the names of namespaces, so that two runs never meet."""
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(5))


class Play:
    def __init__(self, server: Server, story: Json, run: str, patience: float = UNTIL_SECONDS) -> None:
        self.server, self.story, self.patience = server, story, patience
        self.variables = {"ns": f"api-{run}-{story['story']}"[:60]}
        self.mask = Mask({self.variables["ns"]: "${ns}"})

    def run(self):
        """Yields (case, answer). Cleans up at the end whatever happened."""
        try:
            for case in self.story["cases"]:
                yield case, self.case(case)
        finally:
            for case in self.story.get("cleanup", ()):
                self.case({**case, "setup": True})

    def fill(self, text: str) -> str:
        return re.sub(r"\$\{(\w+)\}", lambda found: str(self.variables.get(found[1], found[0])), text)

    def case(self, case: Json) -> Json:
        target = self.fill(case["path"]) + (
            f"?{quote(self.fill(case['query']), safe=SAFE)}" if case.get("query") else ""
        )
        headers = {name: self.fill(value) for name, value in (case.get("headers") or {}).items()}
        body = None
        if "bodyText" in case:
            body = self.fill(case["bodyText"]).encode()
        elif "body" in case:
            body = self.fill(json.dumps(case["body"])).encode()
            headers.setdefault("Content-Type", "application/json")
        headers.setdefault("Accept", "application/json")
        meta = case["body"].get("metadata") if isinstance(case.get("body"), dict) else None
        self.mask.prefix = (
            meta.get("generateName", "") if isinstance(meta, dict) and not meta.get("name") else ""
        )
        status, found, raw = self.server.call(case["method"], target, headers, body)
        value = parse(raw, found.get("content-type", ""))
        until = case.get("until")
        end = time.monotonic() + min(self.patience, (until or {}).get("seconds", UNTIL_SECONDS))
        while until and not holds(until, status, value) and time.monotonic() < end:
            time.sleep(0.3)
            status, found, raw = self.server.call(case["method"], target, headers, body)
            value = parse(raw, found.get("content-type", ""))
        for name, path in (case.get("save") or {}).items():
            self.variables[name] = at(value, path)
            if name.startswith("mask_"):
                self.mask.words[str(self.variables[name])] = f"${{{name}}}"
        self.mask.learn(value)
        if case.get("setup"):
            return {"status": status}
        return self.answer(case, status, found, value)

    def answer(self, case: Json, status: int, found: dict, value: Json) -> Json:
        out: Json = {"status": status}
        shown = {name: self.mask.plain(found[name]) for name in HEADERS if name in found}
        if shown:
            out["headers"] = shown
        masked = self.mask.value(value, "", bool(self.story.get("keepManagedFields")))
        if isinstance(masked, str) and len(masked) > 4000:
            masked = masked[:200] + "…"
        for path in (self.story.get("ignore") or []) + (case.get("ignore") or []):
            if isinstance(masked, dict):
                drop(masked, path)
        if not case.get("ignoreBody"):
            out["body"] = masked
        return out


def holds(until: Json, status: int, value: Json) -> bool:
    if "status" in until:
        return status == until["status"]
    found = at(value, until["path"])
    if "equals" in until:
        return found == until["equals"]
    if "length" in until:
        return isinstance(found, list) and len(found) == until["length"]
    return found is not None

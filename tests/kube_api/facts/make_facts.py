"""`python -m tests.kube_api.facts.make_facts v1.37 http://127.0.0.1:8001`: what a release is held to.

Asks a real API server, as `kubectl proxy` hands it on, and writes `v1.37.json.gz`.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

Json = dict[str, Any]
Ask = Callable[[str, str], Json]
"""What a server answers to a path, in the form of an Accept header."""
# Where there is one, metrics-server answers for it, in columns of its own.
METRICS = "metrics.k8s.io/v1beta1"
PLAIN, TABLE = "application/json", "application/json;as=Table;v=v1;g=meta.k8s.io"


def make_facts(ask: Ask) -> Json:
    """Resources by group version, columns by resource, definitions by name: all without texts."""
    paths = dict(_list_versions(ask))
    resources = {version: ask(path, PLAIN)["resources"] for version, path in paths.items()}
    columns = {
        f"{version}/{one['name']}": ask(f"{paths[version]}/{one['name']}", TABLE)["columnDefinitions"]
        for version, found in resources.items()
        for one in found
        if version != METRICS and "list" in one["verbs"] and "/" not in one["name"]
    }
    return {
        "resources": resources,
        "columns": drop_texts(columns),
        "definitions": drop_texts(ask("/openapi/v2", PLAIN)["definitions"]),
    }


def _list_versions(ask: Ask) -> Iterator[tuple[str, str]]:
    yield "v1", "/api/v1"
    for group in ask("/apis", PLAIN)["groups"]:
        for one in group["versions"]:
            yield one["groupVersion"], f"/apis/{one['groupVersion']}"


def drop_texts(value: Any) -> Any:
    """Without what describes; a field that is called `description` is a mapping, and stays."""
    if isinstance(value, list):
        return [drop_texts(one) for one in value]
    if not isinstance(value, dict):
        return value
    is_text = {key: key == "description" and isinstance(one, str) for key, one in value.items()}
    return {key: drop_texts(one) for key, one in value.items() if not is_text[key]}


def main(release: str, server: str) -> None:
    """Write the file of a release."""

    def ask(path: str, accept: str) -> Json:
        with urlopen(Request(server.rstrip("/") + path, headers={"Accept": accept})) as answer:
            found: Json = json.load(answer)
            return found

    facts = make_facts(ask)
    file = Path(__file__).parent / f"{release}.json.gz"
    # Without an instant in its head the file is the same each time.
    file.write_bytes(gzip.compress(json.dumps(facts, sort_keys=True).encode(), mtime=0))
    print(f"{file} written: {', '.join(f'{len(found)} {key}' for key, found in facts.items())}")


if __name__ == "__main__":
    main(*sys.argv[1:])

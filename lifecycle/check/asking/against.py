"""`--against`: what is compared with. An earlier report, a file or folder, or a revision of git."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lifecycle.check.asking.revisions import place_revision
from lifecycle.check.comparing import Earlier
from lifecycle.check.findings import Finding
from lifecycle.check.report import SCHEMA_VERSION
from lifecycle.input.problems import ManifestError, Problem

Options = Mapping[str, Any]
TryAll = Callable[[Options], Iterable[Finding]]
"""Checks what options name, in silence."""


def find_earlier(text: str, options: Options, try_all: TryAll, say: Callable[[str], None]) -> list[Earlier]:
    """The findings to compare with. Raises ManifestError."""
    path = Path(text)
    if path.is_file() and (report := _read_report(path)) is not None:
        return report
    if path.exists():
        return _tell(try_all({**options, "inputs": [text], "kustomize": []}))
    with tempfile.TemporaryDirectory(prefix="podline-") as folder:
        earlier = place_revision(text, options, Path(folder))
        if not earlier["inputs"] and not earlier["kustomize"]:
            say(f"{text} has nothing of what is checked: every finding is new")
            return []
        try:
            return _tell(try_all(earlier))
        except ManifestError as error:
            told = error.problems[0]
            said = ": ".join(filter(None, (told.subject, told.path, told.message)))
            say(f"{text} is refused, so that every finding is new: {said}")
            return []


def _tell(findings: Iterable[Finding]) -> list[Earlier]:
    return [Earlier.from_finding(one) for one in findings]


def _read_report(path: Path) -> list[Earlier] | None:
    """The findings of a JSON report; None for a file that is none. Raises ManifestError."""
    try:
        data = json.loads(path.read_bytes())
    except ValueError:
        return None
    if not isinstance(data, dict) or "findings" not in data:
        return None
    try:
        found = [Earlier.from_json(one) for one in data["findings"]]
    except (KeyError, TypeError, ValueError) as error:
        problem = Problem(
            f"is no report of podline check: {error}", "write it with -o json", source=str(path)
        )
        raise ManifestError([problem]) from None
    if data.get("schema_version") != SCHEMA_VERSION:
        told = f"schema_version is not {SCHEMA_VERSION}"
        raise ManifestError([Problem(told, "write it again with this version", source=str(path))])
    return found

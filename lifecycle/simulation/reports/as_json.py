"""`--output json`: one object, with the version of its shape. Arrays are never null."""

from __future__ import annotations

from typing import Any

import orjson

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.simulation.durations import Basis
from lifecycle.simulation.reports.report import Report
from lifecycle.simulation.run import Outcome
from lifecycle.version import VERSION

SCHEMA_VERSION = 1


def make_json(report: Report) -> str:
    """The report as JSON; what it does not know yet may be added, what is there keeps its meaning."""
    release = report.plan.settings.release if report.plan else DEFAULT_RELEASE
    data: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "podline": VERSION,
        "kubernetes": release.name,
        "seed": report.plan.seed if report.plan else None,
        "epoch_ms": report.plan.epoch_ms if report.plan else None,
        "exit_status": report.exit_status,
        "end": _end(report.outcome, report.hash) if report.outcome else None,
        "findings": [
            {
                "id": one.rule,
                "level": one.level,
                "object": one.subject,
                "file": one.file or None,
                "line": one.line,
                "text": one.text,
            }
            for one in report.findings
        ],
        "workloads": [
            {
                "kind": one.kind,
                "namespace": one.namespace,
                "name": one.name,
                "verdict": one.verdict,
                "status": one.status,
            }
            for one in report.told
        ],
        "services": [
            {
                "namespace": one.service["metadata"]["namespace"],
                "name": one.service["metadata"]["name"],
                "text": one.tell(),
                "requests": one.sums,
            }
            for one in report.lost
        ],
        "measured": [_basis(one) | {"profile": one.profile} for one in report.bases if one.is_measured],
        "assumed": [_basis(one) for one in report.bases if not one.is_measured],
    }
    return orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _basis(basis: Basis) -> dict[str, str]:
    return {"image": basis.image, "part": basis.part, "takes": basis.takes, "by": basis.by}


def _end(outcome: Outcome, trace_hash: str) -> dict[str, Any]:
    return {
        "why": outcome.why,
        "at_ms": outcome.at_ms,
        "not_reached": list(outcome.not_reached),
        "hash": trace_hash,
    }

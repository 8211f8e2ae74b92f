"""`--output json`."""

from __future__ import annotations

import orjson

from lifecycle.check.report import Report


def make_json(report: Report) -> str:
    """One object, indented."""
    return orjson.dumps(report.to_json(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()

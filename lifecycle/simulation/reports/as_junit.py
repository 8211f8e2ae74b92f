"""`--output junit`: claims, ends and the input as test cases, as CI systems show them."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from lifecycle.late_patterns import late_pattern
from lifecycle.simulation.reports.report import Report

# What XML 1.0 has no way to write.
_UNWRITABLE = late_pattern("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Case = tuple[str, list[str]]
"""A name, and what is wrong."""


def make_junit(report: Report) -> str:
    """A case each for the input, the steps, every claim and every end; times are virtual."""
    others = [one.text for one in report.findings if one.level != "error"]
    at_ms = report.outcome.at_ms if report.outcome else 0
    return write_suite("simulate", _list_cases(report), others, at_ms)


def write_suite(command: str, cases: Sequence[Case], others: Sequence[str], at_ms: int = 0) -> str:
    """One suite of cases. `others`: what is said beside them; `at_ms`: how much time it is of."""
    failed = sum(bool(texts) for _name, texts in cases)
    seconds = f"{at_ms / 1000:.3f}"
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "time": seconds}
    root = Element("testsuites", {"name": "podline", **counts})
    suite = SubElement(root, "testsuite", {"name": f"podline {command}", "skipped": "0", **counts})
    for name, texts in cases:
        case = SubElement(suite, "testcase", {"classname": f"podline.{command}", "name": _clean(name)})
        case.set("time", "0.000")
        if texts:
            failure = SubElement(case, "failure", {"message": _clean(texts[0]), "type": "podline"})
            failure.text = _clean("\n".join(texts))
    if others:
        SubElement(suite, "system-out").text = _clean("\n".join(others))
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _list_cases(report: Report) -> list[Case]:
    """All that was asked."""
    refused = [
        tell_with_place(one.file, one.line, one.text) for one in report.findings if one.rule == "bad-input"
    ]
    cases = [("the input is sound", refused)]
    plan, outcome = report.plan, report.outcome
    if plan is None or outcome is None:
        return cases
    cases.append(("every object and step is taken", list(outcome.refusals)))
    for claim in [one.text for one in plan.expects] + [one.text for one in plan.sequences]:
        failures = [text for text in outcome.failures if text.startswith(f"{claim} failed")]
        cases.append((claim, failures))
    untils = [until.text for until in plan.untils] or ["idle"]
    for text in untils:
        missed = [f"not reached: {one}" for one in outcome.not_reached if one.partition(": ")[0] == text]
        cases.append((f"until {text}", missed + ([outcome.endless] if missed and outcome.endless else [])))
    return cases


def tell_with_place(file: str, line: int | None, text: str) -> str:
    """`web.yaml:3: …`"""
    place = f"{file}:{line}" if file and line else file
    return f"{place}: {text}" if place else text


def _clean(text: str) -> str:
    return _UNWRITABLE.sub("�", text)

"""Whether checks judge right: what is planted in weak applications is found, in sound ones nothing grave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lifecycle.check.checking import Checked, check
from lifecycle.check.findings import Finding
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.scene import SERIOUS, SEVERITIES
from lifecycle.check.settled import settle
from lifecycle.simulation.plan import make_plan, take_inputs

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "applications"


@cache
def read_expected(folder: Path = FOLDER) -> Json:
    expected: Json = yaml.safe_load((folder / "expected.yaml").read_text())
    return expected


def check_file(path: Path, ordeals: Sequence[str] = (), seeds: Sequence[int] = (1,)) -> Checked:
    """The check of one application; of all ordeals where none is named."""
    plan = make_plan(take_inputs([str(path)]).documents)
    chosen = [one for one in list_ordeals() if not ordeals or one.name in ordeals]
    return check(settle(plan), chosen, seeds)


def list_grave(findings: Sequence[Finding]) -> list[Finding]:
    """Those that are serious or worse."""
    return [one for one in findings if is_as_grave(one, SERIOUS)]


def is_as_grave(finding: Finding, severity: str) -> bool:
    return SEVERITIES.index(finding.severity) <= SEVERITIES.index(severity)


def find_missing(wanted: Json, findings: Sequence[Finding]) -> list[str]:
    """What of an expectation no single finding says; [] where one says all of it."""
    claims = (wanted["claim"], *wanted.get("also_fair", ()))
    fair = [
        one
        for one in findings
        if one.ordeal in wanted["ordeals"]
        and one.claim in claims
        and one.object == wanted["object"]
        and is_as_grave(one, wanted["severity_at_least"])
    ]
    if not fair:
        return [f"no finding of {' or '.join(claims)} about {wanted['object']}"]
    return min((list(_list_untold(wanted, one)) for one in fair), key=len)


def _list_untold(wanted: Json, finding: Finding) -> Iterator[str]:
    said = " ".join((finding.worst.violation.text, *finding.because)).lower()
    for word in wanted["because"]:
        if word.lower() not in said:
            yield f"because does not tell of {word}"
    if wanted["known_as"] and not set(wanted["known_as"]) & set(finding.known_as):
        yield f"known as {', '.join(finding.known_as) or 'nothing'}, not {wanted['known_as'][0]}"
    if not any(cures(field, cure.patch) for cure in finding.remedies for field in wanted["cures"]):
        yield f"no remedy changes {wanted['cures'][0]}"


def cures(field: str, patch: Any) -> bool:
    """Whether a patch changes a field such as `spec.template.spec.containers[].readinessProbe`."""
    values = [patch]
    for part in field.split("."):
        name = part.removesuffix("[]")
        values = [one[name] for one in values if isinstance(one, dict) and name in one]
        if part.endswith("[]"):
            values = [item for one in values if isinstance(one, list) for item in one]
    return bool(values)

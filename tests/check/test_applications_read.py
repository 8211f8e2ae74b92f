"""Small applications that a check is judged by: taken as they lie, and what is expected of them fits."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from lifecycle.simulation import make_plan, take_inputs
from lifecycle.simulation.plan import Plan

APPLICATIONS = Path(__file__).parent / "applications"
EXPECTED = yaml.safe_load((APPLICATIONS / "expected.yaml").read_text())
FILES = sorted(APPLICATIONS.glob("*/*.yaml"))

CLAIMS = frozenset(
    "rollout-keeps-its-budget budget-kept no-request-lost nothing-stuck drain-ends whole-again no-hard-kill"
    " no-restart-storm one-writer".split()
)
ORDEALS = frozenset(
    "rollout-healthy rollout-slow rollout-never-ready rollout-crashing rollout-unpullable"
    " rollout-ignores-term undo restart-all drain-each drain-all upgrade-control-plane upgrade-nodes"
    " node-crash node-cut node-reboot zone-away spot kill-each registry-away dependency-away dns-away"
    " load-double load-tenfold load-gone full-cluster quota-met memory-pressure disk-pressure preempted"
    " kubelet-restart control-plane-away cron-away job-pod-lost".split()
)
"""Both as the contract of `podline check` lists them."""


@cache
def read_plan(file: Path) -> Plan:
    """The plan of a file by which nothing was skipped, left out or refused."""
    reading = take_inputs([str(file)])
    assert reading.report.list_notes() == []
    return make_plan(reading.require_sound())


def name_objects(plan: Plan) -> set[str]:
    """Each object as findings name it."""
    metadata = [(one["kind"], one["metadata"]) for one in plan.objects]
    return {f"{kind}/{of.get('namespace', 'default')}/{of['name']}" for kind, of in metadata}


@pytest.mark.parametrize("file", [pytest.param(file, id=f"{file.parent.name}/{file.stem}") for file in FILES])
def test_an_application_is_taken_without_a_warning(file: Path) -> None:
    plan = read_plan(file)
    assert (plan.notes, plan.missing, plan.refused) == ((), (), ())
    assert file.read_text().startswith("# ")


@pytest.mark.parametrize("folder", ["weak", "sound"])
def test_twenty_applications_of_each_kind_are_expected_and_there(folder: str) -> None:
    names = {file.stem for file in FILES if file.parent.name == folder}
    assert len(names) == 20
    assert names == set(EXPECTED[folder])


@pytest.mark.parametrize(
    "name, expected", [pytest.param(*one, id=one[0]) for one in EXPECTED["weak"].items()]
)
def test_what_is_expected_of_a_weak_application_can_be_found(name: str, expected: dict[str, Any]) -> None:
    assert set(expected["ordeals"]) <= ORDEALS
    assert {expected["claim"], *expected.get("also_fair", ())} <= CLAIMS
    assert expected["severity_at_least"] in ("critical", "serious", "minor")
    assert expected["object"] in name_objects(read_plan(APPLICATIONS / "weak" / f"{name}.yaml"))
    assert expected["because"] and expected["cures"]


def test_what_sound_applications_may_be_told_is_of_the_contract() -> None:
    of_all = EXPECTED["minor_allowed_of_all"]
    allowed = [one for of in EXPECTED["sound"].values() for one in of.get("minor_allowed", ())]
    assert {one["claim"] for one in allowed} | {claim for one in of_all for claim in one["claims"]} <= CLAIMS
    assert {ordeal for one in of_all for ordeal in one["ordeals"]} <= ORDEALS
    assert all(one["why"] for one in (*allowed, *of_all))

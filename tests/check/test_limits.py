"""Budgets of claims: what is allowed of what futures violate."""

from __future__ import annotations

import pytest

from lifecycle.check.life import Figures, Future
from lifecycle.check.limits import Judge, Limit, Limits, read_limits
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.scene import Violation
from lifecycle.check.trials import list_trials
from lifecycle.engine.programs.reading import Reader

WEB, OTHER = "Deployment/shop/web", "Deployment/shop/other"
CRASH = [one for one in list_ordeals() if one.name == "node-crash"]


def judge(checked, limits, violations=(), recovery_ms=0):
    one = Judge(limits, CRASH)
    trial = list_trials(checked.settled, one.ordeals)[0]
    future = Future(1, Figures(0, 1, 0, recovery_ms, 0), "whole", tuple(violations))
    return one.judge(checked.settled, trial, future).violations


@pytest.mark.parametrize(
    "claim, limit, amount, severity",
    [
        pytest.param("no-request-lost", Limit(), 1, "serious", id="nothing is said"),
        pytest.param("no-request-lost", Limit(at_most=500), 500, None, id="as much as may be"),
        pytest.param("no-request-lost", Limit(at_most=500), 501, "serious", id="more than may be"),
        pytest.param("no-hard-kill", Limit(at_most=1), 1, None, id="as many as may be"),
        pytest.param("no-hard-kill", Limit(at_most=0), 1, "serious", id="none may be"),
        pytest.param("one-writer", Limit(severity="minor"), 0, "minor", id="less grave"),
        pytest.param("one-writer", Limit(severity="critical"), 0, "critical", id="graver"),
        pytest.param("one-writer", Limit(severity="none"), 0, None, id="not claimed"),
    ],
)
@pytest.mark.parametrize("is_of_one", [False, True])
def test_what_is_allowed_is_no_finding(checked, claim, limit, amount, severity, is_of_one):
    limits = Limits({}, {WEB: {claim: limit}}) if is_of_one else Limits({claim: limit})
    found = judge(checked, limits, [Violation(claim, WEB, "serious", 0, "said", None, amount)])
    assert [one.severity for one in found] == ([severity] if severity else [])


def test_a_limit_of_another_workload_is_not_ours(checked):
    limits = Limits({}, {OTHER: {"no-hard-kill": Limit(severity="none")}})
    assert judge(checked, limits, [Violation("no-hard-kill", WEB, "serious", 0, "said", None, 1)])


def test_a_service_has_the_limits_of_what_is_behind_it(checked):
    limits = Limits({}, {WEB: {"no-request-lost": Limit(at_most=500)}})
    lost = Violation("no-request-lost", "Service/shop/web", "serious", 0, "said", None, 400)
    assert judge(checked, limits, [lost]) == ()


def test_what_one_workload_says_goes_before_what_all_do():
    limits = Limits(
        {"whole-again": Limit(within_ms=1, severity="minor")}, {WEB: {"whole-again": Limit(None, 2)}}
    )
    assert limits.find("whole-again", [WEB]) == Limit(None, 2, "minor")
    assert limits.find("whole-again", [OTHER]) == Limit(None, 1, "minor")


@pytest.mark.parametrize(
    "within_ms, recovery_ms, late_ms",
    [
        pytest.param(None, 600_000, None, id="within the ordeal's ten minutes"),
        pytest.param(300_000, 300_000, None, id="just in time"),
        pytest.param(300_000, 301_000, 1_000, id="late"),
        pytest.param(1_200_000, 900_000, None, id="more time than the ordeal gives"),
        pytest.param(300_000, None, None, id="never whole: the claim itself says so"),
    ],
)
def test_a_workload_is_to_be_whole_again_in_its_own_time(checked, within_ms, recovery_ms, late_ms):
    limits = Limits({"whole-again": Limit(within_ms=within_ms)})
    found = judge(checked, limits, (), recovery_ms)
    assert [(one.claim, one.amount) for one in found] == ([("whole-again", late_ms)] if late_ms else [])


def test_ordeals_last_as_long_as_anything_may_take():
    limits = Limits({}, {WEB: {"whole-again": Limit(within_ms=3_600_000)}})
    assert [one.within_ms for one in Judge(limits, CRASH).ordeals] == [3_600_000]
    assert [one.within_ms for one in Judge(Limits(), CRASH).ordeals] == [one.within_ms for one in CRASH]


@pytest.mark.parametrize(
    "value, problem",
    [
        pytest.param({"no-such": {}}, "claims.no-such: unknown key; known are rollout-keeps", id="claim"),
        pytest.param([], "claims: [] must be a mapping", id="list"),
        pytest.param({"one-writer": {"atMost": 1}}, "claims.one-writer.atMost: unknown key", id="no amount"),
        pytest.param(
            {"no-request-lost": {"atMost": 5}}, "claims.no-request-lost.atMost: 5 is no duration", id="unit"
        ),
        pytest.param(
            {"no-hard-kill": {"atMost": "2s"}}, "claims.no-hard-kill.atMost: '2s' must be", id="count"
        ),
        pytest.param(
            {"whole-again": {"within": "soon"}}, "claims.whole-again.within: 'soon' is no dur", id="span"
        ),
        pytest.param({"one-writer": {"severity": "x"}}, "severity: 'x' must be one of critical", id="word"),
    ],
)
def test_mistakes_say_where_they_are(value, problem):
    reader = Reader()
    read_limits(reader, value, "claims")
    (found,) = map(str, reader.problems)
    assert problem.replace("'", '"') in found.replace("'", '"')

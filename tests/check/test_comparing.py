"""What a change makes better or worse."""

from __future__ import annotations

import pytest

from lifecycle.check.comparing import BETTER, NEW, SAME, WORSE, Earlier, compare

KNOWN = Earlier("a", "node-crash", "whole-again", "serious", "Deployment/shop/web", "said", 7, 20)


@pytest.mark.parametrize(
    "severity, times, of, kind",
    [
        pytest.param("serious", 7, 20, SAME, id="as it was"),
        pytest.param("critical", 7, 20, WORSE, id="graver"),
        pytest.param("minor", 7, 20, BETTER, id="less grave"),
        pytest.param("minor", 20, 20, BETTER, id="the severity says more than how often"),
        pytest.param("serious", 8, 20, SAME, id="5 of 100 more: chance"),
        pytest.param("serious", 9, 20, WORSE, id="10 of 100 more"),
        pytest.param("serious", 5, 20, BETTER, id="10 of 100 fewer"),
        pytest.param("serious", 35, 100, SAME, id="the same share of other seeds"),
    ],
)
def test_a_finding_is_compared_by_severity_and_share(severity, times, of, kind):
    now = KNOWN._replace(severity=severity, times=times, of=of, text="anything")
    found = compare([now], [KNOWN], "main")
    assert found.kinds == {"a": kind}
    assert found.is_to_blame("a") == (kind in (NEW, WORSE))
    assert found.fixed == ()


def test_what_was_not_there_is_new_and_what_is_gone_is_fixed():
    found = compare([KNOWN._replace(id="b")], [KNOWN], "main")
    assert (found.kinds, found.fixed) == ({"b": NEW}, (KNOWN,))


@pytest.mark.parametrize(
    "wrong",
    [{"severity": "grave"}, {"of": 0}, {"times": "7"}, {"id": 7}, {"object": None}],
)
def test_what_is_no_finding_is_refused(wrong):
    with pytest.raises((TypeError, ValueError)):
        Earlier.from_json(KNOWN._asdict() | wrong)

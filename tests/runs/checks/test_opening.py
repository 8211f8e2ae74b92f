"""A counter-example opened as a fork shows what the check saw."""

import pytest

from lifecycle.models import Command, Transition
from lifecycle.runs import inbox
from lifecycle.runs.checks.opening import open_counterexample

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def find(check, ordeal):
    return next(one for one in check.report["findings"] if one["ordeal"] == ordeal)


def test_the_fork_goes_the_way_of_the_future(checked, owner, line):
    finding = find(checked, "node-crash")
    child = open_counterexample(checked, finding["id"], checked.user)
    assert (child.forked_at_ms, child.paused) == (checked.at_ms, True)
    inbox.control(child, "run", {"untilMs": checked.at_ms + 900_000})
    while owner.turn(child.pk) is not None:
        pass
    results = child.commands.filter(state=Command.State.DONE, instant_ms__gte=checked.at_ms)
    assert [one.kind for one in results][:2] == ["chance", "fault"]
    assert all(one.result["code"] < 400 for one in results)
    # What the check said of the instant at which the pod was gone holds here.
    lost = Transition.objects.filter(
        cluster=child, kind="Deployment", field="availableReplicas", new=0, at_ms__gt=checked.at_ms
    )
    assert lost.exists()


def test_a_finding_that_is_not_there_opens_nothing(checked):
    with pytest.raises(ValueError, match="has no finding 0badf00d"):
        open_counterexample(checked, "0badf00d", checked.user)


def test_a_cluster_that_was_changed_at_the_checked_instant_is_to_be_checked_again(checked, owner, standing):
    inbox.append(standing, "cordon", {"node": "node-1"})
    owner.turn(standing.pk)
    standing.refresh_from_db()
    assert standing.instant_ms == checked.at_ms
    with pytest.raises(ValueError, match="check it again"):
        open_counterexample(checked, find(checked, "node-crash")["id"], checked.user)

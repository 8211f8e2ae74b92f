"""Who may ask for how much, and what is kept of it."""

import pytest
from django.core.exceptions import ValidationError

from lifecycle.limits import Exceeded
from lifecycle.models import Check
from lifecycle.runs.checks import asking
from lifecycle.runs.checks.asking import ask, cancel
from tests.builders import make_cluster, make_superuser, make_user

pytestmark = pytest.mark.django_db


def test_one_check_of_a_cluster_goes_on_at_a_time(line):
    root = make_superuser()
    cluster = make_cluster("shop", owner=root)
    first = ask(cluster, root)
    with pytest.raises(Exceeded, match="a check of this cluster goes on") as refused:
        ask(cluster, root)
    assert refused.value.code == 429
    cancel(first)
    assert ask(cluster, root).state == Check.State.ASKED


@pytest.mark.parametrize("make, is_bound", [(make_user, True), (make_superuser, False)])
def test_one_check_of_a_user_goes_on_at_a_time(line, make, is_bound):
    user = make()
    ask(make_cluster("shop", owner=user), user)
    other = make_cluster("other", owner=user)
    if is_bound:
        with pytest.raises(Exceeded, match="your check of the cluster shop goes on"):
            ask(other, user)
    else:
        assert ask(other, user).state == Check.State.ASKED


@pytest.mark.parametrize(
    "ordeals, seeds, problem",
    [
        (["nothing"], 1, "no ordeal is called 'nothing'; there are rollout-healthy"),
        ([], 0, "use a whole number from 1 to 50"),
        ([], 51, "use a whole number from 1 to 50"),
        ([], True, "use a whole number from 1 to 50"),
        ([], "2", "use a whole number from 1 to 50"),
    ],
)
def test_nonsense_is_refused_with_what_would_be_right(line, ordeals, seeds, problem):
    cluster = make_cluster("shop")
    with pytest.raises(ValidationError, match=problem):
        ask(cluster, cluster.owner, ordeals, seeds)
    assert not line.asked and not Check.objects.exists()


def test_a_cluster_that_has_failed_is_not_checked(line):
    cluster = make_cluster("shop", failure="a defect")
    with pytest.raises(ValidationError, match="has failed and cannot be checked: a defect"):
        ask(cluster, cluster.owner)


def test_the_oldest_checks_are_forgotten(line, monkeypatch):
    monkeypatch.setattr(asking, "MOST_KEPT", 2)
    cluster = make_cluster("shop")
    made = []
    for _ in range(4):
        made.append(ask(cluster, cluster.owner))
        cancel(made[-1])
    assert list(Check.objects.values_list("pk", flat=True)) == [made[3].pk, made[2].pk]

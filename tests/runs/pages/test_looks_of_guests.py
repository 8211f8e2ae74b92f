"""What a link's guests look back at is theirs alone, and goes with the link."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lifecycle.access import Verb, admit, find_cluster, may
from lifecycle.models import Cluster, Share, shares
from lifecycle.runs import looks
from tests.runs.conftest import create
from tests.runs.test_forks import run_on

pytestmark = pytest.mark.slow


def make_guest(cluster: Cluster) -> Any:
    shares.issue(cluster.owner, cluster, "", timedelta(days=1))
    return admit(Share.objects.latest("pk"))


def test_a_look_is_of_one_link_and_goes_with_it(owner, make_cluster):
    cluster = make_cluster()
    create(cluster)
    run_on(owner, cluster, 10_000)
    guest, other = make_guest(cluster), make_guest(cluster)
    look = looks.look(cluster, 5_000, guest)
    assert (look.is_look, look.instant_ms, look.share, look.owner) == (
        True,
        5_000,
        guest.share,
        cluster.owner,
    )
    assert looks.look(cluster, 5_000, guest) == look
    # Neither another link's guests nor the users of the cluster are led there, and theirs are other looks.
    assert [may(one, look, Verb.VIEW) for one in (guest, other, cluster.owner)] == [True, False, False]
    assert find_cluster(guest, look.name) == look and find_cluster(other, look.name) is None
    assert looks.look(cluster, 5_000, cluster.owner) != look
    for at_ms in (1_000, 2_000, 3_000, 4_000):
        looks.look(cluster, at_ms, guest)
    assert guest.share.looks.count() == looks.MOST_KEPT
    guest.share.delete()
    assert Cluster.objects.filter(is_look=True).count() == 1

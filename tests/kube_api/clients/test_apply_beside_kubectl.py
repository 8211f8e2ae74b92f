"""The built-in apply stores what the real kubectl has our API store."""

from __future__ import annotations

import pytest

from tests.kube_api.apply_beside import Sides, tell
from tests.kube_api.live import Installation, find_kubectl
from tests.kube_api.random_applies import KINDS

pytestmark = [pytest.mark.deep, pytest.mark.together("kubectl")]
SEQUENCES, AT_ONCE = 260, 52


def test_random_sequences_of_applies_end_alike(installation: Installation) -> None:
    find_kubectl()
    assert SEQUENCES % len(KINDS) == 0
    sides, wrong = Sides(installation), dict[int, list[str]]()
    for first in range(0, SEQUENCES, AT_ONCE):
        found = sides.compare(range(first, first + AT_ONCE))
        for seed, ((refused, stored), (refused_too, stored_too)) in found.items():
            wrong[seed] = [
                *tell(stored, stored_too),
                f"refused: {refused} with kubectl, {refused_too} without",
            ]
    assert not wrong

"""Causes of random lives: every chain ends, strictly backwards, where `docs/formats.md` lets it end."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.engine.kubelet import test_random_trouble as trouble
from tests.seeds import first_of

pytestmark = pytest.mark.slow

Row = dict[str, Any]


def find_loose_ends(rows: Sequence[Row]) -> list[tuple[int, Any]]:
    """(number, cause) of each row that follows from no earlier row and from no command.

    The cluster's beginning, at instant 0 and before any command, follows from nothing.
    """
    numbers = {row["seq"] for row in rows}
    first = next(row["seq"] for row in rows if str(row["cause"]).startswith("command:"))
    found = []
    for row in rows:
        cause = row["cause"]
        if isinstance(cause, int):
            is_right = cause in numbers and cause < row["seq"]
        elif cause is None:
            is_right = row["at_ms"] == 0 and row["seq"] < first
        else:
            is_right = cause.startswith("command:")
        if not is_right:
            found.append((row["seq"], cause))
    return found


@pytest.mark.parametrize("is_saved", [False, True], ids=["straight", "saved and loaded"])
@pytest.mark.parametrize("seed", first_of(range(8)))
def test_every_chain_of_causes_goes_back_to_a_command_or_to_the_beginning(seed: int, is_saved: bool) -> None:
    assert find_loose_ends(trouble.live(seed, is_saved).rows) == []


@pytest.mark.parametrize("seed", first_of(range(8)))
def test_what_a_container_comes_to_follows_from_its_own_pod_or_from_its_node_or_a_command(seed: int) -> None:
    rows = trouble.live(seed).rows
    by_number = {row["seq"]: row for row in rows}
    of_containers = [row for row in rows if str(row.get("field")).startswith("container.")]
    causes = [by_number[row["cause"]] for row in of_containers if isinstance(row["cause"], int)]
    pairs = zip((row for row in of_containers if isinstance(row["cause"], int)), causes, strict=True)
    strangers = [(row["seq"], row["cause"]) for row, cause in pairs if _is_stranger(row, cause)]
    assert causes
    assert strangers == []


def _is_stranger(row: Row, cause: Row) -> bool:
    """Whether the cause is told of a pod of another name; one that is made again has the name it had."""
    return bool(cause["kind"] == "Pod" and cause["name"] != row["name"])

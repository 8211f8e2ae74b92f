"""What is kept of what containers wrote."""

import pytest

from lifecycle import container_logs
from lifecycle.models import ContainerLog


@pytest.fixture
def pk(make_cluster):
    return make_cluster().pk


def kept(pk: int) -> dict[int, str]:
    return dict(ContainerLog.objects.filter(cluster_id=pk, uid="u").values_list("attempt", "text"))


def test_lines_are_added_to_their_run(pk):
    container_logs.write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 6, "two\n")])
    container_logs.write(pk, [("u", "app", 0, 7, "three")])
    assert kept(pk) == {0: "one\ntwo\nthree\n"}


def test_the_current_and_the_previous_run_are_kept(pk):
    for attempt in range(4):
        container_logs.write(pk, [("u", "app", attempt, attempt, f"run {attempt}")])
    assert kept(pk) == {2: "run 2\n", 3: "run 3\n"}


def test_the_last_64_kib_are_kept_from_a_whole_line_on(pk):
    lines = [("u", "app", 0, 0, f"{n:07d}") for n in range(20_000)]
    container_logs.write(pk, lines)
    text = kept(pk)[0]
    assert 64 * 1024 - 8 <= len(text) <= 64 * 1024
    assert text.startswith("00") and text.endswith("0019999\n")


def test_a_nul_does_no_harm(pk):
    container_logs.write(pk, [("u", "app", 0, 0, "a\x00b")])
    assert kept(pk) == {0: "a\ufffdb\n"}

"""What is kept of what containers wrote."""

import pytest

from lifecycle.models import ContainerLog
from lifecycle.runs import container_logs


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


def copied(pk: int, make_cluster, at_ms: int) -> dict[int, str]:
    child = make_cluster(f"child-{at_ms}")
    container_logs.copy(pk, child.pk, at_ms)
    return kept(child.pk)


@pytest.mark.parametrize(
    "at_ms, expected",
    [
        pytest.param(4, {}, id="before it started"),
        pytest.param(5, {0: "one\n"}, id="at the instant of the first line"),
        pytest.param(6, {0: "one\ntwo\nthree\n"}, id="two lines of one instant"),
        pytest.param(8, {0: "one\ntwo\nthree\nfour\n"}, id="a later write"),
        pytest.param(9, {0: "one\ntwo\nthree\nfour\n", 1: "again\n"}, id="the next run"),
    ],
)
def test_a_copy_ends_at_its_instant(pk, make_cluster, at_ms, expected):
    container_logs.write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 6, "two\nthree")])
    container_logs.write(pk, [("u", "app", 0, 8, "four"), ("u", "app", 1, 9, "again")])
    assert copied(pk, make_cluster, at_ms) == expected


def test_a_copy_of_a_log_whose_beginning_was_cut_off_still_ends_at_its_instant(pk, make_cluster):
    for start in range(0, 20_000, 1000):
        lines = [("u", "app", 0, n, f"{n:07d}") for n in range(start, start + 1000)]
        container_logs.write(pk, lines)
    text = copied(pk, make_cluster, 15_000)[0]
    assert text.endswith("0014999\n0015000\n") and text.startswith(kept(pk)[0][:8])


def test_a_copy_goes_on_like_its_original(pk, make_cluster):
    container_logs.write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 9, "late")])
    child = make_cluster("child")
    container_logs.copy(pk, child.pk, 5)
    container_logs.write(child.pk, [("u", "app", 0, 7, "other")])
    assert kept(child.pk) == {0: "one\nother\n"}
    assert kept(pk) == {0: "one\nlate\n"}

"""What is kept of what containers wrote."""

import pytest
from django.db import connection

from lifecycle.models import Cluster, ContainerLog
from lifecycle.runs import container_logs, inbox
from lifecycle.runs.container_logs import CHUNK_BYTES, KEPT_BYTES, Tails


@pytest.fixture
def pk(make_cluster):
    return make_cluster().pk


def write(pk: int, lines: list, tails: Tails | None = None) -> None:
    """What a slice does; without `tails` as by a worker that has just taken the cluster over."""
    container_logs.write(pk, (tails or Tails(pk)).render(lines))


def kept(pk: int) -> dict[int, str]:
    texts: dict[int, str] = {}
    for row in ContainerLog.objects.filter(cluster_id=pk, uid="u").order_by("attempt", "number"):
        texts[row.attempt] = texts.get(row.attempt, "") + row.text
    return texts


def test_lines_are_added_to_their_run(pk):
    write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 6, "two\n")])
    write(pk, [("u", "app", 0, 7, "three")])
    assert kept(pk) == {0: "one\ntwo\nthree\n"}


def test_runs_before_the_previous_one_are_kept_until_they_are_too_much(pk, monkeypatch):
    monkeypatch.setattr(container_logs, "EARLIER_BYTES", 15)
    for attempt in range(5):
        write(pk, [("u", "app", attempt, attempt, f"run {attempt}")])
    # 0 and 1 are 12 letters of 15; with 2 there would be 18.
    assert list(kept(pk)) == [1, 2, 3, 4]
    monkeypatch.setattr(container_logs, "MOST_RUNS", 3)
    write(pk, [("u", "app", 5, 5, "run 5")])
    assert list(kept(pk)) == [3, 4, 5]
    # Other containers of the pod keep their own.
    write(pk, [("u", "other", 9, 6, "run 9")])
    assert len(kept(pk)) == 4


def test_the_last_64_kib_are_kept_from_a_whole_line_on(pk):
    lines = [("u", "app", 0, 0, f"{n:07d}") for n in range(20_000)]
    write(pk, lines)
    text = kept(pk)[0]
    assert 64 * 1024 - 8 <= len(text) <= 64 * 1024
    assert text.startswith("00") and text.endswith("0019999\n")


def test_a_nul_does_no_harm(pk):
    write(pk, [("u", "app", 0, 0, "a\x00b")])
    assert kept(pk) == {0: "a\ufffdb\n"}


def copied(pk: int, make_cluster, at_ms: int) -> dict[int, str]:
    child = make_cluster(f"child-{at_ms}")
    container_logs.copy(pk, child.pk, at_ms)
    return kept(child.pk)


@pytest.mark.slow
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
    write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 6, "two\nthree")])
    write(pk, [("u", "app", 0, 8, "four"), ("u", "app", 1, 9, "again")])
    assert copied(pk, make_cluster, at_ms) == expected


@pytest.mark.slow
def test_a_copy_of_a_log_whose_beginning_was_cut_off_still_ends_at_its_instant(pk, make_cluster):
    for start in range(0, 20_000, 1000):
        lines = [("u", "app", 0, n, f"{n:07d}") for n in range(start, start + 1000)]
        write(pk, lines)
    text = copied(pk, make_cluster, 15_000)[0]
    assert text.endswith("0014999\n0015000\n") and text.startswith(kept(pk)[0][:8])


def test_a_copy_goes_on_like_its_original(pk, make_cluster):
    write(pk, [("u", "app", 0, 5, "one"), ("u", "app", 0, 9, "late")])
    child = make_cluster("child")
    container_logs.copy(pk, child.pk, 5)
    write(child.pk, [("u", "app", 0, 7, "other")])
    assert kept(child.pk) == {0: "one\nother\n"}
    assert kept(pk) == {0: "one\nlate\n"}


@pytest.mark.slow
@pytest.mark.parametrize("is_remembered", [True, False])
def test_a_long_log_is_kept_in_chunks_of_which_the_last_is_written(pk, is_remembered):
    tails = Tails(pk)
    for n in range(3000):
        if not is_remembered and n % 50 == 0:
            tails = Tails(pk)
        write(pk, [("u", "app", 0, n, f"{n:079d}")], tails)
    cluster = Cluster.objects.get(pk=pk)
    run = container_logs.find_run(cluster, "u", "app")
    assert run.text.endswith(f"{2999:079d}\n") and KEPT_BYTES - 80 <= len(run.text) <= KEPT_BYTES
    assert sum(count for _, count in run.lines) == run.text.count("\n")
    sizes = [len(row.text) for row in ContainerLog.objects.filter(cluster_id=pk)]
    assert max(sizes) <= CHUNK_BYTES + 80 and sum(sizes) <= KEPT_BYTES + 2 * CHUNK_BYTES + 80


def test_a_slice_reads_nothing_back(pk, django_assert_num_queries):
    tails = Tails(pk)
    write(pk, [("u", "app", 0, 1, "one")], tails)
    with django_assert_num_queries(0):
        rendered = tails.render([("u", "app", 0, 2, "two")])
    assert [row[6] for row in rendered.rows] == ["one\ntwo\n"]


def test_runs_that_are_not_remembered_go_on_behind_what_is_kept(pk, monkeypatch):
    monkeypatch.setattr(container_logs, "OPEN_RUNS", 1)
    tails = Tails(pk)
    for n in range(3):
        write(pk, [("u", "app", 0, n, f"a{n}"), ("u", "other", 0, n, f"b{n}")], tails)
    cluster = Cluster.objects.get(pk=pk)
    assert container_logs.find_run(cluster, "u", "app").text == "a0\na1\na2\n"
    assert container_logs.find_run(cluster, "u", "other").text == "b0\nb1\nb2\n"
    assert container_logs.find_run(cluster, "u", "app", is_previous=True) is None


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_text_is_made_before_others_have_to_wait_for_it(owner, wall, make_cluster, monkeypatch):
    """While a transaction of SQLite's writes, nobody else's does."""
    seen = []
    render = Tails.render

    def look(tails, lines):
        seen.append((connection.in_atomic_block, len(lines)))
        return render(tails, lines)

    monkeypatch.setattr(Tails, "render", look)
    cluster = make_cluster()
    script = "while true; do echo tick; sleep 1; done"
    container = {"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", script]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}}
    inbox.append(cluster, "create", {"object": {**pod, "spec": {"containers": [container]}}})
    owner.turn(cluster.pk)
    wall.go_on(10)
    owner.turn(cluster.pk)
    assert any(count for _, count in seen) and not any(is_inside for is_inside, _ in seen)

"""The timeline's figure as data: which bars, from when to when, in which rows."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import pairwise

import pytest

from dashboard.plots.pod_names import count_up, shorten_name
from dashboard.plots.stories import Stories
from dashboard.plots.timeline import Page, make_timeline
from lifecycle.simulation.reports.tones import STATES
from tests.dashboard.rows import pod_life, transition


def told(rows):
    stories = Stories()
    for row in rows:
        stories.feed(row)
    return stories


def bars(figure):
    """{(row, state): [(start, end or None)]} of every bar drawn."""
    found = {}
    for trace in figure["data"]:
        if trace["type"] == "bar":
            for y, base, end in zip(trace["y"], trace["base"], trace["customdata"], strict=True):
                found.setdefault((y, trace["name"]), []).append((base, end))
    return found


def texts_of(figure, state):
    return [text for trace in figure["data"] if trace["name"] == state for text in trace["hovertext"]]


def rows_of(figure):
    return [row["label"] for row in figure["layout"]["meta"]["rows"]]


def test_a_pod_is_pending_then_starting_then_not_ready_then_ready():
    assert bars(make_timeline(told(pod_life()), 9000)) == {
        ("default/web-1", "pending"): [(0, 100)],
        ("default/web-1", "starting"): [(100, 2000)],
        ("default/web-1", "notReady"): [(2000, 5000)],
        ("default/web-1", "ready"): [(5000, None)],
    }


def test_an_open_bar_reaches_to_now():
    figure = make_timeline(told(pod_life()), 9000)
    ready = next(trace for trace in figure["data"] if trace["name"] == "ready")
    assert ready["x"] == [4000]


def state(at_ms, new, old="ready", name="web-1", **more):
    return transition(at_ms, "state", new, name, old=old, **more)


@pytest.mark.parametrize("name", [tone.name for tone in STATES])
def test_the_state_is_the_one_that_the_rows_say(name):
    stories = told([*pod_life(), state(6000, name)])
    assert stories.by_uid["uid-web-1"].state == name


def test_a_state_that_nobody_knows_is_drawn_as_unknown():
    assert told([*pod_life(), state(6000, "dreaming")]).by_uid["uid-web-1"].state == "unknown"


def test_other_rows_move_no_state():
    rows = [
        transition(6000, "condition.Ready", "False"),
        transition(6000, "container.app.state", "Waiting", reason="CrashLoopBackOff"),
        transition(6000, "phase", "Failed"),
        transition(6000, "deletion", "requested"),
    ]
    assert bars(make_timeline(told([*pod_life(), *rows]), 7000))[("default/web-1", "ready")] == [(5000, None)]


def test_changes_of_one_instant_leave_one_bar():
    stories = told([*pod_life(), state(6000, "notReady"), state(6000, "crashing", "notReady")])
    drawn = bars(make_timeline(stories, 7000))
    assert drawn[("default/web-1", "crashing")] == [(6000, None)]
    assert drawn[("default/web-1", "notReady")] == [(2000, 5000)]


def test_a_change_taken_back_in_the_same_instant_is_no_change():
    back = [state(6000, "notReady"), state(6000, "ready", "notReady")]
    assert bars(make_timeline(told([*pod_life(), *back]), 7000))[("default/web-1", "ready")] == [(5000, None)]


def test_another_reason_for_the_same_state_is_the_same_bar():
    rows = [
        state(6000, "stuck", reason="ErrImagePull"),
        state(7000, "stuck", "stuck", reason="ImagePullBackOff"),
    ]
    figure = make_timeline(told([*pod_life(), *rows]), 9000)
    assert bars(figure)[("default/web-1", "stuck")] == [(6000, None)]
    assert "ImagePullBackOff" in texts_of(figure, "stuck")[0]


def without_states(rows):
    return [row for row in rows if row["field"] != "state"]


@pytest.mark.parametrize(
    "rows, expected",
    [
        pytest.param([], {"ready": [(0, None)]}, id="none: the stored one"),
        pytest.param(
            [transition(8000, "exists", "deleted")],
            {"ready": [(0, 8000)]},
            id="gone: the stored one until then",
        ),
        pytest.param(
            [state(6000, "terminating", "notReady")],
            {"notReady": [(0, 6000)], "terminating": [(6000, None)]},
            id="since some instant: what the first row says was before",
        ),
    ],
)
def test_a_history_without_states_is_drawn_with_what_is_known(rows, expected):
    stories = told([*without_states(pod_life()), *rows])
    stories.assume([("uid-web-1", "ready"), ("uid-of-nobody", "ready")])
    drawn = bars(make_timeline(stories, 9000))
    assert drawn == {("default/web-1", state): found for state, found in expected.items()}


def test_the_stored_state_changes_nothing_of_a_history_that_says_states():
    stories = told(pod_life())
    before = bars(make_timeline(stories, 9000))
    stories.assume([("uid-web-1", "failed")])
    assert bars(make_timeline(stories, 9000)) == before


def test_a_deleted_pod_keeps_its_bars_and_has_an_end():
    gone = transition(8000, "exists", "deleted")
    # The other rows of the write that removes it come after `exists`.
    rows = [
        *pod_life(),
        gone,
        transition(8000, "deletion", "removed"),
        state(8000, "succeeded"),
    ]
    drawn = bars(make_timeline(told(rows), 9000))
    assert drawn[("default/web-1", "ready")] == [(5000, 8000)]
    assert not [bar for bar in drawn.values() if None in bar[-1]]


def test_pods_stand_under_the_deployment_that_owns_their_replica_set():
    owner = transition(
        0, "exists", "created", "web-6d4", kind="ReplicaSet", group="apps", owner="Deployment/web"
    )
    pods = [
        *pod_life("web-6d4-b", 50, "ReplicaSet/web-6d4"),
        *pod_life("web-6d4-a", 20, "ReplicaSet/web-6d4"),
    ]
    figure = make_timeline(told([owner, *pods, *pod_life("alone")]), 9000)
    assert rows_of(figure) == ["web", "6d4-a", "6d4-b", "Bare pods", "alone"]


def in_namespace(namespace, name):
    more = {"namespace": namespace, "uid": f"{namespace}-{name}", "owner": "Deployment/web"}
    return [row | more for row in pod_life(name)]


@pytest.mark.parametrize(
    "namespaces, expected",
    [
        pytest.param(["prod", "staging"], ["prod/web", "1", "staging/web", "1"], id="two"),
        pytest.param(["prod"], ["web", "1"], id="one needs no naming"),
    ],
)
def test_workloads_of_one_name_are_told_apart_by_their_namespaces(namespaces, expected):
    rows = [row for namespace in namespaces for row in in_namespace(namespace, "web-1")]
    assert rows_of(make_timeline(told(rows), 9000)) == expected


def test_pods_of_nobody_have_their_namespace_beside_them_too():
    rows = [*in_namespace("prod", "web-1"), *pod_life("alone")]
    assert "default/Bare pods" in rows_of(make_timeline(told(rows), 9000))


def test_pods_of_an_indexed_job_stand_by_their_indexes_and_retries_below():
    pods = [("work-10-aaaaa", 0), ("work-0-ccccc", 0), ("work-2-bbbbb", 0), ("work-0-aaaaa", 60)]
    rows = [row for name, at_ms in pods for row in pod_life(name, at_ms, owner="Job/work")]
    figure = make_timeline(told(rows), 9000)
    assert rows_of(figure) == ["work", "0-ccccc", "0-aaaaa", "2-bbbbb", "10-aaaaa"]


def test_pods_of_other_workloads_stand_as_they_came():
    """A hash may look like an index."""
    pods = [("web-9-bbbbb", 0), ("web-1-aaaaa", 60)]
    rows = [row for name, at_ms in pods for row in pod_life(name, at_ms, owner="Deployment/web")]
    assert rows_of(make_timeline(told(rows), 9000)) == ["web", "9-bbbbb", "1-aaaaa"]


def test_a_workloads_header_counts_who_is_ready_and_who_leaves():
    rows = [*pod_life("a", owner="StatefulSet/db"), *pod_life("b", owner="StatefulSet/db")]
    rows.append(state(9000, "terminating", name="b", owner="StatefulSet/db"))
    [header, *_] = make_timeline(told(rows), 9000)["layout"]["meta"]["rows"]
    assert header["note"] == "StatefulSet · 1 of 1 ready, 1 terminating"


def test_the_next_pod_of_a_name_continues_its_row():
    again = [row | {"uid": "second"} for row in pod_life("db-0", 9000)]
    stories = told([*pod_life("db-0"), transition(8000, "exists", "deleted", "db-0"), *again])
    figure = make_timeline(stories, 20_000)
    assert rows_of(figure).count("db-0") == 1
    assert bars(figure)[("default/db-0", "ready")] == [(5000, 8000), (14_000, None)]


def test_pods_gone_before_the_window_are_left_out():
    rows = [*pod_life("old"), transition(8000, "exists", "deleted", "old"), *pod_life("new", 50_000)]
    assert rows_of(make_timeline(told(rows), 60_000, window_ms=30_000)) == ["Bare pods", "new"]


def test_of_too_many_pods_the_living_and_the_latest_are_shown():
    rows = [*pod_life("gone"), transition(6000, "exists", "deleted", "gone")]
    rows += [row for number in range(3) for row in pod_life(f"alive-{number}", number)]
    figure = make_timeline(told(rows), 9000, max_rows=2)
    assert rows_of(figure) == ["Bare pods", "alive-1", "alive-2"]
    assert figure["layout"]["meta"]["hidden"] == 2


def test_one_workload_can_be_asked_for():
    stories = told([*pod_life("a", owner="StatefulSet/db"), *pod_life("b")])
    assert rows_of(make_timeline(stories, 9000, workload="default/StatefulSet/db")) == ["db", "a"]


def replica_set(at_ms, name, value):
    return transition(at_ms, "exists", value, name, kind="ReplicaSet", group="apps", owner="Deployment/web")


def rollouts(stories, numbers, pods=10, held=60):
    """Each makes a ReplicaSet with its pods, and deletes those of the one before; every state is drawn."""
    for number in numbers:
        at_ms, name = number * 10_000, f"web-{number}"
        rows = [replica_set(at_ms, name, "created")]
        for pod in range(pods):
            rows += pod_life(f"{name}-{pod}", at_ms + pod, owner=f"ReplicaSet/{name}")
            rows.append(transition(at_ms + 9000, "exists", "deleted", f"web-{number - 1}-{pod}"))
        rows.append(replica_set(at_ms + 9000, f"web-{number - 1}", "deleted"))
        for row in rows:
            stories.feed(row)
        stories.forget(held)
        make_timeline(stories, at_ms + 9500)


@pytest.mark.slow
def test_owners_are_forgotten_with_their_last_pod():
    stories = Stories()
    rollouts(stories, range(1, 40))
    assert "default/ReplicaSet/web-39" in stories.workloads
    assert len(stories.workloads) < 10
    assert rows_of(make_timeline(stories, 400_000))[0] == "web"


def test_owners_of_a_long_history_are_forgotten_once_it_is_read():
    stories = told(
        [
            replica_set(number, f"web-{number}", what)
            for number in range(200)
            for what in ("created", "deleted")
        ]
    )
    stories.feed(replica_set(1000, "web-next", "created"))
    stories.forget(60)
    assert stories.workloads == {"default/ReplicaSet/web-next": "Deployment/web"}


def test_an_owner_without_pods_yet_is_remembered():
    stories = Stories()
    rollouts(stories, range(1, 10))
    stories.feed(replica_set(200_000, "web-next", "created"))
    rollouts(stories, range(21, 40))
    assert stories.workloads["default/ReplicaSet/web-next"] == "Deployment/web"


@pytest.mark.slow
def test_what_was_drawn_takes_no_memory_once_it_is_forgotten():
    stories = Stories()
    sizes = []
    # The collector is not to look through what other tests have left.
    gc.freeze()
    tracemalloc.start()
    try:
        for first in (1, 11, 17, 23):
            rollouts(stories, range(first, first + (10 if first == 1 else 6)))
            # What waits for the collector is forgotten all the same.
            gc.collect()
            # Whatever else this process does meanwhile is not what was drawn.
            drawn = tracemalloc.take_snapshot().filter_traces(
                [tracemalloc.Filter(True, "*/dashboard/plots/*")]
            )
            sizes.append(sum(trace.size for trace in drawn.traces))
    finally:
        tracemalloc.stop()
    # What is kept is kept in each round.
    grown = [after - before for before, after in pairwise(sizes)]
    assert min(grown) < 10_000, grown


def test_a_label_tells_what_is_true_now():
    rows = pod_life()
    stories = told(rows)

    def labels():
        return [text for trace in make_timeline(stories, 9000)["data"] for text in trace["hovertext"]]

    assert "<b>web-1 · Ready</b><br>since +5s" in "".join(labels())
    stories.feed(transition(9000, "status", "Completed"))
    assert "STATUS Completed" in "".join(labels())
    stories.feed(transition(9500, "exists", "deleted"))
    assert "+5s → +9.5s" in "".join(labels())


def test_a_label_tells_what_was_true_until_the_states_end():
    rows = [
        *pod_life(),
        transition(6000, "ready", "0/1"),
        transition(6000, "status", "CrashLoopBackOff"),
        state(6000, "crashing", reason="CrashLoopBackOff", message="back-off 10s"),
    ]
    figure = make_timeline(told(rows), 9000)
    [was], [is_now] = texts_of(figure, "ready"), texts_of(figure, "crashing")
    assert "STATUS Running · READY 1/1<br>on node-1" in was
    assert "STATUS CrashLoopBackOff · READY 0/1<br>on node-1<br>CrashLoopBackOff: back-off 10s" in is_now


HOSTILE = "<script>alert(1)</script><b>&%{x}"


def test_strangers_text_is_escaped_where_plotly_reads_html():
    rows = pod_life(HOSTILE)
    rows.append(transition(6000, "status", "<i>Error</i>", HOSTILE))
    rows.append(state(6000, "failed", name=HOSTILE, reason="<b>why</b>", message="a <i>message</i>"))
    figure = make_timeline(told(rows), 9000)
    texts = [text for trace in figure["data"] for text in trace["hovertext"]]
    assert texts
    for text in texts:
        plain = text.replace("<b>", "", 1).replace("</b>", "", 1).replace("<br>", "")
        assert "<" not in plain, text
    assert not any("hovertemplate" in trace for trace in figure["data"])


def test_labels_are_plain_text_because_the_browser_writes_them_as_text():
    assert HOSTILE in rows_of(make_timeline(told(pod_life(HOSTILE)), 9000))


def many(count, state):
    """Pods of one ReplicaSet, all in the same state."""
    for number in range(count):
        name = f"web-{state}-{number}"
        yield transition(number, "exists", "created", name, owner="ReplicaSet/web")
        yield transition(number, "state", state, name, owner="ReplicaSet/web")


def test_what_is_counted_is_counted_of_all_pods_however_few_are_drawn():
    owner = transition(0, "exists", "created", "web", kind="ReplicaSet", group="apps", owner="Deployment/web")
    stories = told([owner, *many(30, "ready"), *many(3, "crashing"), *many(7, "terminating")])
    stories.forget(20)
    figure = make_timeline(stories, 9000, max_rows=10)
    meta = figure["layout"]["meta"]
    assert meta["counts"] == {"ready": 30, "crashing": 3, "terminating": 7}
    assert meta["rows"][0]["note"] == "Deployment · 30 of 33 ready, 7 terminating"
    assert (len(meta["rows"]) - 1, meta["hidden"]) == (10, 30)


def test_what_has_ended_is_not_counted_as_not_ready():
    stories = told([*many(5, "succeeded"), *many(2, "failed")])
    [header, *_] = make_timeline(stories, 9000)["layout"]["meta"]["rows"]
    assert header["note"] == "ReplicaSet · 5 succeeded, 2 failed"
    stories = told([*many(5, "succeeded"), *many(1, "ready"), *many(1, "starting")])
    [header, *_] = make_timeline(stories, 9000)["layout"]["meta"]["rows"]
    assert header["note"] == "ReplicaSet · 1 of 2 ready, 5 succeeded"


def test_pods_in_trouble_are_drawn_before_later_ones():
    stories = told([*many(1, "crashing"), *many(1, "stuck"), *many(50, "ready")])
    stories.forget(20)
    drawn = {row["label"] for row in make_timeline(stories, 9000, max_rows=5)["layout"]["meta"]["rows"]}
    assert {"crashing-0", "stuck-0"} <= drawn and len(drawn) == 6


def test_a_deleted_pod_is_not_counted_whatever_else_its_last_write_says():
    gone = [transition(50, "exists", "deleted"), transition(50, "state", "terminating")]
    assert make_timeline(told([*pod_life(), *gone]), 9000)["layout"]["meta"]["counts"] == {}


@pytest.mark.parametrize(
    "workload, name, label",
    [
        ("web", "web-7d4b-x2x9c", "7d4b-x2x9c"),
        ("web", "website-0", "website-0"),
        ("", "alone", "alone"),
        # Kubernetes cuts the stem of a generated name to 58 letters, of an Indexed Job's before the index.
        ("n" * 62, f"{'n' * 58}n2x9c", "n2x9c"),
        ("n" * 60, f"{'n' * 54}-12-x2x9c", "12-x2x9c"),
    ],
)
def test_a_row_shows_what_is_the_pods_own(workload, name, label):
    assert shorten_name(name, workload) == label


def test_rows_of_pods_that_were_made_together_are_counted_up():
    job = "n" * 57
    names = [f"{'n' * 55}-{index}-x2x9c" for index in (0, 9)] + [f"{'n' * 54}-10-x2x9c"]
    owner = f"Job/{job}"
    born = [transition(5, "exists", "created", name, owner=owner) for name in reversed(names)]
    born += [transition(5, "state", "pending", name, owner=owner) for name in names]
    rows = make_timeline(told(born), 9000)["layout"]["meta"]["rows"]
    assert [row["label"] for row in rows[1:]] == ["0-x2x9c", "9-x2x9c", "10-x2x9c"]


def test_figures_in_names_are_counted_up():
    names = [f"web-{number}" for number in range(12)]
    assert sorted(sorted(names), key=count_up) == names
    # Letters and figures of drawn names may stand anywhere.
    assert sorted(["a-9x", "a-b7", "a-10x", "a"], key=count_up) == ["a", "a-9x", "a-10x", "a-b7"]


def mostly_ready(count=30, **states):
    """So many pods of two workloads, ready but for those that are named."""
    rows = []
    for number in range(count):
        name, owner = f"p{number:02}", f"ReplicaSet/{'web' if number % 2 else 'api'}"
        rows += [transition(number, "exists", "created", name, owner=owner)]
        rows += [transition(number, "state", states.get(name, "ready"), name, owner=owner)]
    return rows


def test_pods_in_trouble_stand_above_many_that_are_well_and_the_gravest_first():
    rows = mostly_ready(p03="notReady", p08="crashing", p11="stuck", p20="pending")
    figure = make_timeline(told(rows), 9000)
    assert rows_of(figure)[:6] == ["Problems", "p08", "p11", "p03", "api", "p00"]
    assert sorted(set(rows_of(figure))) == sorted(
        ["Problems", "api", "web", *(f"p{n:02}" for n in range(30))]
    )
    assert len(rows_of(figure)) == 33
    # Of few pods each stays with its workload, and so does each where all are in trouble.
    assert rows_of(make_timeline(told(mostly_ready(6, p03="crashing")), 9000))[0] == "api"
    assert (
        rows_of(make_timeline(told(mostly_ready(30, **{f"p{n:02}": "stuck" for n in range(30)})), 9000))[0]
        == "api"
    )


def test_a_name_that_is_there_again_has_one_row_wherever_that_stands():
    again = {"owner": "ReplicaSet/api", "uid": "uid-again"}
    rows = [
        *mostly_ready(30),
        transition(100, "exists", "deleted", "p00", old="created", owner="ReplicaSet/api"),
        transition(200, "exists", "created", "p00", **again),
        transition(200, "state", "crashing", "p00", **again),
    ]
    page = Page(0, "state", ("uid-again", "uid-p00", "uid-p01"), 3)
    for asked in ({}, {"page": page}):
        keys = make_timeline(told(rows), 9000, **asked)["layout"]["yaxis"]["categoryarray"]
        assert keys.count("default/p00") == 1 and keys[1] == "default/p00"


def test_of_more_pods_than_rows_one_that_gets_no_traffic_is_drawn_before_those_that_are_well():
    figure = make_timeline(told(mostly_ready(p00="notReady")), 9000, max_rows=5)
    assert {"p00", "p29", "p28", "p27", "p26"} <= set(rows_of(figure))


def test_pages_by_state_are_grouped_by_state_before_workload():
    rows = [
        *mostly_ready(6, p03="crashing", p02="pending"),
        transition(7000, "exists", "deleted", "p01", old="created"),
    ]
    uids = tuple(f"uid-p{number:02}" for number in (3, 2, 0, 4, 5, 1))
    figure = make_timeline(told(rows), 9000, page=Page(0, "state", uids, 6))
    assert rows_of(figure) == [
        *("Crashing", "p03", "Pending", "p02", "Ready", "p00", "p04", "p05", "Gone", "p01"),
    ]

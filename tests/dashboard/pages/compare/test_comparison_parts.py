"""What a comparison of two clusters is made of: fields of manifests, lanes on one axis, judged figures."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.pages.compare.histories import read_history
from dashboard.pages.compare.lanes import draw
from dashboard.pages.compare.manifests import OLD_TEMPLATE, list_changed
from dashboard.pages.compare.markdown import write_markdown
from dashboard.pages.compare.readings import compare
from dashboard.pages.compare.workloads import judge
from dashboard.plots.beside import Picture, make_lane, make_stretch, zoom
from lifecycle.input.differences import Field, list_fields
from lifecycle.models import Cluster, StoredObject
from tests.dashboard.conftest import make_cluster, make_user, record
from tests.dashboard.rows import pod_life, transition

WEB = {"name": "web", "image": "a:1"}


@pytest.mark.parametrize(
    "one, other, expected",
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="alike"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, [("a.b", "1", "2")], id="a number"),
        pytest.param({}, {"a": {"b": 5}}, [("a", "", "{b: 5}")], id="what is new as a whole"),
        pytest.param({"a": [1, 2]}, {"a": [1]}, [("a[1]", "2", "")], id="without names by place"),
        pytest.param(
            {"c": [WEB, {"name": "log"}]},
            {"c": [{"name": "log"}, WEB | {"image": "a:2"}]},
            [("c[web].image", "a:1", "a:2")],
            id="by name, in any order",
        ),
        pytest.param(
            {"c": [WEB, WEB]},
            {"c": [WEB, {"name": "web"}]},
            [("c[1].image", "a:1", "")],
            id="names that are twice",
        ),
        pytest.param({"a": None}, {"a": ""}, [("a", "null", '""')], id="null and an empty text"),
        pytest.param({"a": True}, {"a": "true"}, [("a", "true", "true")], id="a text that looks like it"),
        pytest.param({"a": "x" * 300}, {"a": 1}, [("a", "x" * 199 + "…", "1")], id="cut"),
        pytest.param({"a": {"b": 1}}, {"a": [1]}, [("a", "{b: 1}", "[1]")], id="another kind of value"),
    ],
)
def test_fields_that_differ_are_named_by_their_path(one: Any, other: Any, expected: list[Any]) -> None:
    assert list(list_fields(one, other)) == [Field(*each) for each in expected]


def store(cluster: Cluster, kind: str, name: str, data: dict[str, Any], **more: Any) -> None:
    version = "apps/v1" if kind == "Deployment" else "v1"
    meta = {
        "name": name,
        "namespace": "shop",
        "uid": f"{cluster.pk}-{name}",
        "resourceVersion": str(cluster.pk),
    }
    whole = {"apiVersion": version, "kind": kind, "metadata": meta | more.pop("meta", {}), **data}
    StoredObject.objects.create(
        cluster=cluster, uid=f"{kind}-{name}", kind=kind, group=version.rpartition("/")[0], namespace="shop",
        name=name, rv=1, data=whole, **more,
    )  # fmt: skip


def web(**spec: Any) -> dict[str, Any]:
    container = {"name": "app", "image": "nginx"} | spec
    return {"spec": {"template": {"spec": {"containers": [container]}}}, "status": {"replicas": 3}}


@pytest.fixture
def pair(client: Any) -> tuple[Cluster, Cluster]:
    ada = make_user()
    client.force_login(ada)
    return make_cluster(ada, "one"), make_cluster(ada, "two")


@pytest.mark.django_db
def test_only_what_people_wrote_is_compared(pair: tuple[Cluster, Cluster]) -> None:
    one, two = pair
    for cluster in pair:
        store(cluster, "Deployment", "same", web(), meta={"generation": cluster.pk})
        store(cluster, "Endpoints", "same", {"subsets": [{"x": cluster.pk}]})
        store(cluster, "Pod", "owned", {"spec": {"x": cluster.pk}}, owner="ReplicaSet/same")
        store(cluster, "ConfigMap", "gone", {"data": {"x": str(cluster.pk)}}, deleted_ms=1)
    store(one, "Deployment", "web", web())
    store(two, "Deployment", "web", web(lifecycle={"preStop": {"sleep": {"seconds": 5}}}))
    store(two, "ConfigMap", "new", {"data": {}})
    changed, more = list_changed(one, two)
    assert ([each.name for each in changed], more) == (["ConfigMap shop/new", "Deployment shop/web"], 0)
    assert changed[0].only == "two"
    path = "spec.template.spec.containers[app].lifecycle"
    assert changed[1].fields == [Field(path, "", "{preStop: {sleep: {seconds: 5}}}")]
    text = write_markdown(compare(one, two))
    assert f"| Deployment shop/web {path} | – | {{preStop: {{sleep: {{seconds: 5}}}}}} |" in text
    assert "| ConfigMap shop/new | only in two | |" in text
    # Pods of before have the template of before: documentation of container lifecycle hooks.
    assert changed[1].note == OLD_TEMPLATE and not changed[0].note


@pytest.mark.parametrize(
    "both, is_more_better, is_judged, expected",
    [
        ([2, 0], True, True, ("2", "0, worse")),
        ([0, 2], True, True, ("0", "2, better")),
        ([0, 2], False, True, ("0", "2, worse")),
        ([5, 2], False, True, ("5", "2, better")),
        ([5, 2], False, False, ("5", "2")),
        ([5, 5], False, True, ("5", "5")),
        ([None, 2], False, True, ("–", "2")),
        ([2, None], True, True, ("2", "–")),
    ],
)
def test_a_figure_says_in_words_which_is_better(both, is_more_better, is_judged, expected) -> None:
    assert judge(both, str, is_more_better, is_judged) == expected


# --- lanes ------------------------------------------------------------------------------------------------


def state(at_ms: int, new: str, name: str, old: str | None = None) -> dict[str, Any]:
    return transition(at_ms, "state", new, name, old=old)


@pytest.mark.slow
@pytest.mark.django_db
def test_pods_of_one_stand_over_those_of_the_other_and_what_went_alike_is_left_out(pair) -> None:
    one, two = pair
    common = [*(state(1000, "ready", name) for name in ("same", "moved", "stayed"))]
    record(one, [*common, state(12_000, "terminating", "moved", "ready")])
    record(two, [*common, state(15_000, "crashing", "moved", "ready"), state(16_000, "ready", "fresh")])
    for cluster in pair:
        StoredObject.objects.filter(cluster=cluster).update(state="ready")
    sides = tuple((cluster, read_history(cluster, 10_000, 60_000)) for cluster in pair)
    picture = draw(sides, [], 10_000, 60_000)
    assert picture is not None
    told = [
        [(lane.name, [bar.stretch.word for bar in lane.bars]) for lane in side.lanes]
        for side in picture.sides
    ]
    assert told == [
        [("default/moved", ["Ready", "Terminating"])],
        [("default/moved", ["Ready", "Crashing"]), ("default/fresh", ["Ready"])],
    ]
    # What was before the first change is known from that, and begins where the two part.
    assert picture.sides[0].lanes[0].bars[0].stretch.start_ms == 10_000
    assert (picture.begin_ms, picture.end_ms) == (11_000, 17_000)


@pytest.mark.django_db
def test_a_pod_that_one_left_alone_is_drawn_as_it_was_then(pair) -> None:
    one, two = pair
    record(one, [state(1000, "ready", "web"), state(90_000, "failed", "web", "ready")])
    record(two, [state(1000, "ready", "web"), state(20_000, "failed", "web", "ready")])
    StoredObject.objects.filter(cluster=one).update(state="failed")
    sides = tuple((cluster, read_history(cluster, 10_000, 60_000)) for cluster in pair)
    picture = draw(sides, [], 10_000, 60_000)
    assert picture is not None
    told = [[bar.stretch.word for bar in side.lanes[0].bars] for side in picture.sides]
    assert told == [["Ready"], ["Ready", "Failed"]]


@pytest.mark.django_db
def test_two_that_went_alike_have_no_picture_and_no_reasons(pair) -> None:
    for cluster in pair:
        record(cluster, pod_life())
    told = compare(*pair)
    assert (told.picture, told.first, told.reasons) == (None, None, [[], []])


@pytest.mark.parametrize(
    "instants, expected",
    [
        ([], (0, 100_000)),
        ([0, 100_000], (0, 100_000)),
        ([20_000, 60_000], (15_000, 65_000)),
        ([20_000], (19_000, 21_000)),
        ([500, 99_500], (0, 100_000)),
    ],
)
def test_the_axis_shows_what_changed_with_room_beside(instants: list[int], expected: tuple[int, int]) -> None:
    assert zoom(instants, 0, 100_000) == expected


@pytest.mark.parametrize(
    "end_ms, words",
    [
        (5_000, ["0", "1s", "2s", "3s", "4s"]),
        (50_000, ["0", "10s", "20s", "30s", "40s"]),
        (40 * 3_600_000, ["0", "12h 00m", "1d 00h", "1d 12h"]),
        # At 95 % of it "6m 00s" would stand beside a phone's screen.
        (379_000, ["0", "2m 00s", "4m 00s"]),
    ],
)
def test_ticks_are_round_instants_with_room_for_their_words(end_ms: int, words: list[str]) -> None:
    assert [tick.word for tick in Picture(0, end_ms, ()).ticks] == words


def test_bars_stay_within_the_axis_and_lanes_are_told_in_words() -> None:
    picture = Picture(10_000, 20_000, ())
    lane = make_lane(
        picture, "web", [make_stretch(0, 15_000, "pending"), make_stretch(15_000, 99_000, "what")]
    )
    assert [(bar.left, bar.width) for bar in lane.bars] == [(0.0, 50.0), (50.0, 50.0)]
    assert lane.told == "web: Pending 00:00:00.0 to 00:00:15.0, Unknown 00:00:15.0 to 00:01:39.0"
    assert make_lane(picture, "web", []).told == "web: not there"
    many = [make_stretch(at, at + 1, "ready") for at in range(10_000, 10_020)]
    assert make_lane(picture, "web", many).told.endswith(", and 12 more")

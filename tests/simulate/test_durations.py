"""Times of containers are told as assumed or measured, by what they stand on."""

import json

import pytest

from lifecycle.engine.objects.names import BEHAVIOR
from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.command_line import main
from lifecycle.simulation.durations import describe_bases, list_bases
from lifecycle.simulation.run import run
from tests.simulate.running import summarize
from tests.texts import read_manifests

IMAGE = "shop/api:1.4"


def pod(name="api", image=IMAGE, command=None, **annotations):
    container = {"name": "app", "image": image} | ({"command": command} if command else {})
    metadata = {"name": name, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def profile(behavior, note="", image=IMAGE):
    metadata = {"name": "of-it"} | ({"annotations": {"podline.dev/measured": note}} if note else {})
    spec = {"match": {"image": image}, "behavior": behavior}
    return {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "ContainerProfile",
        "metadata": metadata,
        "spec": spec,
    }


ALL = {
    "pull": {"takes": "4s"},
    "start": {"takes": "300ms..1s"},
    "listens": {"after": {"normal": ["9s", "2s"]}},
}
NOTE = "pull 12 samples; start 12 samples, each to 1s; ready 9 samples; 2026-11-27T10:00:00Z"


def write(*objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects]})


def bases_of(*objects, timing=None):
    plan = make_plan(read_manifests(write(*objects)), Overrides(untils=(read_until("1m"),), timing=timing))
    return list_bases(run(plan, Nobody())[1])


class Nobody:
    """A sink that keeps nothing."""

    def take(self, _changes):
        pass


HOW = " (podline calibrate measures them)"


@pytest.mark.parametrize(
    "objects, told",
    [
        pytest.param([pod()], [f"assumed times: pull, start and ready of {IMAGE}{HOW}"], id="unknown"),
        pytest.param([pod(image="nginx:1.27")], [f"assumed times: pull, start and ready of nginx:1.27{HOW}"],
                     id="a known image: its times are assumed, too"),
        pytest.param([pod(image="busybox", command=["sh", "-c", "sleep 1d"])],
                     [f"assumed times: pull and start of busybox{HOW}"], id="a script does what it says"),
        pytest.param([pod(), profile(ALL, NOTE)],
                     [f"measured: {IMAGE}: pull 4s (12 samples), start 300ms..1s (12 samples, each to 1s),"
                      " ready 9s ±2s (9 samples)"], id="all measured"),
        pytest.param([pod(), profile({"pull": ALL["pull"]}, NOTE)],
                     [f"measured: {IMAGE}: pull 4s (12 samples)",
                      f"assumed times: start and ready of {IMAGE}{HOW}"], id="the pull alone"),
        pytest.param([pod(), profile(ALL)], [], id="stated in a profile that nobody measured"),
        pytest.param([pod(), profile(ALL, "pull 12 samples")], [f"measured: {IMAGE}: pull 4s (12 samples)"],
                     id="what was stated by hand beside what was measured"),
        pytest.param([pod(**{BEHAVIOR: "app: {pull: {takes: 1s}, start: {takes: 1s}, listens: {after: 1s}}"}),
                      profile(ALL, NOTE)], [], id="an annotation comes before a profile"),
        pytest.param([pod(), pod("own", "shop/own:1"), profile(ALL, NOTE)],
                     [f"measured: {IMAGE}: pull 4s (12 samples), start 300ms..1s (12 samples, each to 1s),"
                      " ready 9s ±2s (9 samples)",
                      f"assumed times: pull, start and ready of shop/own:1{HOW}"],
                     id="one of two images"),
    ],
)  # fmt: skip
def test_each_time_is_assumed_measured_or_stated(objects, told):
    assert [*describe_bases(bases_of(*objects))] == told


def test_timing_without_latencies_assumes_none():
    assert [(one.part, one.is_measured) for one in bases_of(pod(), timing="instant")] == [("ready", False)]


def test_a_verdict_holds_without_a_condition_where_the_image_was_measured():
    bare, measured = summarize(write(pod()), "1m"), summarize(write(pod(), profile(ALL, NOTE)), "1m")
    assert f"if {IMAGE} can be pulled and starts" in bare
    assert f"assumed to start and answer: {IMAGE}" in bare
    assert "can be pulled" not in measured
    assert "assumed to start and answer" not in measured
    assert f"measured: {IMAGE}: pull 4s (12 samples)" in measured


@pytest.mark.parametrize(
    "objects, measured, assumed",
    [
        pytest.param([pod()], [], ["pull", "start", "ready"], id="assumed"),
        pytest.param([pod(), profile(ALL, NOTE)], ["pull", "start", "ready"], [], id="measured"),
    ],
)
def test_json_has_what_is_measured_and_what_is_assumed(objects, measured, assumed, tmp_path, capfdbinary):
    (tmp_path / "a.json").write_text(write(*objects))
    assert main([str(tmp_path / "a.json"), "-o", "json", "--until", "1m"]) == 0
    data = json.loads(capfdbinary.readouterr().out)
    assert [one["part"] for one in data["measured"]] == measured
    assert [one["part"] for one in data["assumed"]] == assumed
    assert {(one["image"], one["profile"]) for one in data["measured"]} <= {(IMAGE, "of-it")}


@pytest.mark.parametrize("objects, told", [([pod()], 0), ([pod(), profile(ALL, NOTE)], 1)])
def test_beside_rows_it_is_told_where_something_was_measured(objects, told, tmp_path, capfdbinary):
    (tmp_path / "a.json").write_text(write(*objects))
    main([str(tmp_path / "a.json"), "-o", "ndjson", "--until", "1m"])
    assert capfdbinary.readouterr().err.decode().count("measured: ") == told

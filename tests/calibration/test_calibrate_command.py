"""`podline calibrate`: what it takes, what it writes where, and its exit status."""

import io
import json
import sys

import pytest
import yaml

from lifecycle.calibration.profiles import make_measured_profile
from lifecycle.engine.objects.names import MEASURED
from lifecycle.engine.programs.profiles import choose_profile, read_profile
from lifecycle.engine.rules.validation.words.names import check_subdomain
from podline.command import main
from tests.calibration.dumping import IMAGE, make_container, make_event, make_pod, make_pulled, measure_image

OBJECTS = [make_pod(), make_pulled("00:03"), make_event("Started", "00:04")]


def write(objects):
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})


def run(capsys, *words):
    status = main(["calibrate", *map(str, words)])
    return status, *capsys.readouterr()


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_file_becomes_profiles(form, tmp_path, capsys):
    file = tmp_path / f"dump.{form}"
    text = write(OBJECTS)
    file.write_text(text if form == "json" else yaml.safe_dump(json.loads(text)))
    status, out, err = run(capsys, file)
    (profile,) = [one for one in yaml.safe_load_all(out) if one]
    assert (status, err) == (0, "")
    assert profile["kind"] == "ContainerProfile"
    assert profile["metadata"]["name"].startswith("measured-api-1-4-")
    assert profile["spec"]["match"] == {"image": IMAGE}
    assert profile["spec"]["behavior"] == {"pull": {"takes": "2300ms"}, "start": {"takes": "1ms..1999ms"}}
    assert profile["metadata"]["annotations"][MEASURED] == (
        "pull 1 sample; start 1 sample, to 2s; 2026-11-27T10:00:03Z to 2026-11-27T10:00:05Z"
    )


def test_standard_input_a_folder_and_several_files_are_one_dump(tmp_path, capsys, monkeypatch):
    folder = tmp_path / "dumps"
    folder.mkdir()
    (folder / "notes.txt").write_text("taken on Friday")
    (folder / "pods.json").write_text(write(OBJECTS[:1]))
    (tmp_path / "events.json").write_text(write(OBJECTS[1:2]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(write(OBJECTS[2:]).encode())))
    status, out, err = run(capsys, folder, tmp_path / "events.json", "-", "-o", "table")
    assert (status, err) == (0, "shop/api:1.4: not taken: ready: no readiness or startup probe, so that being"
                                " ready tells nothing of its program (1 time)\n")  # fmt: skip
    assert out == (
        "IMAGE          SAMPLES   PULL     START         READY    RESTARTS\n"
        "shop/api:1.4   1/1/0     2300ms   1ms..1999ms   <none>   0\n"
    )


@pytest.mark.parametrize(
    "text, status, said",
    [
        pytest.param(write([make_pod()]), 1, "no events of containers", id="pods alone"),
        pytest.param(
            write([make_event("Started", "00:04")]), 1, "nothing could be measured of 0 pods", id="no pull"
        ),
        pytest.param(write([]), 2, "no pods and no events", id="an empty list"),
        pytest.param("{}", 2, "no pods and no events", id="no object"),
        pytest.param(write([{"apiVersion": "v1", "kind": "Node"}]), 2, "no pods and no events", id="a Node"),
        pytest.param("a: [", 2, "not valid YAML", id="no YAML"),
        pytest.param("hello", 2, "a manifest is a mapping", id="text"),
        pytest.param('{"apiVersion": "v1", "kind": "List", "items": [1]}', 2, "items[0]: must be an object",
                     id="an item that is none"),
        pytest.param(b"\xff\xfa\x00", 2, "not valid UTF-8", id="bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_measured_is_said(text, status, said, tmp_path, capsys):
    file = tmp_path / "dump.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    found, out, err = run(capsys, file)
    assert (found, out, said in err) == (status, "", True), err


def test_profiles_carry_what_is_in_doubt_and_what_was_not_taken(tmp_path, capsys):
    file = tmp_path / "dump.json"
    second = [make_pod("api-1"), make_pulled("09:00", "300ms", pod="api-1")]
    file.write_text(
        write([make_pod(containers=[make_container(imagePullPolicy="Always")]), *OBJECTS[1:], *second])
    )
    _, out, _ = run(capsys, file)
    remarks = [line for line in out.splitlines() if line.startswith(("# in doubt", "# not taken"))]
    assert remarks == [
        "# in doubt: pull: imagePullPolicy Always: where the node had the image, it was a look at the"
        " registry",
        "# not taken: pull: the node had the image, so that this was a look at the registry (1 time)",
        "# not taken: ready: no readiness or startup probe, so that being ready tells nothing of its program"
        " (2 times)",
    ]


def test_a_file_that_is_not_there_is_bad_input(tmp_path, capsys):
    status, out, err = run(capsys, tmp_path / "missing.yaml")
    assert (status, out) == (2, "")
    assert "missing.yaml: cannot be read" in err


@pytest.mark.parametrize(
    "image",
    [
        "nginx",
        "nginx:1.27",
        "registry.example:5000/Team/api_server:v1.2+build",
        f"shop/api@sha256:{'0123456789abcdef' * 4}",
        f"shop/api:1@sha256:{'0123456789abcdef' * 4}",
        "shop/weird[1]*?:x",
        "a" * 900,
    ],
)
def test_a_profile_is_of_this_very_image_and_has_a_legal_name(image):
    pulled = make_pulled("00:03", image=image)
    found = measure_image(make_pod(containers=[make_container(image=image)]), pulled, image=image)
    data = make_measured_profile(found, "now")
    profile, problems = read_profile(data)
    assert (problems, check_subdomain(data["metadata"]["name"])) == ((), [])
    assert choose_profile([profile], image, "app", {}) is profile
    assert choose_profile([profile], f"{image}x", "app", {}) is None


def test_names_of_profiles_differ_as_their_images_do():
    images = ["a/api:1", "b/api:1", "a/api-1", "a/API:1", "a/api:1@sha256:00"]
    names = set()
    for image in images:
        found = measure_image(
            make_pod(containers=[make_container(image=image)]), make_pulled("00:03"), image=image
        )
        names.add(make_measured_profile(found, "now")["metadata"]["name"])
    assert len(names) == len(images)

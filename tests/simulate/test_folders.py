"""What is right in a folder runs, and all that is wrong is named at once."""

import pytest

from lifecycle.input.problems import ManifestError
from lifecycle.simulation.plan import Overrides, make_plan, take_inputs

POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: nginx}]}}"
UNKNOWN_FIELD = POD.replace("spec: {", "spec: {colour: red, ").replace("name: web", "name: field")
REFUSED_VALUE = POD.replace("name: web", "name: Not_A_Name")
NO_KIND = "{apiVersion: v1, kind: Podd, metadata: {name: kind}}"
NOT_YAML = "apiVersion: v1\nkind: Pod\n\tmetadata: {}"
ENCRYPTED = (
    "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: 'ENC[AES256_GCM,data:q]'},"
    " sops: {mac: 'ENC[AES256_GCM,data:m]', version: 3.8.1, lastmodified: '2024-01-01T00:00:00Z'}}"
)
SCENARIO = "{apiVersion: podline.dev/v1alpha1, kind: Scenario, metadata: {name: s}, spec: {untill: 5m}}"
WRONG = {
    "an unknown field": (UNKNOWN_FIELD, 'unknown field "colour"'),
    "a refused value": (REFUSED_VALUE, 'metadata.name: Invalid value: "Not_A_Name"'),
    "an unknown kind": (NO_KIND, 'no matches for kind "Podd"'),
    "no YAML": (NOT_YAML, "not valid YAML"),
    "a file of SOPS": (ENCRYPTED, "sops: encrypted with SOPS; decrypt it first (sops -d "),
}


def plan(names, is_strict=False):
    reading = take_inputs([str(name) for name in names])
    lenient = frozenset() if is_strict else reading.lenient
    return make_plan(reading.documents, Overrides(), reading.report.refused, lenient)


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return folder


@pytest.mark.parametrize("text, told", WRONG.values(), ids=WRONG)
def test_what_is_right_runs_and_what_is_not_is_named(tmp_path, text, told):
    made = plan([write(tmp_path, wrong=text, right=POD)])
    assert made.subjects == ("Pod web",)
    (problem,) = made.refused
    assert told in str(problem) and problem.source == f"{tmp_path}/wrong.yaml"


@pytest.mark.parametrize("text, told", WRONG.values(), ids=WRONG)
def test_all_or_nothing_where_that_is_asked_for_or_a_file_is_named(tmp_path, text, told):
    folder = write(tmp_path, wrong=text, right=POD)
    for names, is_strict in (([folder], True), ([folder / "wrong.yaml", folder / "right.yaml"], False)):
        with pytest.raises(ManifestError) as caught:
            plan(names, is_strict)
        assert told in str(caught.value)


def test_a_file_that_is_named_beside_a_folder_must_be_right(tmp_path):
    (tmp_path / "folder").mkdir()
    write(tmp_path / "folder", wrong=NO_KIND, right=POD)
    assert len(plan([tmp_path / "folder", write(tmp_path, own=POD) / "own.yaml"]).refused) == 1
    with pytest.raises(ManifestError):
        plan([tmp_path / "folder", write(tmp_path, own=UNKNOWN_FIELD) / "own.yaml"])


def test_everything_that_is_wrong_anywhere_is_told_in_one_round(tmp_path):
    file = write(tmp_path, all="\n---\n".join([REFUSED_VALUE, UNKNOWN_FIELD, POD, NO_KIND])) / "all.yaml"
    with pytest.raises(ManifestError) as caught:
        plan([file])
    assert [problem.document for problem in caught.value.problems] == [1, 2, 4]


@pytest.mark.parametrize("others", [{"right": POD}, {"right": POD, "more": NO_KIND}])
def test_a_scenario_that_is_wrong_is_never_left_out(tmp_path, others):
    with pytest.raises(ManifestError, match="untill"):
        plan([write(tmp_path, scenario=SCENARIO, **others)])


def test_a_folder_with_nothing_right_runs_nothing(tmp_path):
    with pytest.raises(ManifestError):
        plan([write(tmp_path, one=NO_KIND, other=REFUSED_VALUE)])


CONFIG = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}"
NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"
LIST = "{{apiVersion: v1, kind: List, items: [{}]}}"


@pytest.mark.parametrize(
    "text, is_moved",
    [
        pytest.param(f"{CONFIG}\n---\n{NAMESPACE}", True, id="below what stands in it"),
        pytest.param(f"{NAMESPACE}\n---\n{CONFIG}", False, id="above it"),
        pytest.param(f"{POD}\n---\n{NAMESPACE}\n---\n{CONFIG}", False, id="below another"),
        pytest.param(LIST.format(f"{CONFIG}, {NAMESPACE}"), True, id="in a list"),
    ],
)
def test_the_namespaces_of_a_file_go_first(tmp_path, text, is_moved):
    reading = take_inputs([str(write(tmp_path, all=text) / "all.yaml")])
    assert reading.documents[0].subject == "Namespace shop"
    said = "Namespace shop is made first, though below what stands in it"
    assert any(note.startswith(said) for note in reading.report.list_notes()) is is_moved


@pytest.mark.parametrize("items", ["items: null", "items: []", "metadata: {}"])
def test_a_list_of_nothing_holds_nothing(tmp_path, items):
    text = f"{{apiVersion: v1, kind: List, {items}}}"
    assert plan([write(tmp_path, all=f"{text}\n---\n{POD}") / "all.yaml"]).subjects == ("Pod web",)

"""What the API server shows of a refused struct is read from Kubernetes' Go source."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lifecycle.management import table_files
from lifecycle.management.commands import generate_structs

CORE = """
type Shelf struct {
\tmetav1.TypeMeta
\tmetav1.ObjectMeta
\t// What is on it.
\tBoxes []Box
\tFirst *Box
\tLast Box
\tSelector *metav1.LabelSelector
\tBoxSource
\tGone *metav1.Time
}

type Box struct {
\tName string
\tColor Color
\tWWIDs []string
\tSize int32 // in metres
\tWeight *int64
\tIsOpen bool
\tPort intstr.IntOrString
\tLimit resource.Quantity
\tLabels map[string]string
\tWithin List
}

type BoxSource struct {
\tPool string
}

type Color string

type List map[string]Color

type NotAsked struct {
\tName string
}
"""
SERVED = """
type BoxSource struct {
\tPool string `json:"rbdPool"`
}

type Box struct {
\tName string `json:"name"`
\tWWIDs []string `json:"wwids,omitempty" protobuf:"1"`
}
"""


LAYOUTS = {
    "kubernetes itself": ("", "staging/src/"),
    "vendored": ("vendor/k8s.io/kubernetes/", "vendor/"),
}


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS.keys())
def source(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own, modules = request.param
    for name, text in (
        (f"{own}pkg/apis/core", CORE),
        (f"{own}pkg/apis/batch", "type Box struct {\n\tOther string\n}\n"),
        (f"{modules}k8s.io/api/core/v1", SERVED),
        # The audit log's own structs are not those of a rule.
        (f"{modules}k8s.io/apiserver/pkg/apis/audit", "type Time struct {\n\tOther string\n}\n"),
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "types.go").write_text(text)
    (tmp_path / "v1_35").mkdir()
    monkeypatch.setattr(table_files, "FOLDER", tmp_path)
    return tmp_path


def test_structs_are_written_in_the_order_of_their_fields(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate_structs, "ROOTS", ["Shelf"])
    call_command("generate_structs", "v1.35", str(source), verbosity=0)
    made: dict[str, str] = {}
    exec((source / "v1_35/go_structs.py").read_text(), made)
    assert made["STRUCTS"].strip().splitlines() == [
        "Box = Name Color WWIDs@wwids? Size=0 Weight? IsOpen=no Port=0 Limit=zero Labels? Within?",
        "BoxSource = Pool@rbdPool",
        "Shelf = +ObjectMeta Boxes:[Box First:?Box Last:Box Selector:?LabelSelector +BoxSource Gone?",
    ]


def test_a_folder_without_a_struct_that_rules_show_is_refused(source: Path) -> None:
    with pytest.raises(CommandError, match=r"no .*PodTemplateSpec.* in pkg/apis"):
        call_command("generate_structs", "v1.35", str(source))

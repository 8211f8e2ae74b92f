"""Texts with a type of their own are read from Kubernetes' Go source."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lifecycle.management import table_files

META = 'type Meta struct {\n\tUID types.UID `json:"uid,omitempty"`\n}\n'
CORE = """
type Policy string

type Port struct {
\tProtocol Protocol `json:"protocol,omitempty"`
\tName string `json:"name"`
}

type Protocol string

type Box struct {
\tPolicy *Policy `json:"policy"`
\tKinds []Policy `json:"kinds"`
\tKind string `json:"kind"`
\tSize int32 `json:"size"`
}
"""
OTHER = """
type Port struct {
\tProtocol *v1.Protocol `json:"protocol"`
}

type Shelf struct {
\tPolicy v1.Policy `json:"policy"`
}

type Kind string

type Box struct {
\tKind Kind `json:"kind"`
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in (
        ("k8s.io/apimachinery/pkg/apis/meta/v1", META),
        ("k8s.io/api/core/v1", CORE),
        ("k8s.io/api/other/v1", OTHER),
        ("k8s.io/api/other/v1alpha1", OTHER.replace("Shelf", "NotYet")),
        # Nobody serves these: what is logged, and what a component is configured with.
        ("k8s.io/apiserver/pkg/apis/audit/v1", OTHER.replace("Shelf", "Logged")),
        ("k8s.io/kubelet/config/v1", OTHER.replace("Shelf", "Configured")),
    ):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "types.go").write_text(text)
    return tmp_path


def test_texts_are_named_as_their_structs_declare_them(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "FOLDER", source)
    (source / "v1_35").mkdir()
    call_command("generate_names", "v1.35", str(source), verbosity=0)
    made: dict = {}
    exec((source / "v1_35/named_texts.py").read_text(), made)
    assert made["NAMED_TEXTS"] == {
        # Box.kind is a plain text in one of the two.
        "Box": {"kinds": "Policy", "policy": "Policy"},
        "Meta": {"uid": "types.UID"},
        "Port": {"protocol": "Protocol"},
        "Shelf": {"policy": "v1.Policy"},
    }


def test_a_folder_without_types_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no k8s.io/apimachinery/pkg/apis/meta/v1/types.go below"):
        call_command("generate_names", "v1.35", str(tmp_path))

"""Gates are read from Kubernetes' Go source."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lifecycle.management import table_files

GO = """
const (
\tNewThing featuregate.Feature = "NewThing"
\tOldName featuregate.Feature = "SpelledOtherwise"
\tLater featuregate.Feature = "Later"
)

var defaults = map[featuregate.Feature]featuregate.VersionedSpecs{
\tNewThing: {
\t\t{Version: version.MustParse("1.33"), Default: false, PreRelease: featuregate.Alpha},
\t\t{Version: version.MustParse("1.35"), Default: true, PreRelease: featuregate.Beta},
\t\t{Version: version.MustParse("1.36"), Default: true, PreRelease: featuregate.GA, LockToDefault: true},
\t},
\tOldName: {
\t\t{Version: version.MustParse("1.9"), Default: true, PreRelease: featuregate.Beta},
\t\t{Version: version.MustParse("1.34"), Default: false, LockToDefault: true, PreRelease: featuregate.GA},
\t},
\tLater: {
\t\t{Version: version.MustParse("1.36"), Default: false, PreRelease: featuregate.Alpha},
\t},
}
"""
CLIENT = """
const ClientThing Feature = "ClientThing"

func gates() {
\treturn map[Feature]VersionedSpecs{
\t\tClientThing: {
\t\t\t{Version: version.MustParse("1.30"), Default: true, PreRelease: Beta},
\t\t},
\t}
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name, text in (
        ("pkg/features/kube_features.go", GO),
        ("client-go/features/known_features.go", CLIENT),
        ("test/features/kube_features.go", GO.replace("NewThing", "OfATest")),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path


def test_gates_are_as_the_release_sets_them(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "FOLDER", source)
    (source / "v1_35").mkdir()
    call_command("generate_gates", "v1.35", str(source), verbosity=0)
    made: dict = {}
    exec((source / "v1_35/gates.py").read_text(), made)
    assert made["GATES"] == {
        "ClientThing": "Beta on",
        "NewThing": "Beta on",
        "SpelledOtherwise": "GA off locked",
    }


def test_a_folder_without_gates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"no pkg/features/kube_features.go below"):
        call_command("generate_gates", "v1.35", str(tmp_path))

"""`manage.py follow` names the modules to read again, in any checkout that has Kubernetes in it."""

from __future__ import annotations

import subprocess
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from lifecycle.management.commands.follow import follow
from lifecycle.management.sources import SourceError, read_change, vendored

LANDMARK = "staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go"
WORKER, DRAIN = "pkg/kubelet/prober/worker.go", "staging/src/k8s.io/kubectl/pkg/drain/drain.go"
SYNC, GONE = "pkg/controller/deployment/sync.go", "pkg/kubelet/gone.go"
MODELS = {
    "clients/drain": (DRAIN,),
    "kubelet/gone": (GONE,),
    "kubelet/prober": (WORKER,),
    "rules/pods/probe_rules": (WORKER,),
    "rules/unchanged": (SYNC,),
}
BEFORE = {
    LANDMARK: "package validation\n",
    DRAIN: "package drain\n\nfunc Drain() {\n\treturn 1\n}\n",
    GONE: "package kubelet\n",
    SYNC: "package deployment\n",
    WORKER: "package prober\n\nfunc (w *worker) doProbe() {\n\treturn false\n}\n",
}
AFTER = {
    **BEFORE,
    WORKER: "package prober\n\nfunc (w *worker) doProbe() {\n\treturn true\n\n}\n",
    DRAIN: "package drain\n\nfunc Drain() {\n\treturn 2\n}\n",
    "pkg/kubelet/prober/new_worker.go": "package prober\n",
    "pkg/kubelet/prober/new_worker_test.go": "package prober\n",
}
PLACES = {
    "kubernetes itself": lambda path: path,
    "a copy in a folder": lambda path: f"deps/kubernetes/{path}",
    "a vendoring repository": vendored,
}
EXPECTED = f"""\
clients: 1 of 1 modules
  clients/drain
    {DRAIN} +1 -1  in Drain

kubelet: 2 of 2 modules
  kubelet/gone
    {GONE} is not there any more: find where it went
  kubelet/prober
    {WORKER} +2 -1  in doProbe

rules: 1 of 2 modules
  rules/pods/probe_rules
    {WORKER} +2 -1  in doProbe

New files beside those, which no module models:
  pkg/kubelet/prober/new_worker.go

Read again: 4 of 5 modules, for 3 changed files of 4.""".splitlines()


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def commit(folder: Path, files: dict[str, str], tag: str) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", tag)
    git(folder, "tag", tag)


def make_checkout(folder: Path, place) -> Path:
    """A repository with the tags v1 and v2, in which Kubernetes' files are where `place` puts them."""
    git(folder, "init", "--quiet")
    commit(folder, {place(path): text for path, text in BEFORE.items()}, "v1")
    (folder / place(GONE)).unlink()
    commit(folder, {place(path): text for path, text in AFTER.items() if path != GONE}, "v2")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_modules_whose_files_changed_are_listed_wherever_the_files_are(tmp_path: Path, place):
    folder = make_checkout(tmp_path, place)
    lines = "\n".join(follow(folder, "v1", "v2", MODELS)).splitlines()
    assert lines[2:] == EXPECTED


def test_a_bare_git_folder_will_do_and_nothing_changes_between_one_revision(tmp_path: Path):
    folder = make_checkout(tmp_path, PLACES["kubernetes itself"])
    *_, last = follow(folder / ".git", "v2", "v2", MODELS)
    assert last == "Read again: 0 of 5 modules, for 0 changed files of 4."


def test_a_file_that_no_revision_has_is_named(tmp_path: Path):
    folder = make_checkout(tmp_path, PLACES["kubernetes itself"])
    lines = list(follow(folder, "v1", "v2", {"rules/elsewhere": ("pkg/elsewhere.go",)}))
    assert "  pkg/elsewhere.go" in lines


def test_the_command_prints_the_report(tmp_path: Path):
    folder, said = make_checkout(tmp_path, PLACES["kubernetes itself"]), StringIO()
    call_command("follow", "v1", "v2", source=str(folder), stdout=said)
    assert "  rules/pods/probe_rules\n" in said.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words, names",
    [
        pytest.param("Probe", ["rules/pods/probe_rules"], id="a function that is named so has changed"),
        pytest.param("newWorker", [], id="no such function has changed"),
    ],
)
def test_of_a_file_that_many_model_functions_tell_whom_a_change_concerns(
    tmp_path: Path, words: str, names: list[str]
):
    folder = make_checkout(tmp_path, PLACES["kubernetes itself"])
    functions = {WORKER: {"rules/pods/probe_rules": words}}
    lines = follow(folder, "v1", "v2", {"rules/pods/probe_rules": (WORKER,)}, functions)
    assert [line.strip() for line in lines if line.startswith("  rules/")] == names


DIFF = """\
--- a/worker.go
+++ b/worker.go
@@ -1 +1,2 @@
-import "old/log"
+import "new/log"
+// A comment.
@@ -10 +11 @@ const (
-	maxRestarts = 3
+	maxRestarts = 5
@@ -20,0 +22,2 @@ func (w *worker) doProbe(ctx context.Context) bool {
+	if w.onHold {
+	}
@@ -40,3 +43 @@ func newWorker() *worker {
-func gone() {
-	return
-}
+func added() {}
"""


@pytest.mark.parametrize(
    "words, places",
    [
        ("", ["doProbe", "newWorker", "gone", "added", "what is outside of functions"]),
        ("probe", ["doProbe"]),
        ("Restarts", ["what is outside of functions"]),
        ("Added Gone", ["gone", "added"]),
        ("log", []),
        ("comment", []),
    ],
)
def test_a_diff_tells_which_functions_differ(words: str, places: list[str]):
    change = read_change("worker.go", DIFF)
    assert (change.added, change.removed) == (6, 5)
    assert change.list_places(words.split()) == places
    assert change.concerns(words.split()) == bool(places)


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder, revision, said",
    [
        pytest.param("absent", "v1", "absent: there is no such folder", id="no folder"),
        pytest.param("plain", "v1", "not a git repository", id="no repository"),
        pytest.param("other", "v9", "other has no revision v9; ", id="no such revision"),
        pytest.param("other", "--all", "other has no revision --all; ", id="an option is no revision"),
        pytest.param("other", "v1", "has no Kubernetes in it", id="another project"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_would_be_right(
    tmp_path: Path, monkeypatch, folder: str, revision: str, said: str
):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    (tmp_path / "plain").mkdir()
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "--quiet")
    commit(tmp_path / "other", {"README": "another project\n"}, "v1")
    with pytest.raises(SourceError, match=said):
        list(follow(tmp_path / folder, revision, "v1", MODELS))


def test_the_command_says_so_too(tmp_path: Path):
    with pytest.raises(CommandError, match="there is no such folder"):
        call_command("follow", "v1", "v2", source=str(tmp_path / "absent"))

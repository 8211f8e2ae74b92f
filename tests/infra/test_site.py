"""The documentation as a site, built without a network or a warning; and what its tutorial shows is so."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from podline.command import main

TOP = Path(__file__).resolve().parents[2]
TUTORIAL = (TOP / "docs" / "tutorial.md").read_text()
FILES = dict(re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```', TUTORIAL, re.MULTILINE | re.DOTALL))
SHOWN = "\n".join(re.findall(r"^```console\n(.*?)^```", TUTORIAL, re.MULTILINE | re.DOTALL))


def test_each_page_has_its_place_in_the_site():
    nav = yaml.safe_load((TOP / "mkdocs.yml").read_text())["nav"]
    pages = re.findall(r"[\w/-]+\.md", str(nav))
    assert sorted(pages) == sorted(
        path.relative_to(TOP / "docs").as_posix() for path in (TOP / "docs").rglob("*.md")
    )


@pytest.mark.deep
def test_the_site_is_built_without_a_warning_and_fetches_nothing(tmp_path):
    pytest.importorskip("material", reason="run pip install -r requirements-dev.txt")
    # A proxy where nobody listens: whatever would be fetched fails.
    environment = os.environ | {"HTTPS_PROXY": "http://127.0.0.1:9", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"],
        cwd=TOP, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        assert not re.findall(r'(?:src|<link[^>]*href)="https?://', page.read_text()), page


def list_steps() -> list[tuple[str, list[str]]]:
    """Each command of the tutorial with the lines that it shows."""
    steps: list[tuple[str, list[str]]] = []
    for line in SHOWN.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif line:
            steps[-1][1].append(line.removesuffix("…").rstrip())
    return steps


@pytest.mark.slow
def test_what_the_tutorial_shows_is_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    status = 0
    for command, lines in list_steps():
        program, *words = shlex.split(command)
        if program == "echo":
            assert [str(status)] == lines
        elif program == "podline":
            status, said = call(words)
            assert [line for line in lines if line not in said] == [], said
        else:
            assert (program, lines) == ("pytest", ["2 passed"])
            run_tests(FILES["test_release.py"])


def call(words: list[str]) -> tuple[int, str]:
    said = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(words)
    return status, said.buffer.getvalue().decode()


def run_tests(text: str) -> None:
    """The functions of a module of tests, in turn."""
    names: dict[str, object] = {}
    exec(compile(text, "test_release.py", "exec"), names)
    tests = [one for name, one in names.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        test()

"""A check as a whole: the same report always, counter-examples that can be run, applications judged right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import orjson
import pytest
import yaml

from lifecycle.check.command_line import main
from tests.check.judging import FOLDER, check_file, find_missing, list_grave, read_expected
from tests.seeds import one_in

pytestmark = pytest.mark.slow

WEAK, SOUND = FOLDER / "weak", FOLDER / "sound"
DEPLOYMENT = WEAK / "grace-shorter-than-work.yaml"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main([str(DEPLOYMENT), "--ordeals", "rollout-healthy,drain-each", *arguments])
    return status, capsys.readouterr().out


@pytest.mark.spec("CHECK-RUN-03")
def test_the_same_input_gives_the_same_report_by_one_process_and_by_several(capsys):
    first = run(capsys, "-o", "json", "--seeds", "3", "--jobs", "1")
    second = run(capsys, "-o", "json", "--seeds", "3", "--jobs", "3")
    assert first[0] == 1
    assert first == second


@pytest.mark.slow
@pytest.mark.spec("CHECK-RUN-04")
def test_a_counterexample_shows_the_same_when_it_is_simulated(capsys, tmp_path: Path):
    report = orjson.loads(run(capsys, "-o", "json", "--seeds", "3")[1])
    finding = report["findings"][0]
    assert (finding["claim"], finding["of"]) == ("no-hard-kill", 3)
    written = tmp_path / "counterexample.yaml"
    written.write_text(run(capsys, "--seeds", "3", "--scenario", finding["id"])[1])
    *_, scenario = yaml.safe_load_all(written.read_text())
    assert scenario["spec"]["steps"][0]["chance"] == finding["counterexample"]["seed"]
    command = [sys.executable, "-m", "podline", "simulate", str(written), "-o", "ndjson"]
    lines = subprocess.run(command, capture_output=True, check=False).stdout.splitlines()
    kills = [row for row in map(orjson.loads, lines) if row.get("new") == "SIGKILL"]
    assert finding["counterexample"]["at_ms"] in [row["at_ms"] for row in kills]


@pytest.mark.slow
@pytest.mark.spec("CHECK-FIND-01")
@pytest.mark.spec("CHECK-FIND-02")
@pytest.mark.parametrize("name", one_in(12, sorted(read_expected()["weak"])))
def test_the_weakness_of_an_application_is_found(name: str):
    wanted = read_expected()["weak"][name]
    assert find_missing(wanted, check_file(WEAK / f"{name}.yaml", wanted["ordeals"]).findings) == []


@pytest.mark.slow
@pytest.mark.spec("CHECK-FIND-02")
@pytest.mark.parametrize("name", one_in(40, sorted(path.stem for path in SOUND.glob("*.yaml"))))
def test_a_sound_application_is_blamed_for_nothing_serious(name: str):
    checked = check_file(SOUND / f"{name}.yaml")
    assert checked.summaries
    assert [(one.ordeal, one.claim, one.object) for one in list_grave(checked.findings)] == []

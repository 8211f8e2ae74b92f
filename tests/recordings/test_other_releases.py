"""What real clusters of v1.36 and v1.34 did, Podline does under these releases, but for what is named."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.recordings.check import check, describe, describe_findings
from tests.recordings.other_releases import DIFFERENCES_OF, LEAST_PERCENT_OF, find_reason_of
from tests.recordings.scenario_files import HERE, RELEASES, list_names, recording_of
from tests.seeds import one_in

OTHERS = RELEASES[1:]
CASES = [(release, name) for release in OTHERS for name in list_names(release)]
SEEN = """{found}
See both histories: python -m tests.recordings --release {release} {name} -v"""


@pytest.mark.slow
@pytest.mark.parametrize("release, name", one_in(24, [pytest.param(*one, id="-".join(one)) for one in CASES]))
def test_podline_does_what_kubernetes_of_the_release_did(release: str, name: str):
    result, reason = check(name, release), find_reason_of(release, name)
    found = f"{describe(result)}\n{describe_findings(result)}"
    if reason is None:
        assert result.agrees, SEEN.format(found=found, name=name, release=release)
    else:
        assert not result.agrees, f"{name} agrees now: take it out of other_releases.py ({reason})"


@pytest.mark.parametrize("release", OTHERS)
def test_enough_scenarios_agree_with_each_release(release: str):
    names = list_names(release)
    # The test above holds the table to be exact, where all are compared.
    agreeing = [name for name in names if find_reason_of(release, name) is None]
    share = 100 * len(agreeing) / len(names)
    assert share >= LEAST_PERCENT_OF[release], f"{len(agreeing)} of {len(names)} agree, {share:.1f} %"


@pytest.mark.parametrize("release", OTHERS)
def test_the_table_of_a_release_names_each_scenario_once(release: str):
    named = Counter(name for names in DIFFERENCES_OF[release].values() for name in names.split())
    assert {name for name, count in named.items() if count > 1} == set()
    assert set(named) <= set(list_names(release))


@pytest.mark.parametrize("release", OTHERS)
def test_every_recording_of_a_release_is_of_a_scenario(release: str):
    files = {path for path in (HERE / release).rglob("*") if path.is_file()}
    assert files == {recording_of(name, release) for name in list_names(release)}

"""The gallery's files: a folder a family, and one file for each name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import lifecycle
from lifecycle.simulation.stories import find_story, list_stories

FILES = [path for path in Path(lifecycle.__file__).with_name("scenarios").rglob("*") if path.is_file()]


def test_each_file_is_the_one_story_of_its_name():
    assert Counter(path.name for path in FILES) == Counter(f"{name}.yaml" for name in list_stories())


def test_no_family_is_too_long_to_be_read():
    assert [
        family for family, count in Counter(path.parent.name for path in FILES).items() if count > 43
    ] == []


def test_a_story_is_found_by_its_name():
    assert find_story("job-ttl").read_text() == (FILES[0].parents[1] / "jobs" / "job-ttl.yaml").read_text()


@pytest.mark.parametrize("name", ["nosuch", "", "../settings", "jobs/job-ttl"])
def test_there_is_no_story_of_another_name(name: str):
    with pytest.raises(ValueError, match="the gallery has no story"):
        find_story(name)

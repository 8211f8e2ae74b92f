"""Parts of the tests: every file is of exactly one, and they are about as large."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from tests.parts import find_others, read_part, share_out
from tests.tiers import TIERS

TESTS = Path(__file__).resolve().parents[1]
# In pieces: this file is of no group itself.
GROUP = "pytest.mark." + 'xdist_group("g")'


@pytest.mark.parametrize(
    "sizes, parts, expected",
    [
        ({"x/a": 3, "x/b": 2, "x/c": 1}, 2, [{"x/a"}, {"x/b", "x/c"}]),
        ({"x/a": 1, "x/b": 1, "x/c": 1, "x/d": 1}, 2, [{"x/a", "x/c"}, {"x/b", "x/d"}]),
        ({"x/a": 9, "x/b": 1}, 1, [{"x/a", "x/b"}]),
        ({"x/a": 1}, 2, [{"x/a"}, set()]),
        # Each has as much as the other of either folder, whatever of the other.
        ({"x/a": 9, "y/a": 4, "y/b": 4, "x/b": 1}, 2, [{"x/a", "y/b"}, {"y/a", "x/b"}]),
    ],
)
def test_the_largest_goes_to_who_has_the_least(sizes: dict[str, int], parts: int, expected: list[set[str]]):
    assert share_out(sizes, parts, {name: name[0] for name in sizes}) == expected


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a group over two folders, a file of a slower tier, and some more."""
    folder = tmp_path_factory.mktemp("files")
    for name, source in {
        "test_a.py": f"pytestmark = {GROUP}\n",
        "deep/test_b.py": f"pytestmark = [{GROUP}]\n",
        "test_c.py": "pytestmark = pytest.mark.slow\n" * 9,
        "test_d.py": "def test_d(): pass\n",
        "test_e.py": "def test_e(): pass\n" * 2,
        "helper.py": "pass\n" * 99,
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(source)
    return folder


@pytest.mark.parametrize("parts", [2, 3])
def test_each_file_is_of_one_part_and_a_group_stays_together(files: Path, parts: int):
    wanted = {files / name for name in ("test_a.py", "deep/test_b.py", "test_d.py", "test_e.py")}
    own = [wanted - find_others(files, frozenset({"slow"}), part, parts) for part in range(1, parts + 1)]
    assert set.union(*own) == wanted
    assert not any(one & other for one, other in combinations(own, 2))
    assert any({files / "test_a.py", files / "deep/test_b.py"} <= part for part in own)


def test_all_fast_files_are_of_one_of_two_parts():
    first, second = (find_others(TESTS, TIERS, part, 2) for part in (1, 2))
    assert first and second and not first & second


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"])
def test_a_part_that_there_is_not_is_refused(text: str):
    with pytest.raises(pytest.UsageError, match="which of how many"):
        read_part(text)

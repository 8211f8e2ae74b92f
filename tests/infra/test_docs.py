"""Pages say what the code's tables say, their examples can be read, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.programs.profiles import read_profile
from lifecycle.engine.programs.reading import PARTS
from lifecycle.input.manifests import read_documents
from lifecycle.input.scenario import CLAIMS, read_scenario
from lifecycle.input.scenario_steps import READERS
from lifecycle.management.commands.generate_docs import render, render_pages
from lifecycle.management.doc_sections import SECTIONS, UnknownSection, fill, list_names
from lifecycle.management.left_out import list_left_out
from lifecycle.simulation.stories import find_story
from tests.simulate.running import run_file

TOP = Path(__file__).resolve().parents[2]
FORMATS = (TOP / "docs" / "formats.md").read_text()
PAGES = [TOP / "README.md", TOP / "CONTRIBUTING.md", *sorted((TOP / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


# --- what is generated --------------------------------------------------------------------------------------


def test_pages_are_up_to_date() -> None:
    stale = [page.name for page, text in render_pages(TOP).items() if page.read_text() != text]
    assert not stale, "run manage.py generate_docs"


def test_each_kind_is_told_of_once() -> None:
    page = render()
    for entry in list_entries():
        name = re.escape(f"{entry.kind.name} (`{entry.kind.api_version}`)")
        assert len(re.findall(rf"\b{name}", page)) == 1, entry.kind.id


def test_each_generated_part_stands_in_one_page() -> None:
    assert sorted(name for page in PAGES for name in list_names(page.read_text())) == sorted(SECTIONS)


def test_only_what_stands_between_the_marks_is_written() -> None:
    begin, end = "<!-- generated: patch-types -->\n", "<!-- end of patch-types -->"
    assert fill(f"before\n{begin}stale\n{end}\nafter") == (
        f"before\n{begin}`merge`, `strategic`, `json`, `apply`\n{end}\nafter"
    )


def test_a_part_that_nobody_makes_is_refused() -> None:
    with pytest.raises(UnknownSection, match="no part is called elsewhere; there are benches"):
        fill("<!-- generated: elsewhere -->\n<!-- end of elsewhere -->")


# --- examples -----------------------------------------------------------------------------------------------


def find_example(word: str) -> str:
    """The YAML block of the formats in which a line begins so."""
    blocks = [text for language, text in FENCED.findall(FORMATS) if language == "yaml"]
    return next(text for text in blocks if re.search(rf"^{word}", text, re.MULTILINE))


def test_the_scenario_of_the_formats_can_be_read_and_has_every_step_and_claim() -> None:
    text = find_example("kind: Scenario")
    scenario = read_scenario(read_documents(text)[0])
    assert len(scenario.expects) + len(scenario.sequences) == len(CLAIMS)
    spec = yaml.safe_load(text)["spec"]
    assert {name for step in spec["steps"] for name in step} - {"at", "refused"} == set(READERS)
    assert {name for claim in spec["expect"] for name in claim if name in CLAIMS} == set(CLAIMS)


def test_the_behaviour_of_the_formats_can_be_read_and_has_every_part() -> None:
    text = find_example("app:")
    assert read_annotation(text).problems == ()
    assert set(yaml.safe_load(text)["app"]) == set(PARTS)


def test_the_profile_of_the_formats_can_be_read() -> None:
    profile, problems = read_profile(yaml.safe_load(find_example("kind: ContainerProfile")))
    assert (profile.name, problems) == ("slow-nginx", ())


STORIES = (
    "crash-loop-liveness-probe",
    "cron-suspended",
    "drains-sessions",
    "job-indexed",
    "node-graceful-shutdown",
    "s15-hook-then-kill",
    "s29-drain-with-a-budget",
    "sc-sts-07-namespace",
    "sc-sts-08-volume-by-hand",
)


def list_documented_fields() -> list[tuple[str, re.Pattern[str]]]:
    """(of which kinds, pattern) for each field of the table of fields; `<name>` is a word."""
    table = FORMATS.partition("### Fields")[2].partition("Containers of all sorts")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| ")][2:]
    rows += [[entry.kind.name, f"`{name}`"] for entry in list_entries() for name in entry.status_rows]
    return [
        (of, re.compile(re.sub(r"<\w+>", r"[^ ]+", name.replace(".", r"\."))))
        for of, names in rows
        for name in re.findall(r"`([^`]+)`", names)
    ]


@pytest.mark.parametrize("story", STORIES)
def test_every_field_of_a_trace_is_in_the_table(story: str) -> None:
    known = list_documented_fields()
    rows = [row for row in run_file(find_story(story)).rows if row["type"] == "transition"]
    unknown = {
        (row["kind"], row["field"])
        for row in rows
        # Integers of a status go by their own names.
        if row["kind"] == "Pod" or type(row["new"]) is not int
        if not any(
            (row["kind"] in of or "any object" in of) and name.fullmatch(row["field"]) for of, name in known
        )
    }
    assert rows and unknown == set()


# --- links --------------------------------------------------------------------------------------------------


def anchors_of(markdown: str) -> set[str]:
    """The names that headings have in addresses: as GitHub makes them, a number behind repeated ones."""
    found: dict[str, int] = {}
    names = set()
    for heading in HEADING.findall(FENCED.sub("", markdown)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = found[slug] = found.get(slug, -1) + 1
        names.add(f"{slug}-{count}" if count else slug)
    return names


def find_broken(page: Path, markdown: str) -> list[str]:
    """The relative links of a page that lead nowhere."""
    broken = []
    for target in LINK.findall(FENCED.sub("", markdown)):
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        place = (page.parent / path).resolve() if path else page
        is_there = place.exists() and place.is_relative_to(TOP)
        if not is_there or (anchor and anchor not in anchors_of(place.read_text())):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(TOP).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    assert find_broken(page, page.read_text()) == []


@pytest.mark.parametrize(
    "link, is_broken",
    [
        ("[formats](docs/formats.md)", False),
        ("[trace](docs/formats.md#trace)", False),
        ("[commands](docs/formats.md#commands-of-the-engine)", False),
        ("[here](#podline)", False),
        ("[elsewhere](https://kubernetes.io/docs/#anything)", False),
        ("![picture](docs/dashboard.png)", False),
        ("[gone](docs/gone.md)", True),
        ("[no heading](docs/formats.md#nowhere)", True),
        ("[outside](../elsewhere.md)", True),
        ("`[code](docs/gone.md)`", False),
    ],
)
def test_the_check_sees_broken_links(link: str, is_broken: bool) -> None:
    assert bool(find_broken(TOP / "README.md", f"# Podline\n\nSee {link}.\n")) == is_broken


def test_what_parts_say_that_they_leave_out_is_listed(tmp_path: Path) -> None:
    """Of a module, a class or a function, up to the end of its paragraph."""
    for name, text in {
        "lifecycle/engine/rules/one.py": '"""One.\n\nModels it. Left\nout: that,\nand this.\n\nMore.\n"""\n',
        "lifecycle/engine/two/__init__.py": 'class A:\n    """A.\n\n    Left out: all.\n    """\n',
        "lifecycle/userland/sed.py": '"""Left out, and named where a script asks for it: labels."""\n',
        "lifecycle/engine/three.py": 'def three():\n    """Left out is nothing."""\n',
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert list(list_left_out(tmp_path)) == [
        ("engine/rules/one", "that, and this"),
        ("engine/two", "all"),
        ("userland/sed", "labels (named where a script asks for it)"),
    ]

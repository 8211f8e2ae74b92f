"""What people read of a check elsewhere: one file for a browser, and a comment in a pull request."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from lifecycle.check.findings import Remedied
from lifecycle.check.outputs import write_refusal
from lifecycle.check.outputs.as_html import make_html
from lifecycle.check.outputs.as_markdown import MOST_FINDINGS, MOST_ROWS, make_markdown
from lifecycle.input.problems import Problem
from lifecycle.lean_dataclasses import replace
from tests.check.conftest import say

HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "</pre></details><img src=x onerror=alert(1)>",
    "![a](https://evil.example/a.png) [b](javascript:alert(1)) <https://evil.example>",
    "@everybody #1 | cell | `code` ``` fence\n# head\n- item",
    "\x00\x1b[31m\u202e\ud800",
]
_VOID = {"meta", "path", "rect", "pattern"}


class Reader(HTMLParser):
    """What is in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_holds_all_of_itself(report):
    text = make_html(report)
    page = Reader(text)
    assert not page.tags & {"script", "link", "img", "iframe", "object", "style@import"}
    assert all(one.startswith("#") for one in page.links)
    assert "url(http" not in text.replace("'", "").replace('"', "")
    assert "@import" not in text


def test_each_cell_leads_to_its_finding(report):
    page = Reader(make_html(report))
    assert len(page.ids) == len(set(page.ids))
    assert {one.removeprefix("#") for one in page.links} == {one.id for one in report.findings}
    assert {one.removeprefix("#") for one in page.links} <= set(page.ids)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_only_text_in_the_page(report, hostile):
    plain, page = Reader(make_html(report)), Reader(make_html(say(report, hostile)))
    assert (page.tags, page.attributes) == (plain.tags, plain.attributes)
    seen = re.sub("[\x00\x1b\u202e\ud800]", "\ufffd", hostile)
    assert seen in page.words


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_no_markup_in_the_comment(report, hostile):
    text = make_markdown(say(report, hostile))
    outside = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", text)
    assert not re.findall(r"<(?!/?details>|/?summary>)", outside)
    assert not re.findall(r"@\w|(?<!&)#\d|!\[|\]\(|://", outside)
    # The comment has as many blocks, items and heads as ever.
    plain = re.sub(r"(?ms)^(`{3,})text$.*?^\1$", "", make_markdown(report))
    for sign in ("- ", "### ", "# ", "| "):
        assert count_lines(outside, sign) == count_lines(plain, sign)


def count_lines(text: str, sign: str) -> int:
    return sum(line.startswith(sign) for line in text.splitlines())


def test_the_comment_says_how_the_worst_came_about(report):
    text = make_markdown(report)
    assert text.startswith("### podline check: 2 findings: 2 serious\n")
    assert "| Deployment/shop/web | ❌ serious | ❌ serious | ✓ |" in text
    assert "(also in drain-each)" in text
    assert "SIGTERM -> SIGKILL" in text
    assert re.search(r"^web-\S+  =+t+f*$", text, re.MULTILINE)
    assert "How to see this again:" in text


def test_a_comment_is_never_too_long(report):
    first, workload = report.findings[0], report.checked.settled.workloads[0]
    long = first.worst._replace(violation=first.worst.violation._replace(text="é<&@" * 2_000))
    cures = [Remedied("x" * 5_000, {}, {}, "y" * 5_000)] * 3
    told = replace(first, worst=long, because=("z" * 5_000,) * 12, remedies=tuple(cures))
    findings = [replace(told, claim=f"claim-{number}") for number in range(500)]
    many = tuple(workload._replace(name=f"{'w' * 200}-{number}") for number in range(500))
    summaries = [replace(one, workloads=tuple(it.title for it in many)) for one in report.checked.summaries]
    settled = replace(report.checked.settled, workloads=many)
    checked = replace(report.checked, settled=settled, findings=tuple(findings), summaries=tuple(summaries))
    text = make_markdown(replace(report, checked=checked))
    assert len(text) < 60_000
    assert f"{500 - MOST_FINDINGS} findings more" in text
    assert f"{500 + 1 - MOST_ROWS} workloads more" in text


@pytest.mark.parametrize("output", ["markdown", "html"])
def test_a_refusal_says_what_would_be_right(output):
    problem = Problem("unknown field <b>", "did you mean replicas?", "spec.replica", "Deployment web")
    text = write_refusal(output, 2, [problem])
    assert "did you mean replicas?" in text
    assert "<b>" not in text

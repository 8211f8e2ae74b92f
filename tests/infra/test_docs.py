"""The page about manifests is what its tables say."""

from __future__ import annotations

import re
from pathlib import Path

from lifecycle.engine.kinds.registry import list_entries
from lifecycle.management.commands.generate_docs import TARGET, render

TOP = Path(__file__).resolve().parents[2]


def test_the_page_about_manifests_is_up_to_date() -> None:
    assert (TOP / TARGET).read_text() == render(), "run manage.py generate_docs"


def test_each_kind_is_told_of_once() -> None:
    page = render()
    for entry in list_entries():
        name = re.escape(f"{entry.kind.name} (`{entry.kind.api_version}`)")
        assert len(re.findall(rf"\b{name}", page)) == 1, entry.kind.id

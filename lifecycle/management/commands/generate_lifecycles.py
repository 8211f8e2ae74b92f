"""`manage.py generate_lifecycles DIR`: since when versions of kinds are deprecated, and when they go.

DIR holds the newest release's module `k8s.io/api`. Writes `lifecycle/engine/releases/tables/lifecycles.py`:
by apiVersion and kind `deprecated removed replacement`, `-` where the source does not say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lifecycle.management import table_files

FILE = "zz_generated.prerelease-lifecycle.go"
GROUP = re.compile(r'^const GroupName = "([\w.]*)"', re.M)
RELEASE = re.compile(
    r"^func \(in \*(\w+)\) APILifecycle(Deprecated|Removed)\(\).*?return (\d+), (\d+)", re.M | re.S
)
REPLACEMENT = re.compile(
    r"^func \(in \*(\w+)\) APILifecycleReplacement\(\).*?"
    r'Group: "([\w.]*)", Version: "(\w+)", Kind: "(\w+)"',
    re.M | re.S,
)
HEAD = '''"""Versions of kinds that are deprecated: since when, how long served, and what stands for them.

By apiVersion and kind `deprecated removed replacement`, `-` where Kubernetes' source does not say. Generated
by `manage.py generate_lifecycles` from that source: change that, not this.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

LIFECYCLES: dict[str, dict[str, str]] = {
'''


class Command(BaseCommand):
    """Writes the table anew."""

    help = "Write which versions of Kubernetes' kinds are deprecated or gone, from its Go source."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="where k8s.io/api is")

    def handle(self, *args: Any, **options: Any) -> None:
        table: dict[str, dict[str, str]] = {}
        for path in sorted(options["folder"].rglob(FILE)):
            group = GROUP.search((path.parent / "register.go").read_text())
            version = f"{group[1] if group else ''}/{path.parent.name}".lstrip("/")
            if found := dict(sorted(find_lifecycles(path.read_text()))):
                table[version] = found
        if not table:
            raise CommandError(f"{options['folder']}: no {FILE} below")
        rows = "".join(f"    {json.dumps(name)}: {json.dumps(table[name])},\n" for name in sorted(table))
        target = table_files.FOLDER / "lifecycles.py"
        target.write_text(f"{HEAD}{rows}}}\n")
        self.stdout.write(f"{target} written: {len(table)} versions")


def find_lifecycles(text: str) -> Iterator[tuple[str, str]]:
    """Kinds that the file says the end of, lists of them aside."""
    releases = {(kind, what): f"v{major}.{minor}" for kind, what, major, minor in RELEASE.findall(text)}
    better = {
        kind: f"{group}/{version}/{name}".lstrip("/")
        for kind, group, version, name in REPLACEMENT.findall(text)
    }
    for kind in sorted({kind for kind, _what in releases} - {"DeleteOptions"}):
        if not kind.endswith("List"):
            words = (releases.get((kind, "Deprecated")), releases.get((kind, "Removed")), better.get(kind))
            yield kind, " ".join(word or "-" for word in words)

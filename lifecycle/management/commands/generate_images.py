"""`manage.py generate_images DIR`: what build files say of well-known images.

DIR holds the build files as `OWNER/REPOSITORY/PATH`, such as checkouts side by side. Writes
`lifecycle/engine/programs/images/built.txt` anew: of each row the names, what is needed and the source are
kept, and all else is read from its source, but for what is "?", as not all versions say the same. A row whose
build file is not in DIR stays as it is. To add an image, add a row of these three alone
(`name | | OWNER/REPOSITORY PATH`); `PATH@STAGE` names a stage.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lifecycle.engine.programs.images import built
from lifecycle.management.build_files import Image, read_build_file

TARGET = Path(built.__file__).with_name("built.txt")


class Command(BaseCommand):
    """Writes the table anew."""

    help = "Write what public build files say of well-known images."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="where OWNER/REPOSITORY/PATH are")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["folder"].is_dir():
            raise CommandError(
                f"{options['folder']}: no such folder; give one with OWNER/REPOSITORY/PATH below"
            )
        text = TARGET.read_text()
        head = [line for line in text.splitlines() if line.startswith("#")]
        rows = list(write_rows(text, options["folder"]))
        TARGET.write_text("\n".join([*head, *rows, ""]))
        self.stdout.write(f"{TARGET} written: {len(rows)} rows")


def write_rows(text: str, folder: Path) -> Iterator[str]:
    """The rows of a table, each read anew where its build file is below the folder."""
    bases: dict[str, Image] = {}
    for line in built.list_lines(text):
        cells = built.read_cells(line)
        repository, _, place = cells["source"].partition(" ")
        path, _, stage = place.partition("@")
        file = folder / repository / path
        if file.is_file():
            image = read_build_file(file.read_text(), bases, stage)
            bases |= dict.fromkeys(cells["names"].split(), image)
            read = _write_cells(image)
            cells |= {column: text for column, text in read.items() if cells[column] != built.UNKNOWN}
        yield " | ".join(cells.values()).rstrip()


def _write_cells(image: Image) -> dict[str, str]:
    return {
        "user": image.user,
        "folder": image.folder,
        "ports": " ".join(map(str, image.ports)),
        "stop": image.stop,
        "shell": image.shell,
        "volumes": " ".join(path.rstrip("/") for path in image.volumes),
        "entry": " ".join(image.entry),
    }

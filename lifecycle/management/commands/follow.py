"""`manage.py follow OLD NEW --source DIR`: which of our modules to read again for a newer Kubernetes.

    manage.py follow v1.35.6 v1.36.0 --source ~/kubernetes

DIR is a git checkout (or a bare git folder) of kubernetes/kubernetes, or of a repository that vendors it.
OLD and NEW are any two of its revisions. What our modules model is said in `lifecycle/engine/upstream/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from lifecycle.engine.upstream import AS_OF, FUNCTIONS, MODELS
from lifecycle.management.sources import FileChange, Revision, SourceError, compare

MOST_PLACES = 8


class Command(BaseCommand):
    """Prints modules by room, each with the changed files that it models."""

    help = "Which of our modules to read again for what changed between two revisions of Kubernetes"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("old", help="a revision of the checkout: a tag, a branch, a commit")
        parser.add_argument("new", help="the revision to go to")
        parser.add_argument(
            "--source", required=True, help="a git checkout of Kubernetes, or of a copy of it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            for line in follow(Path(options["source"]), options["old"], options["new"]):
                self.stdout.write(line)
        except SourceError as error:
            raise CommandError(str(error)) from None


def follow(
    folder: Path,
    old_name: str,
    new_name: str,
    models: Mapping[str, tuple[str, ...]] = MODELS,
    functions: Mapping[str, Mapping[str, str]] = FUNCTIONS,
) -> Iterator[str]:
    """The whole report, line by line. Raises SourceError."""
    old, new = Revision(folder, old_name), Revision(folder, new_name)
    files = sorted({path for paths in models.values() for path in paths})
    found = (compare(folder, path, old, new) for path in files)
    changes = {change.path: change for change in found if change}
    concerned = {name: _list_changes(name, paths, changes, functions) for name, paths in models.items()}
    affected = {name: lines for name, lines in concerned.items() if lines}
    yield f"From {old_name} to {new_name}, by the Kubernetes files that our modules model (as of {AS_OF})."
    yield from _tell_rooms(models, affected)
    yield from _tell_rest("New files beside those, which no module models:", _find_new(files, old, new))
    lost = [path for path in files if old.find(path) is None and new.find(path) is None]
    yield from _tell_rest("Not in this checkout, so nothing is known of them:", lost)
    yield ""
    yield (
        f"Read again: {len(affected)} of {len(models)} modules,"
        f" for {len(changes)} changed files of {len(files)}."
    )


def _list_changes(
    name: str,
    paths: Iterable[str],
    changes: Mapping[str, FileChange],
    functions: Mapping[str, Mapping[str, str]],
) -> list[str]:
    """A line for each change of a file that a module has to be read again for."""
    found = [
        (changes[path], functions.get(path, {}).get(name, "").split()) for path in paths if path in changes
    ]
    return [_tell(change, words) for change, words in found if change.concerns(words)]


def _tell_rooms(models: Iterable[str], affected: Mapping[str, list[str]]) -> Iterator[str]:
    totals = Counter(_room_of(name) for name in models)
    touched = Counter(_room_of(name) for name in affected)
    for room in sorted(touched):
        yield f"\n{room}: {touched[room]} of {totals[room]} modules"
        for name in sorted(one for one in affected if _room_of(one) == room):
            yield f"  {name}"
            yield from (f"    {line}" for line in affected[name])


def _tell(change: FileChange, words: Sequence[str]) -> str:
    if change.is_gone:
        return f"{change.path} is not there any more: find where it went"
    if change.is_new:
        return f"{change.path} is new"
    places = change.list_places(words)
    named = ", ".join(places[:MOST_PLACES])
    more = len(places) - MOST_PLACES
    where = f"  in {named}{f' and {more} more' if more > 0 else ''}" if named else ""
    return f"{change.path} +{change.added} -{change.removed}{where}"


def _tell_rest(head: str, paths: Iterable[str]) -> Iterator[str]:
    for number, path in enumerate(paths):
        if not number:
            yield f"\n{head}"
        yield f"  {path}"


def _find_new(files: Iterable[str], old: Revision, new: Revision) -> list[str]:
    """A new file in a folder of which some module models a file."""
    folders = {path.rpartition("/")[0] for path in files}
    return sorted(new.list_beside(folders) - old.list_beside(folders) - set(files))


def _room_of(name: str) -> str:
    return name.partition("/")[0]

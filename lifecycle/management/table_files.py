"""Where the generated tables of a release stand."""

from __future__ import annotations

from pathlib import Path

from lifecycle.engine.releases import tables

FOLDER = Path(tables.__file__).parent


def find_table_file(release: str, name: str) -> Path:
    """Of `v1.35` and `fields.py` the file `lifecycle/engine/releases/tables/v1_35/fields.py`."""
    return FOLDER / release.replace(".", "_") / name

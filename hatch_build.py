"""Hands the package's contents, as `wheel_layout` places them, to hatchling."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlaceBelowPackage(BuildHookInterface):
    """An editable installation needs nothing of it: it puts the checkout itself on the path."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from wheel_layout import PACKAGE, place

        self._folder = tempfile.TemporaryDirectory()
        place(Path(self.root), Path(self._folder.name) / PACKAGE)
        build_data["force_include"][str(Path(self._folder.name) / PACKAGE)] = PACKAGE

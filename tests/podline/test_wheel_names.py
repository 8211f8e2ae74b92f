"""What the wheel moves are modules, and no model that happens to be called as one is."""

import re

from tests.podline.conftest import TOP
from wheel_layout import _list_modules


def test_no_migration_names_a_model_as_a_module_is_named():
    modules = {*_list_modules(TOP)}
    assert "lifecycle.check" in modules
    for path in (TOP / "lifecycle" / "migrations").glob("*.py"):
        assert not modules & {*re.findall(r'to="([^"]+)"', path.read_text())}, path.name

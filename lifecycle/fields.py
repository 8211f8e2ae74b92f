"""Columns of our own."""

from typing import Any

import orjson
from django.db import models


class WrittenJSONField(models.JSONField):
    """JSON that comes back as it was written: PostgreSQL's `jsonb` would put the keys in an order of its own.

    It can be read and copied, not searched.
    """

    def db_type(self, connection: Any) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """The text the recorder writes: without spaces."""
        return value if value is None else orjson.dumps(value).decode()

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, Any]:
        """As text: the driver would read `json` by itself, and then nobody knows a string from its JSON."""
        if compiler.connection.vendor == "postgresql":
            return f"({sql})::text", params
        return super().select_format(compiler, sql, params)


# What pages count is read from here alone, without the objects' JSON.
LIVING_OBJECT = models.Index(
    fields="cluster kind group deleted_ms owner state namespace node restarts".split(),
    condition=models.Q(deleted_ms__isnull=True),
    name="living_object",
)

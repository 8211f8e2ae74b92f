"""Columns of our own."""

import json
from typing import Any

import orjson
from django.db import models
from django.db.models.fields.json import KeyTransform


class RecordedJSONField(models.JSONField):
    """JSON that the recorder has written, read as it was: by orjson. A page reads thousands of rows."""

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """To the database, and to migrations, it is Django's."""
        name, path, args, kwargs = super().deconstruct()
        is_plain = type(self) is RecordedJSONField
        return name, "django.db.models.JSONField" if is_plain else path, args, kwargs

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """A key of it is no text that was written: it comes as Django has it."""
        if value is None:
            return None
        if isinstance(expression, KeyTransform):
            return super().from_db_value(value, expression, connection)
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            # Somebody else has written it: with half of a surrogate pair, say.
            return json.loads(value)


class WrittenJSONField(RecordedJSONField):
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

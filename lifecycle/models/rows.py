"""Rows of models for what every write asks, in SQL that is written by hand.

Django writes a question anew each time, and finds out for each answer which column is which field: with a row
as wide as a cluster's that takes ten times as long as the database. Here both are found out once. What comes
out and what goes in is what Django would make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model
from django.db.models.base import ModelState
from django.db.models.sql import Query

M = TypeVar("M", bound=Model)
Values = Sequence[Any]


class Rows(Generic[M]):
    """How rows of a model are read and added."""

    def __init__(self, model: type[M], names: str = "") -> None:
        """`names`: of these fields alone, as rows name them, and of the primary key; "" for all."""
        self.model = model
        self._names = names.split()

    @cached_property
    def _fields(self) -> list[Field[Any, Any]]:
        every = self.model._meta.concrete_fields
        wanted = {*self._names} or {field.attname for field in every}
        return [field for field in every if field.primary_key or field.attname in wanted]

    @cached_property
    def _attributes(self) -> list[str]:
        return [field.attname for field in self._fields]

    @cached_property
    def _converters(self) -> list[tuple[int, list[Callable[..., Any]], Any]]:
        """(place in a row, what makes the field's value of the column's, the column)."""
        # Of a connection that never connects: what is kept here holds no thread's.
        unconnected = connection.copy()
        compiler = unconnected.ops.compiler("SQLCompiler")(Query(self.model), unconnected, None)
        found = compiler.get_converters([field.get_col(self._table) for field in self._fields])
        return [(place, converters, column) for place, (converters, column) in found.items()]

    @property
    def _table(self) -> str:
        return self.model._meta.db_table

    def __len__(self) -> int:
        """How many columns there are."""
        return len(self._fields)

    def columns(self, table: str) -> str:
        """The columns of a table, by what it is called in the question."""
        return ", ".join(f'{table}."{field.column}"' for field in self._fields)

    def read(self, values: Values) -> M:
        """The instance of a row of these columns. Django reads the other fields when they are asked for."""
        found = list(values)
        for place, converters, column in self._converters:
            for convert in converters:
                found[place] = convert(found[place], column, connection)
        # As Django makes what was pickled; its way with new ones, field by field, takes as long as all else.
        made = self.model.__new__(self.model)
        made.__dict__.update(zip(self._attributes, found, strict=True))
        made._state = ModelState()
        made._state.adding, made._state.db = False, DEFAULT_DB_ALIAS
        return made

    def find(self, question: str, values: Values) -> M | None:
        """The instance of the first row that is answered; None when there is none."""
        with connection.cursor() as cursor:
            cursor.execute(question, values)
            row = cursor.fetchone()
        return None if row is None else self.read(row)

    def list(self, question: str, values: Values) -> list[M]:
        """The instances of all rows that are answered."""
        with connection.cursor() as cursor:
            cursor.execute(question, values)
            return [self.read(row) for row in cursor.fetchall()]

    def get(self, key: Any) -> M | None:
        """The instance of a primary key; None when there is none."""
        of_column = self.model._meta.pk.get_db_prep_value(key, connections[DEFAULT_DB_ALIAS])
        return self.find(self._question, [of_column])

    def refresh(self, instance: M) -> None:
        """Read an instance's row again, in place. `DoesNotExist` when it is gone."""
        found = self.get(instance.pk)
        if found is None:
            problem: type[ObjectDoesNotExist] = self.model.DoesNotExist  # type: ignore[attr-defined]
            raise problem(f"{self.model.__name__} {instance.pk} is gone")
        for name in self._attributes:
            setattr(instance, name, getattr(found, name))

    @cached_property
    def _question(self) -> str:
        key = self.model._meta.pk.column
        return f'SELECT {self.columns(self._table)} FROM {self._table} WHERE "{key}" = %s'

    def add(self, instance: M) -> M:
        """Store an instance that is not there yet and has its key. No signal is sent."""
        # Not the proxy for it, which each field would go through.
        here = connections[DEFAULT_DB_ALIAS]
        values = [field.get_db_prep_save(field.pre_save(instance, add=True), here) for field in self._fields]
        with here.cursor() as cursor:
            cursor.execute(self._insertion, values)
        instance._state.adding, instance._state.db = False, DEFAULT_DB_ALIAS
        return instance

    @cached_property
    def _insertion(self) -> str:
        columns = ", ".join(f'"{field.column}"' for field in self._fields)
        places = ", ".join(["%s"] * len(self._fields))
        return f"INSERT INTO {self._table} ({columns}) VALUES ({places})"

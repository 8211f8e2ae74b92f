"""Histories as lists: what happened last comes first; older pages are asked for by number."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Model

from lifecycle.admin.texts import tell_instant
from lifecycle.models import Cluster, Event, Transition

PAGE_ROWS = 50


class HistoryForm(forms.Form):
    """What to look for; a list of rows needs no more."""

    kind = forms.CharField(required=False)
    group = forms.CharField(required=False)
    namespace = forms.CharField(required=False)
    name = forms.CharField(required=False)
    field = forms.CharField(required=False)
    reason = forms.CharField(required=False)
    before = forms.IntegerField(required=False, min_value=1, widget=forms.HiddenInput)

    def __init__(self, data: Any, columns: tuple[str, ...]) -> None:
        super().__init__(data)
        self.fields = {key: field for key, field in self.fields.items() if key in {*columns, "before"}}

    def filters(self) -> dict[str, Any]:
        """What was filled in; nothing while something is wrong with it."""
        return {key: value for key, value in self.cleaned_data.items() if value} if self.is_valid() else {}


@dataclass(frozen=True)
class Page:
    """Some rows, newest first, and the number before which the older ones are found."""

    columns: list[str]
    rows: list[list[Any]]
    older_before: int | None


@dataclass(frozen=True)
class History:
    """A table of rows numbered by `seq`; `columns` are its fields as shown."""

    title: str
    model: type[Model]
    columns: tuple[str, ...]

    def page(self, cluster: Cluster, filters: dict[str, Any]) -> Page:
        """The newest rows that fit. Rows above the cursor do not exist yet."""
        first = min(cluster.seq + 1, filters.pop("before", cluster.seq + 1))
        rows = self.model._default_manager.filter(cluster=cluster, seq__lt=first, **filters)
        found = [list(values) for values in rows.order_by("-seq").values_list(*self.columns)[: PAGE_ROWS + 1]]
        older_before = found[PAGE_ROWS - 1][0] if len(found) > PAGE_ROWS else None
        instants = self.columns.index("at_ms")
        for row in found:
            row[instants] = tell_instant(row[instants])
        titles = [name.removesuffix("_ms").replace("_", " ") for name in self.columns]
        return Page(titles, found[:PAGE_ROWS], older_before)


_SUBJECT = ("seq", "at_ms", "kind", "group", "namespace", "name")
HISTORIES = {
    "transitions": History(
        "Transitions", Transition, (*_SUBJECT, "field", "old", "new", "reason", "message", "cause")
    ),
    "events": History(
        "Events", Event, (*_SUBJECT, "event_type", "reason", "message", "source", "count", "cause")
    ),
}

"""What is asked for on the page of a sweep."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from lifecycle.runs.comparisons.sweeps import FIELDS, Pair


def list_choices() -> list[tuple[str, str]]:
    """The fields that can be set."""
    return [(name, field.title) for name, field in FIELDS.items()]


class SweepForm(forms.Form):
    """Two fields, each with its values."""

    first = forms.ChoiceField(choices=list_choices, initial="preStop")
    first_values = forms.CharField(max_length=60, initial="0, 15")
    second = forms.ChoiceField(choices=list_choices, initial="maxSurge")
    second_values = forms.CharField(max_length=60, initial="1, 25%, 50%")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["first"] == cleaned["second"]:
            raise ValidationError("Choose two fields that are not the same")
        for name in ("first", "second"):
            cleaned[f"{name}_values"] = FIELDS[cleaned[name]].read(cleaned[f"{name}_values"])
        return cleaned

    def list_rows(self) -> list[list[Pair]]:
        """The pairs: a row for each value of the first, a column for each of the second."""
        asked = self.cleaned_data
        return [
            [((asked["first"], here), (asked["second"], there)) for there in asked["second_values"]]
            for here in asked["first_values"]
        ]

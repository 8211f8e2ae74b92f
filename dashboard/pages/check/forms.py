"""What is asked for on the page of checks."""

from __future__ import annotations

from django import forms

from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.runs.checks.asking import MOST_SEEDS


class CheckForm(forms.Form):
    """A check: which ordeals (none: all), and how many futures of each."""

    ordeals = forms.MultipleChoiceField(
        required=False, choices=lambda: [(one.name, one.text) for one in list_ordeals()]
    )
    seeds = forms.IntegerField(initial=1, min_value=1, max_value=MOST_SEEDS)

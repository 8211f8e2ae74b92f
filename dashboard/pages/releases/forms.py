"""What is asked for on the page of releases."""

from __future__ import annotations

from django import forms

from dashboard.asking.forms import ManifestForm, list_release_choices


class ReleasesForm(forms.Form):
    """Which releases; how many may be chosen is for who takes it to say."""

    releases = forms.MultipleChoiceField(choices=list_release_choices)


class GivenForm(ReleasesForm, ManifestForm):
    """The same, and manifests."""

"""What is asked for on the page of people and links."""

from __future__ import annotations

from datetime import timedelta

from django import forms

from lifecycle.models import Role
from lifecycle.models.shares import LONGEST_PAGE

ROLES = {
    Role.Name.VIEWER: "looks at everything, and forks it into clusters of their own",
    Role.Name.EDITOR: "changes what is in it, and runs its clock",
    Role.Name.OWNER: "all that, shares and deletes it, gives and takes roles",
}
DAYS = {"1": "a day", "7": "a week", "30": "30 days", "90": "90 days"}


class RoleForm(forms.Form):
    """Who gets which role."""

    name = forms.CharField(max_length=150)
    role = forms.ChoiceField(
        choices=list(Role.Name.choices),
        error_messages={"invalid_choice": f"use {', '.join(Role.Name.values)}"},
    )


class ShareForm(forms.Form):
    """Which page is shared, and for how long."""

    page = forms.CharField(max_length=LONGEST_PAGE)
    days = forms.ChoiceField(
        choices=list(DAYS.items()), error_messages={"invalid_choice": f"use {', '.join(DAYS)}"}
    )

    @property
    def lifetime(self) -> timedelta:
        """How long the link is good."""
        return timedelta(days=int(self.cleaned_data["days"]))

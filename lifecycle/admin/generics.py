"""Classes of Django whose types take parameters, which the classes themselves do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth import admin as people

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
    UserAdmin = people.UserAdmin[Any]
else:
    ModelAdmin, ModelForm, UserAdmin = admin.ModelAdmin, forms.ModelForm, people.UserAdmin

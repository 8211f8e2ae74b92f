"""An object's spec as YAML in a form: what is wrong with it is said under it, with line and field."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from lifecycle.access import User
from lifecycle.admin.generics import ModelForm
from lifecycle.admin.orders import order
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.heart.trace import make_merge_patch
from lifecycle.engine.schema.decode import drop_nulls
from lifecycle.engine.schema.paths import Path
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.manifest_admission import gates_of, list_problems
from lifecycle.input.manifests import Document, read_documents
from lifecycle.input.problems import ManifestError, Problem, parse_path
from lifecycle.input.schema import check_document
from lifecycle.lean_dataclasses import replace
from lifecycle.models import StoredObject

SPEC = "spec"


class SpecDocument(Document):
    """An object of which only the spec is written down: paths begin at it."""

    def line_of(self, path: Path) -> int | None:
        return super().line_of(path[1:])

    def text_at(self, path: Path) -> str | None:
        return super().text_at(path[1:])


def read_spec(text: str, stored: dict[str, Any], gates: Mapping[str, bool]) -> SpecDocument:
    """The stored object with the spec that `text` describes. Raises ManifestError with every problem."""
    documents = read_documents(
        text, limit_bytes=settings.UPLOAD_MAX_BYTES, budget=Budget(settings.UPLOAD_MAX_VALUES)
    )
    if len(documents) != 1:
        remedy = "write its fields, such as replicas: 3"
        raise ManifestError([Problem("the spec is one YAML mapping", remedy)])
    written = documents[0]
    whole = {name: stored[name] for name in ("apiVersion", "kind", "metadata")} | {SPEC: written.data}
    document = SpecDocument(whole, node=written.node)
    problems = check_document(document)
    if not problems:
        problems = list_problems(replace(document, data=drop_nulls(document.data)), gates, stored)
    if problems:
        raise ManifestError(problems)
    return document


def describe_problem(problem: Problem) -> str:
    """One problem without the name of the object: the page shows it already."""
    place = f"line {problem.line}: " if problem.line else ""
    field = f"{problem.path}: " if problem.path else ""
    remedy = f"; {problem.remedy}" if problem.remedy else ""
    return f"{place}{field}{problem.message}{remedy}"


class SpecForm(ModelForm):
    """Saving is asking the cluster: the form is valid once the cluster has done as asked.

    `generation` is the one the page showed. Should the spec have changed since, nothing is overwritten.
    """

    spec = forms.CharField(
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 30, "cols": 100, "spellcheck": "false", "class": "vLargeTextField"}
        ),
        help_text="The whole spec, as in a manifest. Saving sends the difference to the cluster as a patch.",
    )
    generation = forms.IntegerField(widget=forms.HiddenInput, required=False)

    user: User
    instance: StoredObject

    class Meta:
        model = StoredObject
        fields: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.warnings: list[str] = []
        self.initial["spec"] = to_yaml(self.instance.data.get(SPEC) or {})
        self.initial["generation"] = self._generation()

    def _generation(self) -> int | None:
        generation: int | None = self.instance.data["metadata"].get("generation")
        return generation

    def clean_spec(self) -> SpecDocument:
        """The object as it would be."""
        try:
            text = self.cleaned_data["spec"].replace("\r\n", "\n")
            return read_spec(text, self.instance.data, gates_of(self.instance.cluster.settings))
        except ManifestError as error:
            raise ValidationError([describe_problem(problem) for problem in error.problems]) from None

    def clean(self) -> dict[str, Any]:
        """Ask the cluster, unless something is wrong already or nothing changes."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if cleaned["generation"] != self._generation():
            raise ValidationError("Somebody changed this spec meanwhile. Load the page anew, then change it.")
        document: SpecDocument = cleaned[SPEC]
        patch = make_merge_patch(self.instance.data.get(SPEC) or {}, document.data[SPEC])
        if patch:
            outcome = order("patch", {"type": "merge", "patch": {SPEC: patch}}, self.instance, self.user)
            self.warnings = outcome.warnings
            for problem in outcome.problems:
                line = document.line_of(parse_path(problem.path)) if problem.path else None
                self.add_error(SPEC, describe_problem(replace(problem, line=line)))
        return cleaned

    def save(self, commit: bool = True) -> StoredObject:
        """Nothing is written here: the recorder writes what the cluster made of it."""
        return self.instance

    def save_m2m(self) -> None:
        """Nothing either."""

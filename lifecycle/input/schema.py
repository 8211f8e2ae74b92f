"""Is this manifest an object that a release of Kubernetes knows, field by field, and on which line is it not?

Structure only: names and types of fields, strict as `kubectl --validate=strict`. Whether the values make
sense is the API server's validation (`lifecycle.engine.rules.validation`). No Django in here.
"""

from __future__ import annotations

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.releases.release import Release
from lifecycle.engine.schema.check import FieldProblem, find_problems, find_type_problems
from lifecycle.input.hints import PATCH_DIRECTIVES, PATCH_REMEDY, explain
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem


def check_document(document: Document, release: Release = DEFAULT_RELEASE) -> list[Problem]:
    """What is structurally wrong with one object, each at its line; empty when it is sound."""
    return [explain(_locate(document, problem)) for problem in find_problems(document.data, release)]


def find_head_problems(document: Document) -> list[Problem]:
    """What is wrong with the kind of an object and its version, each at its line."""
    return [_locate(document, problem) for problem in find_type_problems(document.data)]


def _locate(document: Document, problem: FieldProblem) -> Problem:
    written = document.text_at(problem.path) if problem.is_unquoted else None
    # As it was written, `1.10`, and not as YAML read it, 1.1.
    remedy = problem.remedy if written is None else f'write it in quotes: "{written}"'
    if problem.path and problem.path[-1] in PATCH_DIRECTIVES:
        remedy = PATCH_REMEDY
    return document.problem(problem.path, problem.message, remedy)

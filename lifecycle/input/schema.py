"""Is this manifest an object Kubernetes v1.35 knows, field by field, and on which line is it not?

Structure only: names and types of fields, strict as `kubectl --validate=strict`. Whether the values make
sense is the API server's validation (`lifecycle.engine.rules.validation`). No Django in here.
"""

from __future__ import annotations

from dataclasses import replace

from lifecycle.engine.schema.check import FieldProblem, find_problems, find_type_problems
from lifecycle.engine.schema.decode import drop_nulls
from lifecycle.input.hints import PATCH_DIRECTIVES, PATCH_REMEDY, explain
from lifecycle.input.manifests import FILE_LIMIT_BYTES, Document, read_documents
from lifecycle.input.problems import ManifestError, Problem


def read_manifests(
    text: str | bytes, source: str = "", limit_bytes: int = FILE_LIMIT_BYTES
) -> list[Document]:
    """The objects of a text, each structurally sound. Raises ManifestError with every problem found."""
    documents = read_documents(text, source, limit_bytes)
    check_documents(documents)
    return [replace(document, data=drop_nulls(document.data)) for document in documents]


def check_documents(documents: list[Document]) -> None:
    """Raises ManifestError with the problems of all documents, in their order."""
    problems = [problem for document in documents for problem in check_document(document)]
    if problems:
        raise ManifestError(problems)


def check_document(document: Document) -> list[Problem]:
    """What is structurally wrong with one object, each at its line; empty when it is sound."""
    return [explain(_locate(document, problem)) for problem in find_problems(document.data)]


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

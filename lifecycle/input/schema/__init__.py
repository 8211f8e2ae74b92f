"""Is this manifest an object Kubernetes v1.35 knows, field by field?

Structure only: names and types of fields, strict as `kubectl --validate=strict`. Whether the values make
sense is the API server's validation (`lifecycle.engine.store.validation`). No Django in here.
"""

from dataclasses import replace

from lifecycle.input.manifests import SIZE_LIMIT_BYTES, Document, read_documents
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.input.schema.check import check_document, is_modelled_kind
from lifecycle.input.schema.decoding import decode_json
from lifecycle.input.schema.nulls import drop_nulls

__all__ = [
    "Document",
    "ManifestError",
    "Problem",
    "check_document",
    "check_documents",
    "decode_json",
    "drop_nulls",
    "is_modelled_kind",
    "read_manifests",
]


def read_manifests(
    text: str | bytes, source: str = "", limit_bytes: int = SIZE_LIMIT_BYTES
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

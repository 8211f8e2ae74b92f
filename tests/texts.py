"""Texts of manifests, read as tests want them: all or nothing."""

from lifecycle.input.manifests import Document
from lifecycle.input.reading import Batch, Reading, read_batches


def read_text(text: str | bytes) -> Reading:
    """What somebody pasted, and what became of it."""
    return read_batches([Batch({"": text})])


def read_manifests(text: str | bytes, source: str = "") -> list[Document]:
    """The objects of a text, each structurally sound. Raises ManifestError with every problem found."""
    return read_batches([Batch({source: text})]).require_sound()

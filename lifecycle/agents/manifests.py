"""Manifests as somebody sends them: read, checked as a whole, ready to be applied."""

from __future__ import annotations

from typing import Any

from lifecycle.agents.kubectl.words import Misread
from lifecycle.engine import Cluster as Engine
from lifecycle.input.manifest_admission import list_problems
from lifecycle.input.problems import ManifestError
from lifecycle.input.reading import Batch, read_batches
from lifecycle.simulation.plan import list_new_namespaces, make_namespace

MOST_BYTES = 2 * 1024 * 1024


def read_manifests(text: str, engine: Engine, namespace: str = "default") -> list[dict[str, Any]]:
    """The objects, with the namespaces first that they name and nobody has. Raises Misread.

    All of it is refused where anything is wrong with one of them, each problem at its line.
    """
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) > MOST_BYTES:
        raise Misread(f"error: the manifests have {len(encoded):,} bytes, and {MOST_BYTES:,} is the most")
    release = engine.settings.release
    try:
        reading = read_batches(
            [Batch({"manifests": encoded})], "" if namespace == "default" else namespace, release=release
        )
        documents = reading.require_sound()
        problems = [
            problem for one in documents for problem in list_problems(one, engine.settings.feature_gates)
        ]
        if problems:
            raise ManifestError(problems)
    except ManifestError as error:
        raise Misread("\n".join(str(problem) for problem in error.problems)) from None
    if not documents:
        raise Misread("error: no objects passed: send manifests of Kubernetes as YAML or JSON")
    named = [name for name in list_new_namespaces(documents) if engine.get("Namespace", None, name) is None]
    return [*map(make_namespace, named), *(dict(one.data) for one in documents)]

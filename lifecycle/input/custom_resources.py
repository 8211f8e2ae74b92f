"""Custom resources held to the definitions that come with them, as strictly as kubectl reads a file.

What a cluster's API server says of their values is said when they are applied; here it is only looked at
whether there are such a version and such fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.registry import kind_of_json
from lifecycle.engine.kinds.validation import validate_manifest
from lifecycle.engine.objects.names import DEFINITION
from lifecycle.engine.rules.custom_resources.definition import (
    Definition,
    defined_kind_of,
    find_unserved,
    read_definition,
)
from lifecycle.engine.schema.check import find_problems
from lifecycle.input.manifests import Document
from lifecycle.input.problems import Problem, parse_path


def find_definitions(documents: Iterable[Document]) -> Mapping[str, Definition]:
    """The definitions among the documents that an API server would take, by the kinds they make.

    Only those of which there are objects beside them are read.
    """
    documents = list(documents)
    wanted = {kind_of_json(document.data).id for document in documents}
    found = {}
    for document in documents:
        data = document.data
        if kind_of_json(data).id != DEFINITION or defined_kind_of(data) not in wanted:
            continue
        if not find_problems(data) and not validate_manifest(apply_defaults(data)):
            definition = read_definition(data["spec"])
            found[definition.kind_id] = definition
    return found


def check_custom(document: Document, definitions: Mapping[str, Definition]) -> list[Problem]:
    """What `kubectl apply` would not take of a custom resource; empty where nobody defines it."""
    data = document.data
    definition = definitions.get(kind_of_json(data).id)
    if definition is None:
        return []
    if message := find_unserved(definition, data):
        return [document.problem(("apiVersion",), message)]
    version = definition.versions[data["apiVersion"].rpartition("/")[2]]
    if not version.schema:
        return []
    from lifecycle.engine.rules.custom_resources.structural import prune

    return [_tell_unknown(document, path, version.schema) for path in prune(data, version.schema)[1]]


def _tell_unknown(document: Document, where: str, schema: Mapping[str, object]) -> Problem:
    from difflib import get_close_matches

    from lifecycle.engine.rules.custom_resources.structural import list_known_fields

    path = parse_path(where)
    name = str(path[-1])
    known = {one.lower(): one for one in list_known_fields(schema, path[:-1])}
    close = get_close_matches(name.lower(), known, 1, 0.75)
    remedy = f'did you mean "{known[close[0]]}"?' if close else "its definition has no such field"
    return document.problem(path, f'unknown field "{name}"', remedy)

"""Custom resources beside their definition are read as strictly as kubectl reads a file."""

from __future__ import annotations

import pytest

from lifecycle.input.reading import Batch, read_batches

PARTS = """
            size: {type: integer}
            open: {type: object, x-kubernetes-preserve-unknown-fields: true}
            labels: {type: object, additionalProperties: {type: string}}
            parts: {type: array, items: {type: object, properties: {name: {type: string}}}}"""
DEFINITION = f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: boxes.x.io}}
spec:
  group: x.io
  scope: Namespaced
  names: {{kind: Box, plural: boxes}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:{PARTS.replace("            ", "              ")}
  - {{name: v1beta1, served: false, storage: false, schema: {{openAPIV3Schema: {{type: object}}}}}}
"""


def box(spec: str, version: str = "v1") -> str:
    return f"apiVersion: x.io/{version}\nkind: Box\nmetadata: {{name: a}}\nspec: {spec}\n"


def refusals(*texts: str) -> list[str]:
    reading = read_batches([Batch({"a.yaml": "---\n".join(texts)})])
    return [f"{one.path}: {one.message}; {one.remedy}".removesuffix("; ") for one in reading.report.refused]


@pytest.mark.parametrize(
    "text, said",
    [
        pytest.param(
            box("{size: 1, colour: red}"),
            ['spec.colour: unknown field "colour"; its definition has no such field'],
            id="unknown",
        ),
        pytest.param(
            box("{sise: 1}"), ['spec.sise: unknown field "sise"; did you mean "size"?'], id="mistyped"
        ),
        pytest.param(
            box("{parts: [{name: a}, {nme: b}]}"),
            ['spec.parts[1].nme: unknown field "nme"; did you mean "name"?'],
            id="in a list",
        ),
        pytest.param(
            box("{size: 1}", "v2"),
            ['apiVersion: no matches for kind "Box" in version "x.io/v2"; use x.io/v1'],
            id="no such version",
        ),
        pytest.param(
            box("{size: 1}", "v1beta1"),
            ['apiVersion: no matches for kind "Box" in version "x.io/v1beta1"; use x.io/v1'],
            id="not served",
        ),
        pytest.param(box("{open: {colour: red}, labels: {colour: red}}"), [], id="where all is taken"),
        pytest.param(box("{size: null, parts: null}"), [], id="null"),
        pytest.param(box("{}").replace("Box", "Crate"), [], id="another kind"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False], ids=["definition first", "definition last"])
def test_what_a_definition_does_not_have_is_refused(text: str, said: list[str], is_first: bool) -> None:
    assert refusals(*([DEFINITION, text] if is_first else [text, DEFINITION])) == said


@pytest.mark.parametrize(
    "definition",
    [
        pytest.param("", id="none"),
        pytest.param(DEFINITION.replace("storage: true", "storage: false"), id="one that would be refused"),
        pytest.param(
            DEFINITION.replace("names: {kind: Box, plural: boxes}", "names: {kind: Box}"), id="no plural"
        ),
    ],
)
def test_without_a_sound_definition_objects_are_not_looked_at(definition: str) -> None:
    assert refusals(definition, box("{colour: red}")) == []

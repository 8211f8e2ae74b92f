"""Which nodes a pod asks for by affinity: terms of expressions over a node's labels, and over its name."""

from __future__ import annotations

from ....objects.names import PREFERRED, REQUIRED
from ..words.names import check_label_value, check_qualified, check_subdomain
from ..words.part import Part

_NOT_AN_OPERATOR = "not a valid selector operator"


def validate_node_affinity(nodes: Part) -> None:
    """An affinity's part about nodes (DS-NODE-02). A weight runs from 1 to 100."""
    if nodes[REQUIRED] is not None:
        validate_node_selector(nodes.part(REQUIRED))
    for weighted in nodes.parts(PREFERRED):
        weight = weighted["weight"] or 0
        if not 1 <= weight <= 100:
            weighted.refuse("weight", "must be in the range 1-100", weight)
        # What a value looks like matters only where it decides.
        _validate_term(weighted.part("preference"), are_values_free=True)


def validate_node_selector(selector: Part) -> None:
    """Terms, of which a node is to fulfil one."""
    selector.need("nodeSelectorTerms", "must have at least one node selector term")
    for term in selector.parts("nodeSelectorTerms"):
        _validate_term(term)


def _validate_term(term: Part, are_values_free: bool = False) -> None:
    for expression in term.parts("matchExpressions"):
        _validate_expression(expression, are_values_free)
    for field in term.parts("matchFields"):
        _validate_field(field)


def _validate_expression(expression: Part, are_values_free: bool) -> None:
    """A label, and which values it may have."""
    values = expression["values"] or ()
    match expression["operator"]:
        case "In" | "NotIn":
            expression.need("values", "must be specified when `operator` is 'In' or 'NotIn'")
        case "Exists" | "DoesNotExist":
            if values:
                detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                expression.forbid("values", detail)
        case "Gt" | "Lt":
            if len(values) != 1:
                detail = "must be specified single value when `operator` is 'Lt' or 'Gt'"
                expression.require("values", detail)
        case operator:
            expression.refuse("operator", _NOT_AN_OPERATOR, operator or "")
    key = expression["key"] or ""
    expression.complain("key", check_qualified(key), key)
    for index, value in enumerate(() if are_values_free else values):
        expression.complain(f"values[{index}]", check_label_value(value), value)


def _validate_field(field: Part) -> None:
    """A field of the node: there is none to go by but its name, and one name at a time."""
    values, key = field["values"] or (), field["key"] or ""
    if field["operator"] not in ("In", "NotIn"):
        field.refuse("operator", _NOT_AN_OPERATOR, field["operator"] or "")
    elif len(values) != 1:
        field.require(
            "values", "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        )
    if key != "metadata.name":
        field.refuse("key", "not a valid field selector key", key)
        return
    for index, value in enumerate(values):
        field.complain(f"values[{index}]", check_subdomain(value), value)

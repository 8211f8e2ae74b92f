"""What of a selection the database can look at, so that a list of few does not read all.

It lets more through than is meant, never less: what it gives is looked at once more.
"""

from django.db.models import F, Q
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.lookups import In

from lifecycle.kube_api.asking.field_selectors import FieldSelector
from lifecycle.kube_api.asking.label_selectors import LabelSelector

_OF_ONE = ("in", "=", "==")
_COLUMNS = {"metadata.name": "name", "metadata.namespace": "namespace"}
# Fields that stand in an object as they are selected by.
_IN_JSON = ("spec.nodeName", "status.phase")
_MOST_VALUES = 500


def narrow(labels: LabelSelector, fields: FieldSelector) -> Q:
    """A condition on stored objects that all of a selection meet; one that all meet, where none is known."""
    found = Q()
    for one in labels:
        # A path takes a number for a place in a list.
        if one.operator in _OF_ONE and not one.key.isdigit() and len(one.values) <= _MOST_VALUES:
            found &= Q(In(_at("metadata.labels", one.key), [*one.values]))
    for term in fields:
        if term.is_denied or not term.value:
            continue
        if term.field in _COLUMNS:
            found &= Q(**{_COLUMNS[term.field]: term.value})
        elif term.field in _IN_JSON:
            place, _, name = term.field.rpartition(".")
            found &= Q(In(_at(place, name), [term.value]))
    return found


def _at(place: str, name: str) -> KeyTextTransform:
    """What stands at a place of an object's JSON, as text."""
    whole: F | KeyTransform = F("data")
    for step in place.split("."):
        whole = KeyTransform(step, whole)
    return KeyTextTransform(name, whole)

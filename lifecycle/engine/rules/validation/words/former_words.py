"""How other releases word errors than v1.35: rules speak its words, and who answers puts these in place.

Only words differ here; what is refused is the same.
"""

from __future__ import annotations

from lifecycle.lean_dataclasses import replace

from .field_error import INVALID, REQUIRED, TOO_LONG, FieldError, count_instead

_KEYS_UNTIL, _MOST_REPLICAS_SINCE = 34, 36
_KEY, _FORMER_KEY = "a valid label key must consist of", "a qualified name must consist of"
_ACTION, _ACTIONS_SINCE = 'supported values: "Restart"', 36
_NO_RESTART, _NO_RESTART_OF_POD = "when `restartPolicy` is 'Never'", "when pod `restartPolicy` is 'Never'"
_WHOLE_UNTIL, _WHOLE = 34, "resize of pods with pod-level resources is forbidden when "
_MOST_REPLICAS = "spec.maxReplicas", INVALID, "must be greater than 0"


def word_as(error: FieldError, minor: int) -> FieldError:
    """An error in the words of a minor release."""
    # apimachinery, IsQualifiedName: since v1.35 in pkg/api/validate/content.
    if minor <= _KEYS_UNTIL and _KEY in error.detail:
        return replace(error, detail=error.detail.replace(_KEY, _FORMER_KEY))
    # pkg/apis/core/validation/validation.go: validateContainerRestartPolicy, ValidatePodResize
    if minor >= _ACTIONS_SINCE and error.detail == _ACTION and ".restartPolicyRules[" in error.path:
        return replace(error, detail=f'{_ACTION}, "RestartAllContainers"')
    # kubernetes/kubernetes#137136
    if minor >= _ACTIONS_SINCE and error.type == TOO_LONG and ".restartPolicyRules" in error.path:
        return count_instead(error)
    if minor >= _ACTIONS_SINCE and error.detail.endswith(_NO_RESTART) and ".resizePolicy" in error.path:
        return replace(error, detail=error.detail.replace(_NO_RESTART, _NO_RESTART_OF_POD))
    if minor <= _WHOLE_UNTIL and error.detail.startswith(_WHOLE):
        return replace(error, detail="pods with pod-level resources cannot be resized")
    if minor < _MOST_REPLICAS_SINCE or (error.path, error.type, error.detail) != _MOST_REPLICAS:
        return error
    # pkg/apis/autoscaling/validation/validation.go
    if error.value == 0:
        return FieldError(error.path, REQUIRED, "", "must be set and greater than 0")
    return replace(error, detail="must be greater than or equal to 1")

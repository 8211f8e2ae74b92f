"""Names, labels and ports: what Kubernetes lets a name look like.

Each function returns complaints in the API server's words, none when the name is good.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ....releases.gates import is_enabled

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
LABEL_WITH_UNDERSCORES = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
SUBDOMAIN_WITH_UNDERSCORES = rf"{LABEL_WITH_UNDERSCORES}(\.{LABEL_WITH_UNDERSCORES})*"
WILDCARD = rf"\*\.{SUBDOMAIN}"
RELAXED_SERVICE_GATE = "RelaxedServiceNameValidation"
LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
LABEL_VALUE = f"({QUALIFIED})?"
CONFIG_KEY = "[-._a-zA-Z0-9]+"
HTTP_HEADER = "[-A-Za-z0-9]+"

_TEXTS = {
    SUBDOMAIN: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
    f"regex used for validation is '{SUBDOMAIN}')",
    LABEL: "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', "
    f"regex used for validation is '{LABEL}')",
    LABEL_1035: "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  "
    f"or 'abc-123', regex used for validation is '{LABEL_1035}')",
    SUBDOMAIN_WITH_UNDERSCORES: "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
    f"regex used for validation is '{SUBDOMAIN_WITH_UNDERSCORES}')",
    WILDCARD: "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which "
    "must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character "
    f"(e.g. '*.example.com', regex used for validation is '{WILDCARD}')",
    QUALIFIED: "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
    f"regex used for validation is '{QUALIFIED}')",
    LABEL_VALUE: "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
    "or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyValue',  or 'my_value',  or '12345', "
    f"regex used for validation is '{LABEL_VALUE}')",
    CONFIG_KEY: "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "
    "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', "
    f"regex used for validation is '{CONFIG_KEY}')",
    HTTP_HEADER: "a valid HTTP header must consist of alphanumeric characters or '-' "
    f"(e.g. 'X-Header-Name', regex used for validation is '{HTTP_HEADER}')",
}


_LONGEST_LABEL, _LONGEST_STEM = 63, 58
_LONGEST_LOOK = 1024


def _check(text: str, pattern: str, most: int, unit: str = "characters") -> list[str]:
    # Whatever they are called, bytes are counted.
    found = []
    if len(text.encode()) > most:
        found.append(f"must be no more than {most} {unit}")
    # Far too long names are not worth a look; `$` would accept a trailing line break, fullmatch does not.
    if len(text) <= _LONGEST_LOOK and not re.fullmatch(pattern, text):
        found.append(_TEXTS[pattern])
    return found


def check_subdomain(text: str) -> list[str]:
    """A DNS subdomain: the names of most objects."""
    return _check(text, SUBDOMAIN, 253)


def check_long_name(text: str) -> list[str]:
    """The same, in the words of rules that newer kinds of checks share."""
    return _check(text, SUBDOMAIN, 253, "bytes")


def check_subdomain_with_underscores(text: str) -> list[str]:
    """A DNS subdomain as name servers take them."""
    return _check(text, SUBDOMAIN_WITH_UNDERSCORES, 253)


def check_wildcard(text: str) -> list[str]:
    """All subdomains of a DNS subdomain."""
    return _check(text, WILDCARD, 253)


def generate(stem: str, suffix: str) -> str:
    """A name of 63 characters at most: what is too long of the stem is left out."""
    return stem[:_LONGEST_STEM] + suffix


def check_label(text: str) -> list[str]:
    """A DNS label: containers, volumes, namespaces. Of a good name with dots those are what is wrong."""
    found = _check(text, LABEL, _LONGEST_LABEL)
    if "." in text and not check_subdomain(text):
        return [*found[:-1], "must not contain dots"]
    return found


def check_label_1035(text: str) -> list[str]:
    """A DNS label that starts with a letter."""
    return _check(text, LABEL_1035, 63)


def check_group_version(text: str) -> list[str]:
    """What cannot be read as a group and a version, or a version alone."""
    return [f"unexpected GroupVersion string: {text}"] if text.count("/") > 1 else []


def check_service_name(text: str, gates: Mapping[str, bool]) -> list[str]:
    """Any DNS label where the gate is on, else one that starts with a letter.

    Models ValidateServiceCreate in pkg/apis/core/validation/validation.go and, of an Ingress's backend,
    validateIngressBackend in pkg/apis/networking/validation/validation.go.
    """
    return check_label(text) if is_enabled(gates, RELAXED_SERVICE_GATE) else check_label_1035(text)


def check_label_value(text: str) -> list[str]:
    """A label's value: empty, or at most 63 letters, digits, '-', '_' and '.'."""
    return _check(text, LABEL_VALUE, 63, "bytes")


def check_config_key(text: str) -> list[str]:
    """A key of a ConfigMap or Secret."""
    found = _check(text, CONFIG_KEY, 253)
    if text in (".", ".."):
        found.append(f"must not be '{text}'")
    elif text.startswith(".."):
        found.append("must not start with '..'")
    return found


def check_http_header(text: str) -> list[str]:
    """The name of an HTTP header."""
    return [] if re.fullmatch(HTTP_HEADER, text) else [_TEXTS[HTTP_HEADER]]


def check_qualified(text: str) -> list[str]:
    """A label key: an optional DNS prefix, a slash and a name."""
    prefix, slash, name = text.rpartition("/")
    found = []
    if "/" in prefix:
        return [
            f"a valid label key {_TEXTS[QUALIFIED]} with an optional DNS subdomain prefix and '/' "
            "(e.g. 'example.com/MyName')"
        ]
    if slash:
        if not prefix:
            found.append("prefix part must be non-empty")
        else:
            found += [f"prefix part {complaint}" for complaint in _check(prefix, SUBDOMAIN, 253, "bytes")]
    if not name:
        found.append("name part must be non-empty")
    found += [f"name part {complaint}" for complaint in _check(name, QUALIFIED, 63, "bytes")]
    return found


def check_port_name(text: str) -> list[str]:
    """An IANA service name: the name of a container's port."""
    found = []
    if len(text) > 15:
        found.append("must be no more than 15 characters")
    if not re.fullmatch("[-a-z0-9]+", text):
        found.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        found.append("must contain at least one letter (a-z)")
    if "--" in text:
        found.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        found.append("must not begin or end with a hyphen")
    return found


def check_env_name(text: str) -> list[str]:
    """Environment variables may be named with any printable ASCII but `=`."""
    if text and all(" " <= letter <= "~" and letter != "=" for letter in text):
        return []
    text = "a valid environment variable name must consist only of printable ASCII characters"
    return [f"{text} other than '='"]


def check_descending_path(value: str) -> list[str]:
    """A path within a volume."""
    problems = ["must be a relative path"] if value.startswith("/") else []
    if ".." in value.split("/"):
        problems.append("must not contain '..'")
    return problems


def check_local_path(value: str) -> list[str]:
    """A path of a file below its volume, none of the names that the kubelet keeps for itself."""
    problems = check_descending_path(value)
    if value.startswith("..") and not value.startswith("../"):
        problems.append("must not start with '..'")
    return problems

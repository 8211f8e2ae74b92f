"""Every door that takes JSON, YAML or protobuf bounds how deep and how much it is, before it is read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError

from dashboard.asking.uploads import read_paths
from lifecycle.admin.clusters import SettingsDecoder
from lifecycle.engine.objects.wire import Malformed
from lifecycle.engine.programs.behavior_yaml import read_annotation
from lifecycle.engine.rules.managed_fields.paths import read_fields
from lifecycle.engine.rules.validation.configurations import _validate_registries
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.manifests import read_documents
from lifecycle.input.problems import ManifestError
from lifecycle.kube_api.asking.bodies import Unreadable, read_json, read_yaml
from lifecycle.kube_api.protobuf import decoding
from lifecycle.kube_api.protobuf.decoding import MAGIC, decode
from lifecycle.kube_api.reading.lists import read_token
from lifecycle.kube_api.status import Refusal

DEEP, MANY = "more than 100 levels deep", "more than 250,000 values"
NESTED = "[" * 5000 + "]" * 5000
WIDE = "[" + "[]," * 300_000 + "1]"


SLOW = pytest.mark.slow


def read_file(text: str) -> None:
    read_documents(text, "a.yaml", budget=Budget(250_000))


def in_token(text: str) -> None:
    read_token(base64.urlsafe_b64encode(text.encode()).decode().rstrip("="))


def field(number: int, content: bytes) -> bytes:
    size, length = len(content), b""
    while size > 0x7F:
        length, size = length + bytes([size & 0x7F | 0x80]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def in_protobuf(spec: bytes) -> None:
    header = field(1, b"v1") + field(2, b"Pod")
    decode(MAGIC + field(1, header) + field(2, field(2, spec)))


@pytest.mark.parametrize(
    "read, kind",
    [
        pytest.param(lambda text: read_json(text.encode()), Unreadable, id="a body of JSON, or a patch"),
        pytest.param(lambda text: read_yaml(text.encode()), Unreadable, id="JSON that is said to be YAML"),
        pytest.param(
            lambda text: read_yaml(f"a: {text}".encode()), Unreadable, id="a body of YAML", marks=SLOW
        ),
        pytest.param(in_token, Refusal, id="a token to go on with"),
        pytest.param(SettingsDecoder().decode, json.JSONDecodeError, id="settings in the admin"),
        pytest.param(lambda text: read_file(f"a: {text}"), ManifestError, id="a file", marks=SLOW),
        pytest.param(lambda text: read_file(f'{{"a": {text}}}'), ManifestError, id="a JSON file"),
        pytest.param(lambda text: read_fields({f"v:{text}": {}}), ValueError, id="managers of fields"),
    ],
)
@pytest.mark.parametrize("text, words", [(NESTED, DEEP), (WIDE, MANY)], ids=["deep", "many"])
def test_the_limit_is_named(
    read: Callable[[str], object], kind: type[Exception], text: str, words: str
) -> None:
    with pytest.raises(kind) as caught:
        read(text)
    assert words in str(caught.value)


@pytest.mark.parametrize("text", [NESTED, WIDE], ids=["deep", "many"])
def test_what_only_has_to_be_a_list_of_texts_is_refused_as_any_other(text: str) -> None:
    with pytest.raises(ValidationError, match="a list of texts"):
        read_paths(text)


@pytest.mark.parametrize("text, words", [(NESTED, DEEP), (WIDE, MANY)], ids=["deep", "many"])
def test_access_to_registries_is_judged_before_it_is_read(text: str, words: str) -> None:
    (error,) = _validate_registries({"a": base64.b64encode(text.encode()).decode()}, "a")
    assert words in str(error)


def test_a_behavior_is_no_longer_than_annotations_may_be() -> None:
    (problem,) = read_annotation("- a\n" * 70_000).problems
    assert problem.text.startswith("more than 262,144 letters")


def test_files_of_json_share_what_may_be_read() -> None:
    budget = Budget(100)
    kept = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "[,{:"}}'
    for count in (1, 2, 3, 4, 5, 6, 7):
        read_documents(kept, budget=budget)
        assert budget.used == 12 * count
    with pytest.raises(ManifestError, match="more than 100 values"):
        read_documents(f"{kept}\n{kept}", budget=budget)


def test_empty_messages_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MOST_VALUES", 1000)
    # Containers of nothing: two bytes each. Beside them there is the spec itself.
    in_protobuf(field(2, b"") * 999)
    with pytest.raises(Malformed, match="more than 1,000 values"):
        in_protobuf(field(2, b"") * 1000)


@pytest.mark.slow
def test_repeated_keys_are_told_up_to_a_hundred() -> None:
    many = ",".join(['{"a":1,"a":2}'] * 30_000)
    body = read_json(f"[{many}]".encode())
    assert body.value[-1] == {"a": 2}
    assert body.repeated[:2] == ['duplicate field "[0].a"', 'duplicate field "[1].a"']
    assert len(body.repeated) == 100

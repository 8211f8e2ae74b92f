"""Text to objects, as Kubernetes reads it, and never a crash on what cannot be read."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifecycle.admin.texts import to_yaml
from lifecycle.input.manifests import FILE_LIMIT_BYTES, ManifestError, read_documents
from tests.seeds import one_in


def read(text, **options):
    return [document.data for document in read_documents(text, **options)]


def refuse(text, **options):
    with pytest.raises(ManifestError) as caught:
        read_documents(text, **options)
    return caught.value.problems


@pytest.mark.parametrize(
    "written, meant",
    [
        ("yes", True),
        ("Off", False),
        ("y", True),
        ("'yes'", "yes"),
        ("~", None),
        ("", None),
        ("0644", 0o644),
        ("0o644", 0o644),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("089", 89),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("1e3", 1000),
        ("1.0", 1),
        ("1.10", 1.1),
        ("1.14.2", "1.14.2"),
        ("500m", "500m"),
        ("18446744073709551616", 18446744073709551616.0),
        ("!!str 12", "12"),
        ("!!int '12'", 12),
        ("!!binary aGVsbG8=", "hello"),
        ("=", "="),
        (r'"it\'s"', "it's"),
        (r'"ü\' \\\" \' end"', "ü' \\\" ' end"),
        (r"it\'s", r"it\'s"),
        ("<<", "<<"),
    ],
)
def test_a_scalar_means_what_it_means_to_kubernetes(written, meant):
    (data,) = read(f"value: {written}")
    assert data["value"] == meant
    assert type(data["value"]) is type(meant)


def test_keys_become_text():
    assert read("8080: a\nyes: b\n1.5: c") == [{"8080": "a", "true": "b", "1.5": "c"}]


@pytest.mark.parametrize("key", ["<<", "!!merge <<"])
def test_merge_keys_fill_what_is_not_given(key):
    others = "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\n"
    text = f"{others}merged:\n  {key}: [*base, *other]\n  a: 5\n"
    assert read(text)[0]["merged"] == {"a": 5, "b": 2, "c": 4}


@pytest.mark.parametrize("key", ['"<<"', "'<<'", "!!str <<"])
def test_a_quoted_merge_key_is_a_key(key):
    assert read(f"base: &base {{a: 1}}\nother:\n  {key}: *base\n")[0]["other"] == {"<<": {"a": 1}}


def test_several_documents_and_empty_ones():
    assert read("---\n# nothing\n---\na: 1\n---\n\n---\nb: 2\n...\n") == [{"a": 1}, {"b": 2}]


def test_lists_are_unpacked():
    text = "apiVersion: v1\nkind: List\nitems:\n- {kind: Pod}\n- kind: List\n  items: [{kind: Service}]\n"
    assert [data["kind"] for data in read(text)] == ["Pod", "Service"]


def test_items_of_a_typed_list_inherit_its_kind():
    (data,) = read("apiVersion: apps/v1\nkind: DeploymentList\nitems: [{metadata: {name: a}}]")
    assert data == {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}}


def test_json_is_read_with_its_escapes_and_one_object_after_another():
    assert read('{"a": "\\ud83d\\ude00", "b": 2.0}\n\t{"c": []}') == [{"a": "😀", "b": 2}, {"c": []}]


def test_json_with_comments_and_bare_keys_is_still_yaml():
    assert read("---\n{\n  a: [1, 2,], # a comment\n}\n") == [{"a": [1, 2]}]


APOSTROPHE = r'"a\'b\n{}"'


def test_of_many_apostrophes_none_is_left_out_and_lines_stay():
    text = "\n".join(f"k{number}: {APOSTROPHE.format(number)}" for number in range(50))
    assert read(text)[0]["k49"] == "a'b\n49"
    assert refuse(f"{text}\nk0: 1")[0].line == 51


@pytest.mark.slow
@pytest.mark.parametrize("count, most_seconds", one_in(2, [(12_000, 4), (60_000, 15)]))
def test_very_many_apostrophes_of_a_hostile_text_are_answered_in_time(count, most_seconds):
    started = time.process_time()
    with contextlib.suppress(ManifestError):
        read_documents("\n".join(f"k{number}: {APOSTROPHE}" for number in range(count)))
    assert time.process_time() - started < most_seconds


@pytest.mark.parametrize("mark", ["---\n\ufeff", "\ufeff---\n"])
def test_files_that_were_joined_keep_their_marks(mark):
    assert read(f"\ufeffa: 1\n{mark}b: 2\n") == [{"a": 1}, {"b": 2}]
    assert read(f"\ufeffa: 1\n{mark}b: 2\n".encode()) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_bytes_are_decoded_by_their_mark(encoding):
    assert read("a: é".encode(encoding)) == [{"a": "é"}]


@pytest.mark.parametrize(
    "text, line, said",
    [
        pytest.param("a: b: c", 1, "not valid YAML", id="malformed"),
        pytest.param("a: [\n", 2, "not valid YAML", id="left open"),
        pytest.param("a:\n\t- b", 2, "indent with spaces, not with tabs", id="tab"),
        pytest.param("a: {{ .Values.b }}", 1, "helm template", id="template as a key"),
        pytest.param("a: {{- if b }}", 1, "helm template", id="template"),
        pytest.param("a: 1\nb: 2\na: 3", 3, 'the key "a" is given twice, first on line 1', id="twice"),
        pytest.param("a: *b", 1, "no anchor is named b", id="no anchor"),
        pytest.param("a: &a [*a]", 1, "stands inside what it names", id="endless"),
        pytest.param("a: .inf", 1, "not a number JSON can hold", id="infinity"),
        pytest.param("a: !secret b", 1, "does not know the tag !secret", id="tag"),
        pytest.param("- a", 1, "a manifest is a mapping", id="list"),
        pytest.param("hello", 1, 'not the text "hello"', id="text"),
        pytest.param("? [a]\n: b", 1, "a key must be text", id="key"),
        pytest.param("a: \x07", None, "control characters", id="control"),
        pytest.param("[" * 100_000, 1, "nested more than 100 levels deep", id="deep"),
        pytest.param("- " * 50_000 + "a", 1, "nested more than 100 levels deep", id="deep block"),
        pytest.param('{"a": 1, "a": 2}', None, 'the key "a" is given twice', id="json twice"),
        pytest.param('{"a": "\\ud83d"}', None, "half a character", id="half a character"),
        pytest.param("a: \ud83d", None, "character 4 is half a character", id="half a character of a text"),
        pytest.param('{"a": NaN}', None, "NaN is not a number JSON can hold", id="json without numbers"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text, line, said):
    (problem,) = refuse(text)
    assert said in str(problem)
    assert problem.line == line


def make_bomb(levels):
    lines = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.slow
def test_an_alias_bomb_is_refused():
    (problem,) = refuse(make_bomb(9))
    assert "aliases expand to more than 50,000 values" in str(problem)


def test_stacked_aliases_cannot_be_deeper_than_the_limit():
    lines = [f"a{n}: &a{n} {'[' * 90}{f'*a{n - 1}' if n else 'x'}{']' * 90}" for n in range(60)]
    (problem,) = refuse("\n".join(lines))
    assert "nested more than 100 levels deep" in str(problem)


def test_ordinary_aliases_are_copied():
    (data,) = read("a: &x {b: 1}\nc: *x")
    assert data == {"a": {"b": 1}, "c": {"b": 1}}
    assert data["a"] is not data["c"]


def test_two_megabytes_are_refused_before_they_are_parsed():
    (problem,) = refuse("a: " + "x" * 2_000_000, limit_bytes=1024 * 1024)
    assert str(problem) == (
        "2,000,003 bytes are more than the limit of 1 MiB; split it into several files;"
        " `manage.py simulate` takes 32 MiB each"
    )
    assert len(read("a: " + "x" * 2_000_000)) == 1


def test_a_file_may_have_32_mebibytes():
    (problem,) = refuse(b" " * (FILE_LIMIT_BYTES + 1))
    assert str(problem) == "33,554,433 bytes are more than the limit of 32 MiB; split it into several files"


@pytest.mark.slow
def test_two_megabytes_of_a_custom_resource_definition_are_read_in_time():
    """Argo CD's install.yaml has as many lines, most of them in one definition."""
    entry = "  k{}:\n    description: |-\n      {}\n    items:\n      type: string\n    type: array\n"
    text = "spec:\n" + "".join(entry.format(number, "what it is for " * 15) for number in range(6300))
    assert 1_800_000 < len(text) < 2_000_000
    started = time.process_time()
    (document,) = read_documents(text)
    assert time.process_time() - started < 3
    assert document.line_of(("spec", "k6299", "type")) == 6300 * 6 + 1


def test_broken_bytes_are_named():
    assert "byte 4 is not valid UTF-8" in str(refuse(b"a: \xff")[0])


def test_a_problem_knows_its_document_and_source():
    (problem,) = refuse("a: 1\n---\nb: 1\nb: 2", source="web.yaml")
    assert str(problem).startswith("web.yaml, document 2, line 4: ")


def test_lines_are_found_by_path():
    (document,) = read_documents("kind: Pod\nspec:\n  containers:\n  - name: a\n    image: 1.10\n")
    image = ("spec", "containers", 0, "image")
    assert document.line_of(image) == 5
    assert document.text_at(image) == "1.10"
    assert document.line_of(("spec", "volumes", 3)) == 2


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc.<1~y=:", min_size=1), inner, max_size=3)
    ),
    max_leaves=10,
)


@pytest.mark.slow
@given(st.dictionaries(st.text("abc", min_size=1), _JSON, min_size=1))
def test_what_is_written_reads_back(data):
    assert read(to_yaml(data)) == [data]


WRITTEN = """\
# A comment
apiVersion: v1
kind: Pod
metadata: {
  name: "web",
  labels: {app: 'web', &anchor tier: *anchor}
}
spec:
  containers:
  - name: web
    command: [
      "sh", -c, |
    ]
    args:
    - >-
      text
    - !!str 1
---
{"kind": [1, 2.5e3, null,
 true]}
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", ["", "\n", "\r\n\r", "\t", "\x85", "\u2028", "{{", ": ", '"', "[\n\n"])
def test_a_text_that_breaks_off_anywhere_is_read_or_refused(end):
    for length in range(len(WRITTEN)):
        with contextlib.suppress(ManifestError):
            read_documents(WRITTEN[:length] + end)


@pytest.mark.slow
@given(st.text(st.characters(exclude_categories=[]), max_size=200) | st.binary(max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        read_documents(text)
    except ManifestError as error:
        assert str(error)

"""Archives that `kubectl cp` sends: bounded by what their members hold, in every format; never a crash."""

from __future__ import annotations

import gzip
import io
import tarfile
from typing import Any

import pytest

from lifecycle.kube_api.containers import archives
from lifecycle.kube_api.containers.archives import MOST_BYTES, Tar

GIBIBYTE, TEBIBYTE = 1 << 30, 1 << 40
TOO_MUCH = "at most 1,048,576 bytes are copied at once"
BROKEN = "tar: invalid tar magic\n"


def extract(given: bytes) -> tuple[str, dict[str, int]]:
    """What tar complains of, and the sizes of the files that it wrote."""
    written: dict[str, int] = {}

    def run(command: list[str], text: str) -> dict[str, Any]:
        if command[0] == "sh":
            written[command[-1]] = len(text)
        return {"exitCode": 0, "stdout": "", "stderr": ""}

    return archives.carry_out(Tar(True, "/tmp"), run, given).errors, written


def make_header(kind: bytes = b"0", size: int = 0, name: str = "bomb", **blocks: Any) -> bytes:
    """A header block. `blocks`: bytes to put at other places, as at_<offset>."""
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    block = bytearray(member.tobuf(tarfile.GNU_FORMAT)[:512])
    for place, content in blocks.items():
        at = int(place.removeprefix("at_"))
        block[at : at + len(content)] = content
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def number(value: int) -> bytes:
    """As GNU tar writes a number in 12 bytes, however large."""
    return b"\x80" + value.to_bytes(11, "big") if value >= 8**11 else b"%011o\0" % value


def make_old_sparse(real: int, is_extended: bool = False) -> bytes:
    """GNU's first way: the map stands in the header, in which one piece of no bytes is at the end."""
    blocks = {
        "at_386": number(real) + number(0),
        "at_482": b"\1" if is_extended else b"\0",
        "at_483": number(real),
    }
    return make_header(b"S", 0, **blocks)


def make_records(**pairs: str) -> bytes:
    records = b""
    for key, value in pairs.items():
        text = f" {key.replace('__', '.')}={value}\n"
        length = len(text) + len(str(len(text)))
        length = len(text) + len(str(length))
        records += f"{length}{text}".encode()
    return records


def make_attributes(**pairs: str) -> bytes:
    """A header of attributes, and its records: the header of a file is to follow."""
    records = make_records(**pairs)
    return make_header(b"x", len(records), "attributes") + records.ljust(-(-len(records) // 512) * 512, b"\0")


def make_sparse_0_0(real: int) -> bytes:
    said = {"GNU__sparse__size": str(real), "GNU__sparse__numblocks": "1"}
    said |= {"GNU__sparse__offset": str(real), "GNU__sparse__numbytes": "0"}
    return make_attributes(**said) + make_header()


def make_sparse_0_1(real: int) -> bytes:
    said = {"GNU__sparse__size": str(real), "GNU__sparse__map": f"{real},0", "GNU__sparse__name": "bomb"}
    return make_attributes(**said) + make_header()


def make_sparse_1_0(real: int) -> bytes:
    said = {"GNU__sparse__major": "1", "GNU__sparse__minor": "0", "GNU__sparse__realsize": str(real)}
    pieces = f"1\n{real}\n0\n".encode().ljust(512, b"\0")
    return make_attributes(**said, GNU__sparse__name="bomb") + make_header(size=512) + pieces


@pytest.mark.parametrize("real", [MOST_BYTES + 1, GIBIBYTE, TEBIBYTE])
@pytest.mark.parametrize("make", [make_old_sparse, make_sparse_0_0, make_sparse_0_1, make_sparse_1_0])
def test_a_sparse_member_counts_with_its_holes(make, real):
    complaint, written = extract(make(real) + bytes(1024))
    assert complaint == f"tar: bomb: {TOO_MUCH}\n"
    assert written == {}


def test_a_member_is_not_read_before_its_size_is_judged(monkeypatch):
    monkeypatch.setattr(tarfile.TarFile, "extractfile", lambda *_: pytest.fail("it was opened"))
    assert TOO_MUCH in extract(make_old_sparse(TEBIBYTE) + bytes(1024))[0]


def test_all_members_of_an_archive_share_the_bound(monkeypatch):
    monkeypatch.setattr(archives, "MOST_BYTES", 1000)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in "abc":
            member = tarfile.TarInfo(name)
            member.size = 400
            archive.addfile(member, io.BytesIO(b"x" * 400))
    complaint, written = extract(buffer.getvalue())
    assert complaint == "tar: c: at most 1,000 bytes are copied at once\n"
    assert written == {"/tmp/a": 400, "/tmp/b": 400}


@pytest.mark.parametrize(
    "archive",
    [
        pytest.param(make_old_sparse(10, is_extended=True), id="a map goes on and does not"),
        pytest.param(make_attributes(path="x" * 1100) + make_header(), id="long attributes"),
        pytest.param(make_header(b"x", 500_000) + b"1" * 500_000, id="attributes of digits alone"),
        pytest.param(make_header(b"L", 9000) + b"n" * 9216 + make_header(), id="a name without end"),
        pytest.param(make_attributes(path="x") * 400 + make_header(), id="attributes of attributes"),
        pytest.param(make_header(b"L", 5) * 900 + make_header(), id="names of names"),
        pytest.param(make_header(at_124=b"\xff" * 12), id="a size below 0"),
        pytest.param(make_attributes(GNU__sparse__map="1,2,x") + make_header(), id="no numbers"),
    ],
)
def test_a_broken_archive_is_refused_at_once(archive):
    assert extract(archive) == (BROKEN, {})


def test_a_size_below_0_among_the_attributes_has_no_end():
    archive = make_header(name="first") + make_attributes(size="-1536") + make_header()
    complaint, written = extract(archive + bytes(1024))
    assert complaint == f"tar: bomb: {TOO_MUCH}\n" and written == {"/tmp/first": 0}


def test_what_kubectl_packs_is_taken():
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        member = tarfile.TarInfo(f"{'folder/' * 40}ü")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
    assert extract(buffer.getvalue()) == ("", {f"/tmp/{'folder/' * 40}ü": 3})


OUT_OF = Tar(True, "/tmp")


@pytest.mark.parametrize(
    "command, asked",
    [
        ("tar -xmf - -C /tmp", OUT_OF),
        ("tar xf - -C /tmp", OUT_OF),
        ("tar -C /tmp -xf -", OUT_OF),
        ("/bin/tar --extract --file=- --directory=/tmp", OUT_OF),
        ("tar xf - --directory /tmp --no-same-owner", OUT_OF),
        ("tar xvf - -C /tmp", Tar(True, "/tmp", is_verbose=True)),
        ("tar -xvzf - -C/tmp", Tar(True, "/tmp", is_zipped=True, is_verbose=True)),
        ("tar fx - -C /tmp", OUT_OF),
        ("tar xfC - /tmp", OUT_OF),
        ("tar xC /tmp", OUT_OF),
        ("tar xzf -", Tar(True, is_zipped=True)),
        ("tar cf - /a /b", Tar(False, paths=("/a", "/b"))),
        ("tar zcf - -C /tmp a", Tar(False, "/tmp", ("a",), is_zipped=True)),
        ("tar -cf - -- -a", Tar(False, paths=("-a",))),
    ],
)
def test_letters_may_stand_in_any_order(command, asked):
    assert archives.read(command.split()) == asked


@pytest.mark.parametrize(
    "command",
    [
        "tar",
        "tar tf -",
        "tar cf /tmp/a.tar /tmp",
        "tar xf /tmp/a.tar",
        "tar xjf -",
        "tar xf - one",
        "tar cf -",
        "tar xcf - a",
        "tar --strip-components=1 -xf -",
        "tar f",
        "zip -r - .",
        "",
    ],
)
def test_what_is_not_modelled_is_left_to_who_says_so(command):
    assert archives.read(command.split()) is None


def make_plain() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in {".": None, "./a": b"one", "b/c": b"two"}.items():
            member = tarfile.TarInfo(name)
            member.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
            member.size = len(content or b"")
            archive.addfile(member, io.BytesIO(content or b""))
    return buffer.getvalue()


@pytest.mark.parametrize("is_zipped", [False, True])
def test_the_end_of_an_archive_is_known_without_the_end_of_the_input(is_zipped):
    given = gzip.compress(make_plain()) if is_zipped else make_plain()
    tar = Tar(True, "/tmp", is_zipped=is_zipped, is_verbose=True)
    assert archives.Ending(tar).comes_with(given)
    ending = archives.Ending(tar)
    pieces = [given[start : start + 7] for start in range(0, len(given), 7)]
    told = [ending.comes_with(one) for one in pieces]
    # Of one that is not zipped what fills its last record is as its end.
    assert told.index(True) * 7 >= min(len(given), 2048) - 7 and told[-1] is True
    written, folders = {}, []

    def run(command: list[str], text: str) -> dict[str, Any]:
        if command[0] == "sh":
            written[command[-1]] = text
        else:
            folders.append(command[-1])
        return {"exitCode": 0, "stdout": "", "stderr": ""}

    done = archives.carry_out(tar, run, given)
    assert (done.errors, done.code, done.output) == ("", 0, b".\n./a\nb/c\n")
    assert written == {"/tmp/a": "one", "/tmp/b/c": "two"} and folders == ["/tmp", "/tmp/b"]


@pytest.mark.parametrize(
    "given, words",
    [
        (b"no gzip", "invalid gzip magic"),
        (gzip.compress(bytes(64 * MOST_BYTES)), TOO_MUCH),
        (gzip.compress(b"x" * 100), "invalid tar magic"),
    ],
)
def test_what_unzips_without_end_is_cut_off(given, words):
    done = archives.carry_out(Tar(True, "/tmp", is_zipped=True), lambda *asked: {}, given)
    assert done.code == 1 and words in done.errors


def test_files_of_a_folder_are_named_from_there():
    answers = {"find": "/srv/./a\n", "stat": "7 644\n", "cat": "one"}

    def run(command: list[str], text: str) -> dict[str, Any]:
        return {"exitCode": 0, "stdout": answers[command[0]], "stderr": ""}

    done = archives.carry_out(Tar(False, "/srv", (".",), is_zipped=True), run, b"")
    with tarfile.open(fileobj=io.BytesIO(done.output), mode="r:gz") as archive:
        assert archive.getnames() == ["./a"] and done.errors == ""

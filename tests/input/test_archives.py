"""Archives somebody sends: what is unpacked, and what no archive can make us do."""

from __future__ import annotations

import random
import stat
import struct
import tarfile
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

import pytest

from lifecycle.input import archives
from lifecycle.input.archives import MOST_ENTRIES, is_archive, unpack
from lifecycle.input.problems import ManifestError

pytestmark = pytest.mark.slow

LIMIT = 1024 * 1024
POD = b"apiVersion: v1\nkind: Pod\n"
# Where the bits that say "encrypted" stand, counted from the beginning of either header.
LOCAL_FLAGS, CENTRAL_FLAGS = 6, 8
CENTRAL = b"PK\x01\x02"


def pack(files: dict[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(ZipInfo(name), content, method)
    return packed.getvalue()


def pack_tar(files: dict[str, bytes | tarfile.TarInfo], mode: str = "w:gz") -> bytes:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
    return packed.getvalue()


def make_entry(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


def refusal(content: bytes) -> str:
    with pytest.raises(ManifestError) as caught:
        unpack(content, "shop.zip", LIMIT)
    return str(caught.value)


def test_an_archive_is_a_folder_of_which_only_manifests_are_opened():
    inner = pack({"x.yaml": POD})
    files = {
        "a/pod.yaml": POD,
        "a/photo.png": b"x" * 3 * LIMIT,
        "a/.env.yaml": POD,
        "inner.zip": inner,
        "b/": b"",
    }
    batch = unpack(pack(files), "shop.zip", LIMIT)
    assert dict(batch.files) == {"a/pod.yaml": POD, "a/photo.png": b"", "a/.env.yaml": b"", "inner.zip": b""}
    assert (batch.name, batch.is_folder, batch.unreadable) == ("shop.zip", True, ())


@pytest.mark.parametrize("method", [ZIP_STORED, ZIP_DEFLATED])
def test_what_zip_makes_is_an_archive_and_a_manifest_is_none(method):
    assert is_archive(pack({"a.yaml": POD}, method))
    assert is_archive(pack({}))
    assert not is_archive(POD)


@pytest.mark.parametrize(
    "name",
    ["../up.yaml", "/etc/pod.yaml", "a/../../up.yaml", "a\\..\\up.yaml", "x" * 1025, "d/" * 60 + "pod.yaml"],
)
def test_an_entry_with_a_tricky_path_is_refused_and_the_others_are_taken(name):
    batch = unpack(pack({name: POD, "good.yaml": POD}), "shop.zip", LIMIT)
    assert dict(batch.files) == {"good.yaml": POD}
    assert [problem.message.startswith("its path ") for problem in batch.unreadable] == [True]


def test_an_entry_that_is_there_twice_or_packed_in_a_rare_way_is_refused():
    packed = BytesIO()
    with ZipFile(packed, "w") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("a.yaml", POD)
        archive.writestr("a.yaml", b"other")
        archive.writestr(ZipInfo("b.yaml"), POD, ZIP_LZMA)
    batch = unpack(packed.getvalue(), "shop.zip", LIMIT)
    assert dict(batch.files) == {"a.yaml": POD}
    assert [str(problem) for problem in batch.unreadable] == [
        "shop.zip/a.yaml: it is in the archive twice; pack it once",
        "shop.zip/b.yaml: it is compressed in a rare way; pack it with `zip`",
    ]


def test_an_encrypted_archive_is_refused():
    content = bytearray(pack({"a.yaml": POD}))
    for place in (LOCAL_FLAGS, content.index(CENTRAL) + CENTRAL_FLAGS):
        content[place] |= 1
    assert refusal(bytes(content)) == "shop.zip: it is encrypted; pack it without a password"


@pytest.mark.parametrize("is_lying", [False, True])
def test_a_bomb_is_refused_whatever_its_header_says(is_lying):
    """A thousand to one: what it unpacks to, and what it says it would."""
    content = bytearray(pack({"a.yaml": b"a" * 64 * LIMIT}))
    assert len(content) < LIMIT
    if is_lying:
        struct.pack_into("<I", content, content.index(CENTRAL) + 24, 100)
        assert "no zip archive that can be read" in refusal(bytes(content))
    else:
        assert "unpack to more than 1 MiB" in refusal(bytes(content))


def test_the_limit_is_for_all_files_together():
    half = b"a" * (LIMIT // 2)
    assert len(unpack(pack({"a.yaml": half, "b.yaml": half}), "shop.zip", LIMIT).files) == 2
    assert "more than 1 MiB" in refusal(pack({"a.yaml": half, "b.yaml": half, "c.yaml": b"x"}))


def test_an_archive_of_very_many_files_is_refused():
    files = {f"{number}.txt": b"" for number in range(MOST_ENTRIES + 1)}
    assert "its files are more than 5,000" in refusal(pack(files))


def test_a_broken_archive_is_refused_whatever_is_broken():
    chance, content = random.Random(1), pack({f"{number}.yaml": POD * 9 for number in range(3)})
    refused = 0
    for _ in range(2000):
        broken = bytearray(content)
        for _ in range(chance.choice([1, 2, 8])):
            broken[chance.randrange(len(broken))] = chance.choice([0, 1, 255, chance.randrange(256)])
        try:
            unpack(bytes(broken), "shop.zip", LIMIT)
        except ManifestError:
            refused += 1
    assert refused > 1000
    assert "no zip archive that can be read" in refusal(content[: len(content) // 2])


CHART = {
    "web/Chart.yaml": b"name: web",
    "web/templates/_a.tpl": b"{{",
    "web/.helmignore": b"x",
    "web/.git/config": b"[core]",
    "web/crds/a.yaml": POD,
}


@pytest.mark.parametrize("make", [pack, pack_tar], ids=["zip", "tar.gz"])
def test_of_a_chart_to_be_rendered_all_files_are_kept_but_hidden_ones(make):
    kept = unpack(make(CHART), "web", LIMIT, is_for_rendering=True).files
    assert kept == CHART | {"web/.git/config": b""}
    assert unpack(make(CHART), "web", LIMIT).files["web/templates/_a.tpl"] == b""


@pytest.mark.parametrize("make", [pack, pack_tar], ids=["zip", "tar.gz"])
def test_without_a_chart_in_it_nothing_more_is_kept(make):
    files = {"a.yaml": POD, "photo.png": b"x"}
    assert unpack(make(files), "web", LIMIT, is_for_rendering=True).files == {"a.yaml": POD, "photo.png": b""}


@pytest.mark.parametrize(
    "kind, target",
    [(tarfile.SYMTYPE, "/etc/passwd"), (tarfile.SYMTYPE, "a.yaml"), (tarfile.LNKTYPE, "../../etc/passwd")],
)
def test_links_are_not_followed(kind, target):
    batch = unpack(pack_tar({"a.yaml": POD, "b.yaml": make_entry("b.yaml", kind, target)}), "web", LIMIT)
    assert dict(batch.files) == {"a.yaml": POD}
    assert [str(one) for one in batch.unreadable] == [
        "web/b.yaml: it is a link, and links are not followed; pack the file itself"
    ]


def test_a_link_of_a_zip_is_not_followed():
    packed, link = BytesIO(), ZipInfo("b.yaml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with ZipFile(packed, "w") as archive:
        archive.writestr(link, b"/etc/passwd")
    batch = unpack(packed.getvalue(), "web", LIMIT)
    assert not batch.files
    assert "links are not followed" in str(batch.unreadable[0])


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_what_is_no_file_is_nothing(kind):
    assert not unpack(pack_tar({"a.yaml": make_entry("a.yaml", kind)}), "web", LIMIT).files


@pytest.mark.parametrize("name", ["../up.yaml", "/etc/pod.yaml", "a/../../up.yaml"])
def test_a_tricky_path_in_a_tar_archive_is_refused(name):
    batch = unpack(pack_tar({name: POD, "good.yaml": POD}), "shop", LIMIT)
    assert dict(batch.files) == {"good.yaml": POD}
    assert [problem.message.startswith("its path ") for problem in batch.unreadable] == [True]


@pytest.mark.parametrize(
    "content, said",
    [
        pytest.param(pack_tar({"a.yaml": b"a" * 2 * LIMIT}), "unpack to more than 1 MiB", id="a manifest"),
        pytest.param(pack_tar({"a.bin": b"a" * 5 * LIMIT}), "it unpacks to more than 4 MiB", id="a bomb"),
        pytest.param(pack_tar({"a.yaml": POD})[:-30], "no tar.gz archive that can be read", id="cut off"),
        pytest.param(b"\x1f\x8b" + b"x" * 50, "no tar.gz archive that can be read", id="rubbish"),
    ],
)
def test_a_tar_archive_that_is_too_large_or_broken_is_refused(monkeypatch, content, said):
    monkeypatch.setattr(archives, "MOST_UNPACKED_BYTES", 4 * LIMIT)
    assert said in refusal(content)

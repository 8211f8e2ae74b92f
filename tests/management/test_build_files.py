"""Build files of images are read as a builder reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifecycle.management.build_files import Image, read_build_file
from lifecycle.management.commands.generate_images import write_rows

NODE = Image(folder="/usr/src", entry=("docker-entrypoint.sh",))
UNKNOWN = Image("?", "?", "?", entry=("?",))


@pytest.mark.parametrize(
    "text, expected",
    [
        pytest.param("FROM debian\nCMD x", Image(), id="a base image"),
        pytest.param("FROM debian\nUSER 70:70\n", Image(user="70"), id="a user and its group"),
        pytest.param("FROM debian\nUSER nobody", Image(user="65534 nobody"), id="a user that all have"),
        pytest.param("FROM debian\nUSER web", Image(user="web"), id="a user whose number is not said"),
        pytest.param(
            "FROM debian\nRUN groupadd web && \\\n  useradd -r -u 70 -g web web\nUSER web",
            Image(user="70 web"),
            id="a user that a command makes",
        ),
        pytest.param("FROM debian\nUSER root", Image(), id="root by name"),
        pytest.param("FROM debian\nUSER 5\nUSER root\nUSER 6", Image(user="6"), id="the last one"),
        pytest.param("ARG U=7\nFROM debian\nARG U\nUSER ${U}", Image(user="7"), id="a global argument"),
        pytest.param("FROM debian\nARG U=7\nUSER $U", Image(user="7"), id="an argument"),
        pytest.param("FROM debian\nENV U=7 V=8\nUSER $V", Image(user="8"), id="a variable"),
        pytest.param("FROM debian\nENV U 7\nUSER $U", Image(user="7"), id="a variable without a sign"),
        pytest.param("FROM debian\nUSER ${U:-9}", Image(user="9"), id="a default"),
        pytest.param("FROM debian\nARG U\nUSER $U", Image(user="?"), id="what the builder gives"),
        pytest.param("FROM debian\nWORKDIR /a\nWORKDIR b/..", Image(folder="/a"), id="folders one by one"),
        pytest.param("FROM debian\nEXPOSE 80 53/udp 443/tcp\nEXPOSE 80", Image(ports=(80, 443)), id="ports"),
        pytest.param("FROM debian\nSTOPSIGNAL SIGQUIT", Image(stop="SIGQUIT"), id="a signal"),
        pytest.param(
            'FROM debian\nVOLUME ["/a", "/b"]\nVOLUME /c', Image(volumes=("/a", "/b", "/c")), id="volumes"
        ),
        pytest.param('FROM debian\nENTRYPOINT [ "a", "-b" ]', Image(entry=("a", "-b")), id="words"),
        pytest.param("FROM debian\nENTRYPOINT a -b", Image(entry=("/bin/sh", "-c")), id="a shell's"),
        pytest.param("FROM scratch", Image("none"), id="nothing"),
        pytest.param("FROM scratch\nCOPY --from=busybox /bin/sh /bin/sh", Image(), id="a shell is put in"),
        pytest.param("FROM debian AS a\nFROM scratch\nCOPY --from=a / /", Image(), id="all is put in"),
        pytest.param("FROM gcr.io/distroless/static:nonroot", Image("none", "65532"), id="distroless"),
        pytest.param("ARG A\nFROM gcr.io/distroless/static:latest-$A", Image("none"), id="any architecture"),
        pytest.param("ARG B\nFROM $B", UNKNOWN, id="a base that the builder gives"),
        pytest.param("FROM --platform=$P node:24-slim", NODE, id="a base of the table"),
        pytest.param("FROM docker.io/library/node@sha256:0", NODE, id="a base by its digest"),
        pytest.param(
            "FROM debian as a\nUSER 5\nFROM node AS b\nUSER 6\nFROM a", Image(user="5"), id="a stage's stage"
        ),
        pytest.param("# USER 5\nFROM debian\n# USER 6\n", Image(), id="comments"),
    ],
)
def test_a_build_file_says_how_its_image_runs(text: str, expected: Image) -> None:
    assert read_build_file(text, {"node": NODE}) == expected


def test_a_named_stage_is_read() -> None:
    text = "FROM debian AS one\nUSER 5\nFROM debian AS two\nUSER 6\n"
    assert [read_build_file(text, {}, stage).user for stage in ("one", "two", "")] == ["5", "6", "6"]


def test_rows_are_read_anew_and_keep_what_people_wrote(tmp_path: Path) -> None:
    file = tmp_path / "acme" / "images" / "web" / "Dockerfile"
    file.parent.mkdir(parents=True)
    file.write_text("FROM debian AS run\nUSER 70\nEXPOSE 80\nFROM run AS debug\nUSER root\n")
    table = (
        "# a comment\nacme/web x/web | KEY = no key | acme/images web/Dockerfile@run | 1 | /old\n"
        "acme/old | | acme/images web/Dockerfile | ? |\n"
        "acme/gone | | acme/gone Dockerfile | 9 | /srv"
    )
    assert list(write_rows(table, tmp_path)) == [
        "acme/web x/web | KEY = no key | acme/images web/Dockerfile@run | 70 | / | 80 |  | shell |  |",
        "acme/old |  | acme/images web/Dockerfile | ? | / | 80 |  | shell |  |",
        "acme/gone |  | acme/gone Dockerfile | 9 | /srv |  |  |  |  |",
    ]

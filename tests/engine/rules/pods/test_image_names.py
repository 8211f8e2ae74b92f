"""One image has many names."""

import pytest

from lifecycle.engine.rules.pods.image_names import full_name


@pytest.mark.parametrize(
    "image, expected",
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("busybox:1.36", "docker.io/library/busybox:1.36"),
        ("docker.io/busybox:1.36", "docker.io/library/busybox:1.36"),
        ("docker.io/library/busybox:1.36", "docker.io/library/busybox:1.36"),
        ("team/web", "docker.io/team/web:latest"),
        ("localhost/web:2", "localhost/web:2"),
        ("registry:5000/web", "registry:5000/web:latest"),
        ("ghcr.io/a/b@sha256:" + "0" * 64, "ghcr.io/a/b@sha256:" + "0" * 64),
    ],
)
def test_an_image_is_known_by_its_full_name(image: str, expected: str) -> None:
    assert full_name(image) == expected

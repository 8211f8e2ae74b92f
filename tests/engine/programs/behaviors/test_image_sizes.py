import pytest

from lifecycle.engine.programs.images.known import KNOWN_IMAGES
from lifecycle.engine.programs.images.sizes import image_size

MB = 1_000_000


@pytest.mark.parametrize(
    "image, megabytes",
    [
        ("busybox:1.36", 2.2),
        ("alpine", 3.6),
        ("debian:12-slim", 28),
        ("nginx:1.27", 72),
        ("nginx:1.27-alpine", 20),
        ("nginx:alpine-slim", 5.2),
        ("mirror.example/library/nginx:1.27", 72),
        ("python:3.12-slim-bookworm", 45),
        ("perl:5.34.0", 360),
        ("postgres:16-alpine", 105),
        ("bitnami/redis:7", 45),
        ("registry.k8s.io/pause:3.10", 0.32),
    ],
)
def test_a_well_known_image_has_its_typical_size(image: str, megabytes: float) -> None:
    assert image_size(image) == pytest.approx(megabytes * MB, rel=0.015)


def test_versions_differ_a_little_and_all_names_of_one_image_agree() -> None:
    assert image_size("busybox:1.36") != image_size("busybox:1.37")
    assert image_size("busybox:1.36") == image_size("docker.io/library/busybox:1.36")


def test_an_unknown_image_has_a_size_of_its_own() -> None:
    assert 2 * MB <= image_size("shop.example/web:1") < 192 * MB
    assert image_size("shop.example/web:1") != image_size("shop.example/web:2")


def test_every_image_has_a_size() -> None:
    assert all(image_size(name) > 0 for name in KNOWN_IMAGES)

"""Quantities as the API server writes them (apimachinery's canonical form)."""

from __future__ import annotations

import pytest

from lifecycle.engine.objects.quantity import canonical, canonical_milli


@pytest.mark.parametrize(
    "given, written",
    [
        pytest.param("1000", "1k", id="thousands"),
        pytest.param("1.5", "1500m", id="a fraction"),
        pytest.param(0.5, "500m", id="a number"),
        pytest.param("1000m", "1", id="milli"),
        pytest.param("1024", "1024", id="a decimal stays decimal"),
        pytest.param("1024Ki", "1Mi", id="binary"),
        pytest.param("1.5Gi", "1536Mi", id="a binary fraction"),
        pytest.param("1.1Gi", "1181116006400m", id="a binary fraction that is no whole number"),
        pytest.param("0.1Ki", "102400m", id="binary below 1024"),
        pytest.param("0Mi", "0", id="nothing"),
        pytest.param("12e4", "120e3", id="an exponent"),
        pytest.param("-1500m", "-1500m", id="below nothing"),
        pytest.param("1n", "1n", id="the least"),
    ],
)
def test_a_quantity_is_written_with_its_largest_suffix(given: object, written: str):
    assert canonical(given) == written


@pytest.mark.parametrize(
    "given, written",
    [
        pytest.param("1.0001", "1001m", id="more than a thousandth"),
        pytest.param("1n", "1m", id="the least"),
        pytest.param("-1u", "-1m", id="below nothing"),
        pytest.param("1.1Gi", "1181116006400m", id="in thousandths"),
        pytest.param("1.0001Ki", "1024103m", id="a binary fraction"),
        pytest.param("0.5", "500m", id="a half"),
        pytest.param("64Mi", "64Mi", id="binary"),
        pytest.param("0", "0", id="nothing"),
    ],
)
def test_an_amount_of_a_resource_is_kept_in_thousandths(given: object, written: str):
    assert canonical_milli(given) == written

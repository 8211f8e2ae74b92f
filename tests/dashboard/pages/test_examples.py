"""The examples beside the empty text box are manifests, and nothing but manifests."""

import pytest

from dashboard.pages.examples import Example, list_examples
from lifecycle.input.manifests import read_documents


@pytest.mark.parametrize("example", list_examples(), ids=lambda example: example.key)
def test_an_example_is_a_manifest_without_its_scenario(example: Example) -> None:
    kinds = [document.data["kind"] for document in read_documents(example.manifest)]
    assert kinds and not {"Scenario"} & set(kinds)

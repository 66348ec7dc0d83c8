"""Prices: stated in a file, never fetched."""

from pathlib import Path

import pytest

from rag_app.errors import DefinitionError
from rag_app.evaluate.run.cost import load_prices

LINE = '[models."bedrock:x"]\ninput = 3\noutput = 15\ncurrency = "USD"\nstated = 2026-11-30\n'


def test_prices_are_per_million_tokens(tmp_path: Path) -> None:
    """A price is what a million tokens cost, in and out, with its currency and day."""
    file = tmp_path / "prices.toml"
    file.write_text(LINE, encoding="utf-8")
    price = load_prices(file)["bedrock:x"]
    assert price.of(2_000_000, 1_000_000) == 21.0
    assert (price.currency, price.stated) == ("USD", "2026-11-30")


def test_no_file_is_no_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody states prices, there are none; the project's own file is read; one that is named must be there."""
    monkeypatch.chdir(tmp_path)
    assert load_prices() == {}
    monkeypatch.undo()
    for missing in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(DefinitionError, match="cannot be read"):
            load_prices(missing)
    assert isinstance(load_prices(), dict)


@pytest.mark.parametrize(
    "text",
    [
        LINE.replace("input = 3\n", ""),
        LINE.replace("15", '"dear"'),
        "[",
        LINE.replace("3", "-3", 1),
        LINE.replace("3", "nan", 1),
        LINE.replace("15", "inf"),
        "models = 3",
    ],
)
def test_a_wrong_price_is_named(tmp_path: Path, text: str) -> None:
    """A price that is missing, no number, endless or negative is refused, naming the file."""
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionError, match=r"prices\.toml"):
        load_prices(file)

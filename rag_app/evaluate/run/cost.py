"""What a model's tokens cost, at prices that a file states; nobody asks a provider for them."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rag_app.errors import DefinitionError

PRICES = Path("evals/prices.toml")


@dataclass(frozen=True, slots=True)
class Price:
    """Of one model, in a currency per million tokens."""

    input: float
    output: float
    currency: str
    stated: str
    """The day on which it was stated, as ISO date."""

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """What so many tokens cost, in the currency."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


def load_prices(file: Path = PRICES) -> Mapping[str, Price]:
    """Prices by the name under which `--llm` knows the model. No file where they usually lie: no prices.

    Raises:
        DefinitionError: the file is wrong, and the message names the model; or another file was named and is not there.
    """
    if file == PRICES and not file.is_file():
        return {}
    try:
        models = tomllib.loads(file.read_text("utf-8")).get("models", {})
    except OSError as error:
        raise DefinitionError(f"The prices in {file} cannot be read: {error.strerror}.", path=str(file)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DefinitionError(f"{file} is not valid TOML: {error}.", path=str(file)) from error
    if not isinstance(models, dict):
        raise DefinitionError(f'In {file}, models is not a table: each model is one, [models."NAME"].', path=str(file))
    prices = {}
    for name, table in models.items():
        try:
            price = Price(float(table["input"]), float(table["output"]), str(table["currency"]), str(table["stated"]))
        except (KeyError, TypeError, ValueError) as error:
            raise DefinitionError(
                f"In {file}, {name!r} needs input, output, currency and stated: {error}.", path=str(file)
            ) from error
        if not all(math.isfinite(each) and each >= 0 for each in (price.input, price.output)):
            raise DefinitionError(f"In {file}, a price of {name!r} is negative or not a number.", path=str(file))
        prices[name] = price
    return prices

"""What is asked of a language model, and what comes back."""

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]
Stop = Literal["end", "length", "unknown"]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a language model."""

    messages: tuple[tuple[Role, str], ...]
    """Role and text, in the order of the conversation; system messages first."""
    schema: dict[str, Any] | None = None
    """JSON Schema of the object that is wanted. Enforced where the integration can; elsewhere only the messages say
    so, and the text must be read with tolerance."""
    max_tokens: int = 512
    """Most tokens the reply may take."""
    purpose: str = "answer"
    """What the call is for ("draft", "coverage"): for traces, recordings and errors; the model never sees it."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a language model said."""

    text: str
    """Never empty, unless `stop` is "length" (a model may spend all its tokens on thinking)."""
    input_tokens: int
    output_tokens: int
    estimated: bool = False
    """True where the provider gave no figures: then about four characters count as a token."""
    stop: Stop = "end"
    """Why it ended: by itself, or cut off at `max_tokens`; "unknown" where the provider does not say."""
    request_id: str | None = field(default=None, compare=False)
    """The provider's own name for the request; None where it gives none. Not part of a recording."""

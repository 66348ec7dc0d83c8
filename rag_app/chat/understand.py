"""Completes a turn from the turns before it by rules, without a language model.

A turn that only names another subject ("And for contractors?") takes the place of the subject in the last question, and
what the last question asks about the place of a pronoun ("Who approves it?"). Any other is not rewritten: its own words
stay, and what it leans on stands before them as context, which is what the parts of a question have anyway. Context is
the last question that said something, with the one that it goes back to where it leaned itself, and the title of what
was quoted last, unless the turn names a subject of its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag_app.chat.follow_up import Leaning, is_courtesy, leaning_of
from rag_app.chat.history import Exchange, Quoted
from rag_app.chat.replaced import replaced, resolved
from rag_app.text.words import content_stems

_QUESTIONS_BACK = 6
"""Exchanges after which the conversation is taken to be about something else."""
_LONGEST_CONTEXT = 300
"""Characters of a question that serve as context; the embedder reads about 2,000 in all."""
_RECENT = 2
"""Exchanges whose words a definite noun ("the limit") may mean."""


@dataclass(frozen=True, slots=True)
class Understood:
    """A turn, and what it takes to understand it."""

    turn: str
    leaning: Leaning | None = None
    """Why it does not stand alone; None where it does, and then nothing else is set."""
    context: str = ""
    """What stands before it to complete it; "" where the conversation has nothing."""
    replaced: tuple[str, str] | None = None
    """The last question with the subject that the turn names in the place of its own, or the turn with the subject of
    the last question in the place of a pronoun, behind the question that it goes back to, "" where it needs none."""
    quoted: tuple[Quoted, ...] = ()
    """What was quoted last."""
    said: str = ""
    """The last answer as text, of a history that does not say what was quoted."""
    typed: str = ""
    """The turn behind the questions that complete it, as they were typed."""

    @property
    def completed(self) -> str:
        return " ".join(self.replaced or (self.context, self.turn)).strip()


def understand(turn: str, before: Sequence[Exchange]) -> Understood:
    """What `turn` means after the exchanges `before`, oldest first."""
    turn = " ".join(turn.split())
    recent = [text for exchange in before[-_RECENT:] for text in (exchange.asked, exchange.text)]
    leaning = leaning_of(turn, frozenset(stem for text in recent for stem in content_stems(text)))
    if leaning is None:
        return Understood(turn, typed=turn)
    recently = [
        exchange for exchange in before[-_QUESTIONS_BACK:] if exchange.asked and not is_courtesy(exchange.asked)
    ]
    if not recently:
        return Understood(turn, leaning, typed=turn)
    answered = _answered(before[-_QUESTIONS_BACK:])
    titles = dict.fromkeys(quoted.title for quoted in answered.quotes) if answered else ()
    question = _subject(recently)
    lacking = [title for title in titles if not set(content_stems(title)) <= set(content_stems(question))]
    if leaning.cue == "ellipsis":
        lacking = []  # it names another subject, from which the last answer's title would lead away
    context = " ".join((*(f"{title}." for title in lacking[:1]), question))
    said = before[-1].text if before and not answered else ""
    return Understood(
        turn,
        leaning,
        context,
        replaced=_replaced(turn, leaning, recently, titles),
        quoted=answered.quotes if answered else (),
        said=said,
        typed=f"{_as_typed(recently)} {turn}",
    )


def _answered(before: Sequence[Exchange]) -> Exchange | None:
    """The last exchange with quotes, unless a question that stands alone came after it: that has another subject."""
    for exchange in reversed(before):
        if exchange.quotes:
            return exchange
        if exchange.asked and not is_courtesy(exchange.asked) and _whole(exchange):
            return None
    return None


def _replaced(turn: str, leaning: Leaning, asked: Sequence[Exchange], titles: Iterable[str]) -> tuple[str, str] | None:
    """The last question about what the turn names, where it names something and nothing else; or the turn about what
    the last question asks about, where a pronoun stands for it."""
    last = asked[-1]
    whole = _whole(last)
    if leaning.cue == "pronoun":
        found = resolved(turn, leaning.word, whole) if whole else None
        return ("", found) if found else None
    if leaning.cue not in ("ellipsis", "bare", "correction"):
        return None
    if whole:
        found = replaced(turn, whole, titles)
        return ("", found) if found else None
    root = _root(asked)
    found = replaced(turn, root, titles) if root else None
    return (found, last.asked) if found else None


def _subject(asked: Sequence[Exchange]) -> str:
    """What was asked last; where that leaned on the conversation too, behind the question that it goes back to."""
    last = asked[-1]
    if whole := _whole(last):
        return _shortened(whole)
    return f"{_shortened(_root(asked))} {_shortened(last.asked)}".strip()


def _root(asked: Sequence[Exchange]) -> str:
    """The question that the last one goes back to."""
    return next(filter(None, map(_whole, reversed(asked[:-1]))), "")


def _whole(exchange: Exchange) -> str:
    """What an exchange asked, in a question that needs nothing before it; "" where there is none."""
    if exchange.understood and not exchange.understood.endswith(exchange.asked):
        return exchange.understood  # it has another subject in its place, or a model wrote it
    return exchange.asked if leaning_of(exchange.asked) is None else ""


def _as_typed(asked: Sequence[Exchange]) -> str:
    """The last questions back to one that stands alone, as they were typed."""
    back: list[str] = []
    for exchange in reversed(asked):
        back.insert(0, exchange.asked)
        if leaning_of(exchange.asked) is None:
            break
    return _shortened(" ".join(back))


def _shortened(text: str) -> str:
    """The end of a long question: what it asks stands there, the setting before."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_CONTEXT else text[-_LONGEST_CONTEXT:].partition(" ")[2]

"""Replies that are made to hang whoever reads them: through the whole way from the reply to the answer."""

import json
import time
from collections.abc import Callable

import pytest

from rag_app.errors import ModelError
from rag_app.llm.reading import LONGEST
from rag_app.question import Question
from rag_app.settings import load_settings
from rag_app.synthesize.synthesizer import ValidatingSynthesizer
from rag_app.testing import ScriptedLLM
from tests.synthesize.turns import nodes_of, said

NODES = [
    node
    for number in range(10)
    for node in nodes_of(
        f"d{number}", "\n\n".join(f"The manager may refuse {number} of the {n} days of leave." for n in range(16))
    )
]


def choosing(**choices: object) -> str:
    return json.dumps({"parts": [{"part": 1, **choices}]}, ensure_ascii=False)


Reply = Callable[[int], str]
"""Makes a reply of about so many characters."""

HOSTILE: dict[str, Reply] = {
    "braces": lambda n: "{" * n,
    "lists of objects": lambda n: "[{" * (n // 2),
    "empty objects": lambda n: "{}" * (n // 2),
    "nested and closed": lambda n: "{" * (n // 2) + "}" * (n // 2),
    "objects in vain": lambda n: "{'a" * (n // 3) + "}",
    "slips": lambda n: "{" + ",".join(f"a{number}: b" for number in range(n // 8)) + ",}",
    "anchors": lambda n: "{a: &a [x, x], " + "b: *a, " * (n // 7) + "}",
    "parts in lines": lambda n: '{"part": 1, "labels": []}\n' * (n // 26),
    "JSON in JSON": lambda n: json.dumps({str(number): "{[{" * 100 for number in range(n // 300)}),
    "fence and blank lines": lambda n: "```json\n" + "\n" * n + "x",
    "fence and spaces": lambda n: "~~~\n" + "\n   " * (n // 4) + "x",
    "fences": lambda n: "```\n" * (n // 4),
    "white space": lambda n: " \n" * (n // 2) + "x",
    "thoughts": lambda n: "<think>" * (n // 7),
    "label of digits": lambda n: choosing(labels=["1" * n + ".1"]),
    "labels": lambda n: choosing(labels=["9.9"] * (n // 7)),
    "a label of labels": lambda n: choosing(labels=["1.1 and " * (n // 8)]),
    "brackets": lambda n: choosing(labels=["[" * n]),
    "a quote of spaces": lambda n: choosing(quotes=["|" + " " * n + "x"]),
    "a quote of marks": lambda n: choosing(quotes=["a" + "\u0301\u0327" * (n // 2)]),
    "a quote of links": lambda n: choosing(quotes=["[a](" * (n // 4)]),
    "a quote of entities": lambda n: choosing(quotes=["&#" * (n // 2)]),
    "a quote of rules": lambda n: choosing(quotes=[" |-:" * (n // 4) + "x"]),
    "a quote of stars": lambda n: choosing(quotes=["*-" * (n // 2)]),
    "a long quote": lambda n: choosing(quotes=["The manager may refuse " * (n // 23)]),
    "quotes": lambda n: choosing(quotes=[f"the {number} days" for number in range(n // 15)]),
    "quotes and labels": lambda n: choosing(labels=[f"1.1 the {number} days" for number in range(n // 18)]),
    "a long number": lambda n: '{"parts": [{"part": ' + "1" * n + ', "labels": ["1.1"]}]}',
    "long numbers": lambda n: '{"parts": [' + ", ".join(["-1" * 20 + "e" + "9" * 20] * (n // 62)) + "]}",
    "surrogates": lambda n: choosing(quotes=["\ud800" * n]),
    "escaped surrogates": lambda n: '{"parts": [{"part": 1, "quotes": ["' + "\\ud800" * (n // 6) + '"]}]}',
    "an open text": lambda n: '{"parts": [{"part": 1, "labels": ["' + '\\"' * (n // 2),
    "open texts": lambda n: '{"a' * (n // 3),
    "one key": lambda n: "{" + '"parts": [], ' * (n // 13) + '"parts": []}',
    "a long key": lambda n: '{"' + "parts" * (n // 5) + '": []}',
    "long keys": lambda n: "{" + ", ".join(['"' + "k" * 900 + '": []'] * (n // 907)) + "}",
    "lists": lambda n: "[" * n,
    "lists closed": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "searches": lambda n: json.dumps({"parts": [], "search": [f"s{number}" for number in range(n // 8)]}),
}


def seconds(reply: str, *, summary: bool) -> float:
    """Processor time until a question is answered; the reply is the draft, or the summary behind a good draft."""
    assert len(reply) <= LONGEST, "it would not be read at all"
    replies = [said(["1.1"]), reply] if summary else [reply, reply]
    synthesizer = ValidatingSynthesizer(
        may_cite=lambda _: True, llm=ScriptedLLM(replies), settings=load_settings(max_model_calls=2), summarise=summary
    )
    begun = time.process_time()
    try:
        answer = synthesizer.synthesize(Question("How much leave is there?"), NODES).answer
    except ModelError:
        assert not summary, "trouble with a summary leaves the answer as it is"
    else:
        assert answer.summary is None
    return time.process_time() - begun


@pytest.mark.parametrize("summary", [False, True], ids=["draft", "summary"])
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_time_grows_with_the_reply(reply: Reply, summary: bool) -> None:
    """Four times the reply takes about four times as long, and ends in an answer or a ModelError."""
    for _ in range(3):
        if seconds(reply(17_500), summary=summary) < 9 * seconds(reply(4_375), summary=summary) + 0.3:
            return
    pytest.fail("the time grows faster than the reply")


@pytest.mark.parametrize("reply", ["{" * 10_000_000, "[{" * 2_500_000, '{"part": 1, "labels": []}\n' * 400_000])
def test_a_reply_of_megabytes_is_not_read(reply: str) -> None:
    """What is far longer than any reply may be is malformed, whatever it is made of."""
    llm = ScriptedLLM([reply])
    synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, settings=load_settings())
    with pytest.raises(ModelError, match="characters"):
        synthesizer.synthesize(Question("How much leave is there?"), NODES)


def test_quotes_beyond_what_is_looked_for_are_counted() -> None:
    """Of more quotes than are looked for, the first are shown and each of the others is recorded as dropped."""
    quotes = [f"The manager may refuse 0 of the {number} days of leave." for number in range(3)]
    llm = ScriptedLLM([choosing(quotes=[*quotes, *(f"the {number} days" for number in range(120))])])
    synthesizer = ValidatingSynthesizer(may_cite=lambda _: True, llm=llm, settings=load_settings(max_model_calls=1))
    answer = synthesizer.synthesize(Question("How much leave is there?"), NODES).answer
    assert [quote.text for quote in answer.quotes] == quotes
    assert answer.trace.numbers["validate.dropped"] == 120
    assert sum("more than" in drop.reason for drop in answer.trace.dropped) == 23

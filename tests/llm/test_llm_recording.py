"""Recording what a model says, and replaying it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage

from rag_app.errors import DefinitionError, ModelError, ModelRefused, ModelReplyEmpty, ModelThrottled, RecordingMissing
from rag_app.llm import ModelCall, ModelReply
from rag_app.llm.recording import RecordingLLM, request_key
from rag_app.testing import ScriptedLLM
from tests.llm.asking import SCHEMA, a_call, aask, ask


def questions(number: int) -> list[ModelCall]:
    return [a_call(messages=(("user", f"What is in pot {n}?"),)) for n in range(number)]


def echo(messages: Any) -> str:
    return messages[-1][1].upper()


def test_replay_says_what_was_recorded(tmp_path: Path) -> None:
    """A replay gives every recorded reply as it was, with its figures, and needs no model."""
    path = tmp_path / "evals" / "pots.jsonl"
    said = [
        ModelReply("One é\u2028.", 3, 4),
        ModelReply("{}", 5, 6, False, "length"),
        ModelReply("Three", 8, 2, True, "unknown"),
    ]
    recording = RecordingLLM(ScriptedLLM(list(said)), path=path, mode="record")
    heard = [ask(recording, call) for call in questions(3)]
    assert heard[:2] == said[:2]
    replay = RecordingLLM(path=path)
    assert [ask(replay, call) for call in questions(3)] == heard
    assert [asyncio.run(aask(replay, call)) for call in questions(3)] == heard


def test_missing_request_names_itself(tmp_path: Path) -> None:
    """A replay that lacks a reply names key, purpose and file, asks nobody, and is not taken for a model's failure."""
    inner = ScriptedLLM(["Tea."])
    replay = RecordingLLM(inner, path=tmp_path / "none.jsonl", mode="replay")
    with pytest.raises(RecordingMissing) as caught:
        ask(replay, a_call(purpose="coverage"))
    key = request_key("scripted", a_call())
    assert caught.value.details == {"key": key, "purpose": "coverage", "path": str(tmp_path / "none.jsonl")}
    assert '"coverage"' in str(caught.value)
    assert "does not exist" in str(caught.value)
    assert key[:12] in str(caught.value)
    assert not isinstance(caught.value, ModelError)
    assert inner.calls == []
    assert list(tmp_path.iterdir()) == []


def test_unknown_mode(tmp_path: Path) -> None:
    """A mode that does not exist is refused with those that do."""
    with pytest.raises(DefinitionError, match='mode="record" or "replay"'):
        RecordingLLM(path=tmp_path / "none.jsonl", mode="rec")


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (("system", "Answer in one word."), ("user", "What is in the pan?"))},
        {"messages": (("user", "Answer in one word."), ("user", "What is in the pot?"))},
        {"max_tokens": 34},
        {"schema": SCHEMA},
    ],
)
def test_any_change_is_another_request(change: dict[str, Any]) -> None:
    """Whatever can change the reply changes the key; the model too; the purpose does not."""
    key = request_key("a", a_call())
    assert request_key("a", a_call(**change)) != key
    assert request_key("b", a_call()) != key
    assert request_key("a", a_call(purpose="recheck")) == key


texts = st.lists(st.tuples(st.sampled_from(["system", "user"]), st.text(max_size=8)), max_size=4).map(tuple)


@given(texts, texts)
def test_keys_differ_as_messages_do(one: Any, other: Any) -> None:
    """Two conversations have the same key exactly when they are the same."""
    keys = [request_key("a", a_call(messages=messages)) for messages in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)


def test_record_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    """An interrupted recording goes on where it was; the same request is asked once."""
    path = tmp_path / "pots.jsonl"
    first, second, third = questions(3)
    ask(RecordingLLM(ScriptedLLM(echo), path=path, mode="record"), first)
    inner = ScriptedLLM(echo)
    again = RecordingLLM(inner, path=path, mode="record")
    for call in (first, second, third, second):
        ask(again, call)
    assert [call.messages for call in inner.calls] == [second.messages, third.messages]


def test_errors_are_not_recorded(tmp_path: Path) -> None:
    """Trouble and unusable replies are raised and leave no line; what succeeds after trouble does."""
    path = tmp_path / "pots.jsonl"
    trouble = [ModelRefused("no"), LookupError("what"), " "]
    recording = RecordingLLM(ScriptedLLM(trouble), path=path, mode="record")
    for kind in (ModelRefused, ModelError, ModelReplyEmpty):
        with pytest.raises(kind):
            ask(recording)
    assert not path.exists()
    ask(RecordingLLM(ScriptedLLM([ModelThrottled("busy"), "Tea."]), path=path, mode="record"))
    assert len(path.read_text().splitlines()) == 1


def test_bytes_do_not_depend_on_order(tmp_path: Path) -> None:
    """However many calls run at once, and in whatever order, the file has the same bytes."""
    calls = questions(20)
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"

    async def all_of_them() -> None:
        llm = RecordingLLM(ScriptedLLM(echo), path=one, mode="record")
        await asyncio.gather(*(aask(llm, call) for call in calls))

    asyncio.run(all_of_them())
    for call in reversed(calls):
        # Another object each time, as another process would be.
        ask(RecordingLLM(ScriptedLLM(echo), path=other, mode="record"), call)
    assert one.read_bytes() == other.read_bytes()
    assert len(one.read_text().splitlines()) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.jsonl", "other.jsonl"]


def test_two_recorders_of_one_file(tmp_path: Path) -> None:
    """Two that record into one file lose nothing of each other, and the first reply to a request stays."""
    path = tmp_path / "pots.jsonl"
    one = RecordingLLM(ScriptedLLM(["one", "two"]), path=path, mode="record")
    other = RecordingLLM(ScriptedLLM(["other"]), path=path, mode="record")
    first, second = questions(2)
    assert ask(one, first).text == "one"
    assert ask(other, first).text == "one"
    assert ask(one, second).text == "two"
    assert len(path.read_text().splitlines()) == 2


def test_no_document_text_and_no_secret(tmp_path: Path) -> None:
    """A line holds key, purpose, model and reply: nothing that was sent."""
    path = tmp_path / "pots.jsonl"
    ask(RecordingLLM(ScriptedLLM(["Tea."]), path=path, mode="record"))
    line = json.loads(path.read_text())
    assert set(line) == {"key", "purpose", "model", "reply", "digest"}
    assert line["model"] == "scripted"
    assert "pot" not in path.read_text()


def test_several_models_in_one_file(tmp_path: Path) -> None:
    """A file of several models is replayed only for a named one."""
    path = tmp_path / "pots.jsonl"
    for model in ("a", "b"):
        ask(RecordingLLM(ScriptedLLM([model]), path=path, mode="record", model=model))
    with pytest.raises(DefinitionError, match=r"several models.*a; b"):
        RecordingLLM(path=path)
    assert ask(RecordingLLM(path=path, model="b")).text == "b"


def test_broken_file(tmp_path: Path) -> None:
    """A file that is no recording is named with its line."""
    path = tmp_path / "pots.jsonl"
    ask(RecordingLLM(ScriptedLLM(["Tea."]), path=path, mode="record"))
    path.write_text(path.read_text() + '{"key": "x"}\n')
    with pytest.raises(DefinitionError, match="line 2"):
        RecordingLLM(path=path)
    with pytest.raises(DefinitionError, match="needs a language model"):
        RecordingLLM(path=tmp_path / "new.jsonl", mode="record")


def test_is_a_llamaindex_llm(tmp_path: Path) -> None:
    """In anybody's engine, `chat`, `achat` and `complete` are recorded and replayed too."""
    path = tmp_path / "pots.jsonl"
    messages = [ChatMessage(role="user", content="tea")]
    recording = RecordingLLM(ScriptedLLM(echo), path=path, mode="record")
    assert recording.chat(messages).message.content == "TEA"
    replay = RecordingLLM(path=path)
    assert asyncio.run(replay.achat(messages)).message.content == "TEA"
    assert str(replay.complete("tea")) == "TEA"
    with pytest.raises(RecordingMissing):
        replay.complete("coffee")


@pytest.mark.parametrize(
    "content",
    [b"\x00\x01", b"\xff\xfe", b"[]\n", b"{}\n", b"[" * 5000, b'{"key": 1, "model": "m", "reply": {}}\n', None],
)
def test_what_is_not_a_recording(tmp_path: Path, content: bytes | None) -> None:
    """A file that is binary, of another encoding or of other lines, and a folder in its place, are errors of ours."""
    path = tmp_path / "recording.jsonl"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(DefinitionError, match="record"):
        RecordingLLM(path=path)


def test_a_changed_recording_is_noticed(tmp_path: Path) -> None:
    """Whichever byte of a recording is changed, it is an error of ours, or the same replies."""
    path = tmp_path / "pots.jsonl"
    said = [ModelReply("Tea and \u00e9clairs.", 3, 4), ModelReply('{"parts": []}', 5, 6, False, "length")]
    recording = RecordingLLM(ScriptedLLM(list(said)), path=path, mode="record")
    calls = questions(2)
    assert [ask(recording, call) for call in calls] == said
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in (0, 4, 5):
            data = bytearray(whole)
            data[place] ^= 1 << bit
            path.write_bytes(data)
            try:
                replay = RecordingLLM(path=path, model="scripted")
                heard = [ask(replay, call) for call in calls]
            except (DefinitionError, RecordingMissing):
                continue
            assert heard == said


def test_a_recording_of_an_earlier_version(tmp_path: Path) -> None:
    """A file whose lines have no digest is replayed, and gets them with the next reply that is added to it."""
    path = tmp_path / "pots.jsonl"
    first, second = questions(2)
    ask(RecordingLLM(ScriptedLLM(["Tea."]), path=path, mode="record"), first)
    line = json.loads(path.read_text())
    del line["digest"]
    path.write_text(json.dumps(line) + "\n")
    assert ask(RecordingLLM(path=path), first).text == "Tea."
    ask(RecordingLLM(ScriptedLLM(["Rice."]), path=path, mode="record"), second)
    assert all("digest" in json.loads(text) for text in path.read_text().splitlines())

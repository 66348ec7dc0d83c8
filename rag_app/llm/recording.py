"""Records what a language model said, and replays it: the same answers again, with no network and no key.

A recording is a JSONL file, sorted by key, so that its bytes do not depend on which of many calls was answered first.
A line holds purpose and reply; of the request only its hash: no document text, no prompt, no key, no address. Its
digest shows whether it is as it was recorded; files of earlier versions have none until something is added to them.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from filelock import FileLock
from llama_index.core.llms import LLM
from pydantic import PrivateAttr

from rag_app.errors import DefinitionError, RecordingMissing
from rag_app.llm.call import ModelCall, ModelReply
from rag_app.llm.calling import exchange
from rag_app.llm.providers.chat_only import ChatOnlyLLM
from rag_app.llm.reading import read_reply
from rag_app.llm.trouble import model_name

_FIELDS = ("key", "purpose", "model", "reply")


class RecordingLLM(ChatOnlyLLM):
    """Wraps `inner`, any LLM. Mode "record" asks it for what the file does not hold; "replay" never asks.

    A replay needs no `inner`: the model's name is then read from the file. Errors and replies that cannot be used
    are never recorded; a reply cut off at its limit is, because the flow answers it with another call.

    Raises:
        DefinitionError: no such mode; the file is no recording, or it holds several models and none was named.
        RecordingMissing: in a replay, the file does not hold the call.
    """

    path: Path
    mode: Literal["record", "replay"] = "replay"
    model: str = ""
    """What distinguishes this model from others: its name and temperature."""
    _inner: LLM | None = PrivateAttr(default=None)
    _replies: dict[str, dict[str, Any]] = PrivateAttr(default_factory=dict)
    _saving: Lock = PrivateAttr(default_factory=Lock)

    def __init__(self, inner: LLM | None = None, *, path: str | Path, mode: str = "replay", model: str = "") -> None:
        if mode not in ("record", "replay"):
            raise DefinitionError(f'A recording is made with mode="record" or "replay", not {mode!r}.', mode=mode)
        model = model or (_describe(inner) if inner else "")
        super().__init__(path=Path(path), mode=mode, model=model)  # pyright: ignore[reportCallIssue]
        self._inner = inner
        self._replies = _read(self.path)
        if mode == "record" and inner is None:
            raise DefinitionError("Recording needs a language model to record.", path=str(path))
        if not self.model:
            models = sorted({line["model"] for line in self._replies.values()})
            if len(models) > 1:
                raise DefinitionError(
                    f"{self.path} holds the replies of several models: say which, with model=. It has: "
                    f"{'; '.join(models)}.",
                    path=str(self.path),
                )
            self.model = models[0] if models else ""

    @classmethod
    def class_name(cls) -> str:
        return "RecordingLLM"

    def reply(self, call: ModelCall, seconds: float) -> ModelReply:
        key = request_key(self.model, call)
        line = self._replies.get(key)
        if line is None:
            if self.mode == "replay" or self._inner is None:
                what = "holds no reply" if self.path.exists() else "does not exist, so it holds no reply"
                raise RecordingMissing(
                    f'{self.path} {what} to this "{call.purpose}" call ({key[:12]}): record it first, with '
                    'mode="record".',
                    key=key,
                    purpose=call.purpose,
                    path=str(self.path),
                )
            reply = read_reply(exchange(self._inner, call, seconds), call)
            line = self._save(key, call, reply)
        return ModelReply(**line["reply"])

    def _save(self, key: str, call: ModelCall, reply: ModelReply) -> dict[str, Any]:
        """Adds a reply to the file, or gives back the one that another call has saved meanwhile."""
        line = {
            "key": key,
            "purpose": call.purpose,
            "model": self.model,
            "reply": {field: getattr(reply, field) for field in ModelReply.__slots__ if field != "request_id"},
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._saving, FileLock(lock_file(self.path, "recording")):
            replies = _read(self.path)
            replies.setdefault(key, line)
            _write(self.path, replies)
            self._replies = replies
        return replies[key]


def request_key(model: str, call: ModelCall) -> str:
    """SHA-256 over everything that can change the reply; the purpose cannot."""
    request = {"model": model, "messages": call.messages, "schema": call.schema, "max_tokens": call.max_tokens}
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def lock_file(path: Path, what: str) -> Path:
    """Where who writes to `path` locks others out: outside its folder, which is often under version control."""
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rag_app-{what}-{name}.lock"


def _describe(llm: LLM) -> str:
    temperature = getattr(llm, "temperature", None)
    return model_name(llm) + ("" if temperature is None else f" temperature={temperature}")


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        source = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise DefinitionError(
            f"{path} cannot be read as a recording ({error}): give another file, or record again.", path=str(path)
        ) from error
    replies: dict[str, dict[str, Any]] = {}
    has_digest = False
    for number, text in enumerate(source.split("\n"), start=1):
        if not text:
            continue
        try:
            line = _checked(json.loads(text))
            if replies and ("digest" in line) != has_digest:
                raise ValueError("only some lines have a digest")
            has_digest = "digest" in line
            replies[line["key"]] = line
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise DefinitionError(
                f"{path}, line {number}, is not a line of a recording ({error}): record again.", path=str(path)
            ) from error
    return replies


def _checked(line: dict[str, Any]) -> dict[str, Any]:
    """A line that is as it was recorded. Raises KeyError, TypeError or ValueError."""
    if not set(line) <= {*_FIELDS, "digest"}:
        raise ValueError("it holds something else")
    reply = ModelReply(**line["reply"])
    if not all(isinstance(value, str) for value in (line["key"], line["model"], line["purpose"], reply.text)):
        raise TypeError("a value is not a text")
    if not all(type(count) is int for count in (reply.input_tokens, reply.output_tokens)):
        raise TypeError("a count is not a number")
    if "digest" in line and line["digest"] != _digest(line):
        raise ValueError("it was changed")
    return line


def _digest(line: dict[str, Any]) -> str:
    content = json.dumps({name: line[name] for name in _FIELDS}, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _write(path: Path, replies: dict[str, dict[str, Any]]) -> None:
    """All or nothing: a reader sees the old file or the new one."""
    sealed = ({**replies[key], "digest": _digest(replies[key])} for key in sorted(replies))
    lines = [json.dumps(line, sort_keys=True, ensure_ascii=True) + "\n" for line in sealed]
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise

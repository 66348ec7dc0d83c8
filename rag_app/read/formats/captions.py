"""Transcripts (.vtt, .srt): what was said, speaker by speaker, without the times of its captions."""

import re

from rag_app.errors import ReadError
from rag_app.read.decode import decode
from rag_app.read.extracted import Extracted

_CLOCK = r"(?:\d+:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMES = re.compile(rf"\s*{_CLOCK}[ \t]*-->[ \t]*{_CLOCK}[^\n]*")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>")
_TAG = re.compile(r"</?[^<>\n]{1,200}>|\{\\[^{}\n]{1,40}\}")
_SPEAKER = re.compile(r"(?:-\s*)?([^\W\d_][\w .'’()-]{0,40}):\s+(?=\S)")
_OTHER_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_ENTITIES = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": " ", "&lrm;": "", "&rlm;": ""}


def read_captions(data: bytes) -> Extracted:
    """A paragraph for each turn of a speaker, the captions of it joined. Raises ReadError."""
    text = decode(data).replace("\r\n", "\n").replace("\r", "\n")
    turns: list[tuple[str, list[str]]] = []
    for block in re.split(r"\n[ \t]*\n", text):
        lines = block.strip("\n").split("\n")
        at = next((n for n, line in enumerate(lines[:2]) if _TIMES.fullmatch(line)), None)
        if at is None:
            if turns and not _OTHER_BLOCK.match(block.strip()):
                turns[-1][1].extend(filter(None, map(_shown, lines)))
            continue
        for line in lines[at + 1 :]:
            _add(turns, line)
    if not turns:
        raise ReadError("The file holds no captions with their times: save the transcript again.", code="broken")
    paragraphs = [f"{speaker}: {' '.join(said)}" if speaker else " ".join(said) for speaker, said in turns]
    return Extracted("\n\n".join(paragraphs) + "\n", "plain", titled_by_heading=False)


def _add(turns: list[tuple[str, list[str]]], line: str) -> None:
    """Puts a line of a caption to the turn of its speaker, or of the one who is speaking."""
    voice = _VOICE.search(line)
    shown = _shown(line)
    named = None if voice else _SPEAKER.match(shown)
    speaker = voice[1].strip() if voice else named[1] if named else turns[-1][0] if turns else ""
    said = shown[named.end() :] if named else shown
    if not said:
        return
    if not turns or turns[-1][0] != speaker:
        turns.append((speaker, [said]))
    elif turns[-1][1][-1:] != [said]:  # captions that roll up show a line twice
        turns[-1][1].append(said)


def _shown(line: str) -> str:
    words = _TAG.sub("", line)
    for name, sign in _ENTITIES.items():
        words = words.replace(name, sign)
    return " ".join(words.split())

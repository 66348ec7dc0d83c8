"""Tables in frames of box characters, with the signs that tables are usually drawn with."""

import re

_UPRIGHT = "│┃║"
_FRAME = re.compile(rf"[ \t]*[┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╒╤╕╞╪╡╘╧╛╓╥╖╟╫╢╙╨╜┏┳┓┣╋┫┗┻┛╭╮╰╯{_UPRIGHT}─━═]{{3,}}[ \t\r]*")
_ROW = re.compile(rf"[ \t]*[{_UPRIGHT}].*[{_UPRIGHT}][ \t\r]*")
_SIGNS = {**dict.fromkeys(map(ord, _UPRIGHT), "|"), ord("─"): "-", ord("━"): "-", ord("═"): "="}


def with_plain_frames(text: str) -> str:
    """`text`, letter for letter, with the frames of drawn tables in ASCII; trees stay as they are."""
    if not any(sign in text for sign in _UPRIGHT):
        return text
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if _FRAME.fullmatch(line) and not set(line.strip()) <= set("─━═"):
            lines[at] = re.sub(r"[^\s|=-]", "+", line.translate(_SIGNS))
        elif _ROW.fullmatch(line):
            lines[at] = re.sub(rf"[{_UPRIGHT}]", "|", line)
    return "\n".join(lines)

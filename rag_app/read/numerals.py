"""Numbers of list items as they are shown (decimal, letters, Roman), raised and lowered characters, and what the signs
of symbol fonts are."""

SUPERSCRIPTS = dict(
    zip("0123456789+-−=()nabcdefghijklmoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
SUBSCRIPTS = dict(zip("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎", strict=True))

SYMBOLS = str.maketrans(
    "\uf0b7\uf0a7\uf0a8\uf06e\uf06f\uf071\uf072\uf076\uf0d8\uf0e0\uf0e8\uf0fb\uf0fc\uf0fd\uf0fe\uf0a3\uf0b3\uf0b0\uf0b1\uf0b4\uf06d",
    "•▪◻■☐❑❒❖➢→➔✘✔☒☑≤≥°±×µ",
)
"""What office programs write for the signs of their symbol fonts, mostly as bullets."""
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def letters(number: int) -> str:
    """1 is a, 26 z, 27 aa, as browsers count; other numbers stay figures."""
    text = ""
    rest = number
    while rest > 0:
        rest, place = divmod(rest - 1, 26)
        text = chr(ord("a") + place) + text
    return text or str(number)


def roman(number: int) -> str:
    """4 is iv; what Roman numerals do not write stays in figures."""
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        text += sign * count
    return text

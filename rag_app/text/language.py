"""The language of a text, by its script and its commonest words: enough to say that models for English will not do."""

import re
from collections import Counter

_LOOKED_AT = 20_000
_SCRIPTS = (
    ("Japanese", "\u3040-\u30ff"),
    ("Korean", "\uac00-\ud7af"),
    ("Chinese", "\u3400-\u9fff"),
    ("Russian or another language in Cyrillic letters", "\u0400-\u04ff"),
    ("Arabic or another language in Arabic letters", "\u0600-\u06ff"),
    ("Greek", "\u0370-\u03ff"),
    ("Hebrew", "\u0590-\u05ff"),
    ("Thai", "\u0e00-\u0e7f"),
    ("Hindi or another language of India", "\u0900-\u0dff"),
)
_OTHER_SHARE = 0.3
"""Share of letters of another script from which on a text is in its language."""
_KANA_SHARE = 0.1  # Japanese is mostly written with Chinese letters
_WORDS = {
    "English": "the of and to in is that for it as with be on not this are or by from at have will which can must may",
    "German": "der die das und ist nicht mit von zu den im für auf ein eine werden wird des dem sich auch bei oder als",
    "French": "le la les des et est dans pour que qui une sur pas par au du sont avec plus ou ce cette être il aux",
    "Spanish": "el la los las de y en que un una es por con para del se no su al como más o este son debe",
    "Italian": "il la di che e un una per non è con sono del della le dei alla nel si più come questo gli da",
    "Dutch": "de het een en van is dat niet op te voor met zijn aan door worden wordt bij ook als deze of moet",
    "Portuguese": "o a os as de e que em um uma não com para por do da no na se mais é são ao ou como",
}
_OF_WORD = {
    word: [name for name, words in _WORDS.items() if word in words.split()]
    for words in _WORDS.values()
    for word in words.split()
}
_ASKING = {
    "English": "what who whom whose when where which why how do does did can could should would i we you my our your",
    "German": "was wer wen wem wann wo wohin woher wie warum welche welcher welches wieviel darf dürfen kann können "
    "muss müssen soll gibt man ich wir bis mein unser sind hat haben habe beim einen keine kein "
    "zum zur nach vom über unter viel viele hoch",
    "French": "quel quelle quels quelles quand où comment combien pourquoi puis je nous mon ma notre faut peut dois "
    "doit elle ils elles quoi à y",
    "Spanish": "qué cuál cuáles quién cuándo dónde cómo cuánto cuánta cuántos cuántas puedo puede hay mi nuestro",
    "Italian": "quale quali chi quando dove quanto quanta quanti quante posso può devo mio nostro perché ci",
    "Dutch": "wie wat wanneer waar welke hoe hoeveel waarom mag kan moeten mogen ik wij mijn onze heeft",
    "Portuguese": "qual quais quem quando onde quanto quantos quantas posso pode devo meu minha nosso há",
}
"""What questions hold beside the commonest words."""
_FEWEST = 12
"""Common words that a text must hold before anything is said of it."""
_CLEARLY = 1.5


def language_of(text: str) -> str:
    """The language that most of `text` is in, by its English name; "" where that is not clear."""
    text = text[:_LOOKED_AT]
    if not any(map(str.isalpha, text)):
        return ""
    if name := language_of_script(text):
        return name
    words = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    counts: Counter[str] = Counter()
    for word, names in _OF_WORD.items():
        if word in words:
            counts.update(dict.fromkeys(names, words[word]))
    best = counts.most_common(2)
    if not best or best[0][1] < _FEWEST or (len(best) > 1 and best[0][1] < _CLEARLY * best[1][1]):
        return ""
    return best[0][0]


def language_of_script(text: str) -> str:
    """The language that the letters of `text` tell, by its English name; "" for those of English."""
    letters = 0 if text.isascii() else sum(map(str.isalpha, text))
    for name, letters_of in _SCRIPTS if letters else ():
        share = len(re.findall(f"[{letters_of}]", text)) / letters
        if share >= (_KANA_SHARE if name == "Japanese" else _OTHER_SHARE):
            return name
    return ""


def is_common_word(word: str, language: str) -> bool:
    """Whether `word`, in small letters, is one that every text of a language holds; False of a language not known."""
    return word in f"{_WORDS.get(language, '')} {_ASKING.get(language, '')}".split()


def language_of_question(text: str) -> str:
    """The language that a question is in, by its English name; "" where no word tells, or several languages claim as
    many. A question is too short for `language_of`."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))
    held = {name: len(words & {*common.split(), *_ASKING[name].split()}) for name, common in _WORDS.items()}
    first, second = sorted(held, key=lambda name: -held[name])[:2]
    return first if held[first] > held[second] else ""

"""How well sentences are cut: labelled lines in English and German, and what may never be torn or glued."""

from pathlib import Path

import pytest

from rag_app.text.sentences import cut_sentences

FOLDER = Path(__file__).parent


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in cut_sentences(text, ((0, len(text)),))]


@pytest.mark.parametrize(("language", "lines"), [("en", 300), ("de", 200)])
def test_precision_and_recall_of_cuts(language: str, lines: int) -> None:
    """Of the cuts in lines full of abbreviations, at least 97 of 100 are right, and as many are found."""
    labelled = (FOLDER / f"cuts_{language}.txt").read_text(encoding="utf-8").splitlines()
    assert len(labelled) == lines
    right = wrong = missed = 0
    for line in labelled:
        parts = line.split(" | ")
        found, wanted = set(cut(" ".join(parts))), set(parts)
        right += len(wanted & found)
        wrong += len(found - wanted)
        missed += len(wanted - found)
    assert right / (right + wrong) >= 0.97
    assert right / (right + missed) >= 0.97


@pytest.mark.parametrize(("language", "lines"), [("en", 300), ("de", 200)])
def test_cuts_of_real_documents(language: str, lines: int) -> None:
    """Of the cuts in lines from manuals, licences and books, 99 of 100 are right, and 97 of 100 are found.

    Each line names its source behind a tab. What stands in parentheses belongs to the sentence before.
    """
    labelled = (FOLDER / f"real_cuts_{language}.tsv").read_text(encoding="utf-8").splitlines()
    assert len(labelled) == lines
    right = wrong = missed = 0
    for line in labelled:
        parts = line.partition("\t")[0].split(" | ")
        found, wanted = _ends(cut(" ".join(parts))), _ends(parts)
        right += len(wanted & found)
        wrong += len(found - wanted)
        missed += len(wanted - found)
    assert right / (right + wrong) >= 0.99
    assert right / (right + missed) >= 0.97


def _ends(sentences: list[str]) -> set[int]:
    """How many letters, without spaces, stand before each cut."""
    counts = [len("".join(sentence.split())) for sentence in sentences[:-1]]
    return {sum(counts[: number + 1]) for number in range(len(counts))}


@pytest.mark.parametrize(
    "sentence",
    [
        "It must not exceed 40 deg. C at any time.",
        "Die Gebühr beträgt mind. 5 Euro im Jahr.",
        "Es gilt gem. § 5 der Satzung.",
        "Order qty. 5 of each.",
        "Die Miete ist zzgl. Nebenkosten zu zahlen.",
        "Contact the dept. Head before noon.",
        "Section 4. Managers decide.",
        "Tabelle 10.7. Liste der Gebühren",
        "Am 12. Tag endet die Frist.",
        "Herr K. Der kommt nicht.",
        "z. B. Die Halle.",
    ],
)
def test_an_abbreviation_ends_no_sentence(sentence: str) -> None:
    """What stands behind an abbreviation belongs to the same sentence."""
    assert cut(sentence) == [sentence]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It is paid once per week.", "A late return costs more."),
        ("Trips are approved by the CTO.", "Requests above that go to the board."),
        ("You cannot take it on the bus.", "Late guests walk."),
        ("It weighs 20 kg.", "Managers decide."),
        ("They chose plan B.", "In summer it starts."),
        ("Wer krank ist, ruft vor neun an.", "Kinder zahlen die Hälfte."),
        ("Keep the log in the red book.", "Apprentices may sign it."),
        ("Reduced fares are for people under 25.", "Apply by Friday."),
        ("It is licensed under version 2.0.", "If you lost the text, ask us."),
        ("The program is written in C.", "This helps."),
        ("We bear the costs in mind.", "There are limits."),
        ("Kosten für Post, Papier usw.", "Jetzt gehen wir weiter."),
        ("Geld für Post, Papier usw. [69]", "Beachten Sie die Frist."),
        ("It covers ropes, nets, etc.", "Examples are shown below."),
        ("It reads all files.", "journalctl(1) shows them."),
        ('Der Kunde: "Ja."', 'Die Kasse: "Mein Rechner geht nicht."'),
    ],
)
def test_two_sentences_are_two(one: str, other: str) -> None:
    """A short word, an acronym or a unit that looks like an abbreviation ends its sentence all the same."""
    assert cut(f"{one} {other}") == [one, other]

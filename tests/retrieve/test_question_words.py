"""Words of a question that the documents do not hold as they are typed: misspelt ones, names and codes."""

import random
from html import unescape
from pathlib import Path

import pytest

from rag_app import OpenIndex, Principal
from rag_app.index.search.sparse import SimilarWord
from rag_app.question import Question
from rag_app.retrieve.question_words import Readable
from rag_app.show.explain import explained
from rag_app.text.words import function_words
from tests.office import MANAGER, VISITOR, build_tiny, open_tiny

PAPERS = {
    "travel.md": "# Business travel\n\nThe limit for a hotel room in London is 180 pounds. Receipts go to the address "
    "of the office. You receive the money in two weeks. The accommodation is booked by Maria Lindqvist, and people "
    "around Jonas Lindqvist may ask her.\n",
    "leave.md": "# Leave\n\nThe carryover of holidays ends in March. Damage by frost is covered in Norway. "
    "The lamp LX-200 weighs 3 kg. With `--dry-run` nothing is written.\n",
    "haus.md": "# Hausordnung\n\nDie Kündigungsfrist für die Wohnung beträgt drei Monate, und Frau Petra Hoffmann "
    "nimmt die Miete an. Fahrräder werden im Keller abgestellt und nicht in dem Flur, der von allen genutzt wird.\n",
}


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    folder = tmp_path_factory.mktemp("words") / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    build_tiny(folder)
    return open_tiny(folder)


def asked(index: OpenIndex, text: str, principal: Principal | None = None) -> Question:
    """The question after it was searched."""
    question = Question(text)
    index.as_retriever(principal=principal).retrieve(question)
    return question


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("hotl limt london", "hotel limit london"),
        ("holidys caryover", "holidays carryover"),
        ("What is the adress for reciepts?", "What is the address for receipts?"),
        ("when do i recieve it, and is accomodtion paid", "when do i receive it, and is accommodation paid"),
        ("which hotel in lodnon", "which hotel in london"),
        ("wich hotel", "which hotel"),
        ("Wie lang ist die Kündigunsfrist?", "Wie lang ist die Kündigungsfrist?"),
        ("Wo werden Fahrader abgestelt?", "Wo werden Fahrräder abgestellt?"),
    ],
)
def test_a_misspelt_word_is_read_as_what_the_documents_have(papers: OpenIndex, question: str, wording: str) -> None:
    """Letters left out, doubled, swapped or changed, in English and German; all parts are read so, and it is said."""
    found = asked(papers, question)
    assert found.wording.casefold() == wording.casefold()
    assert found.query_str == question
    assert found.queries[-1] == found.wording
    assert all(old in question and new in found.wording for old, new in found.trace.corrections.items())
    assert len(found.trace.warnings) == len(found.trace.corrections) > 0


@pytest.mark.parametrize(
    "question",
    [
        "What does the LX-900 weigh?",  # a code, one figure away
        "lx-2000 weight",
        "is damage by front covered",  # another word
        "who is maria lindquist",  # another name
        "Who is Maria Lindqvst?",
        "Is it valid in Norwey?",  # written as a name
        "Wer ist Frau Hofmann?",
        "wer ist frau hofmann",
        "Wann kann ich den Koller nutzen?",  # a word of German, one letter from the cellar
        "What is HOTL?",
        "每位读者",
        "лимит отеля",
    ],
)
def test_what_is_another_word_stays(papers: OpenIndex, question: str) -> None:
    """Codes, figures, abbreviations, names and words of the dictionary are never read as a neighbour of theirs."""
    found = asked(papers, question)
    assert found.trace.corrections == {}
    assert found.wording.casefold() == question.casefold()


def test_a_word_of_the_dictionary_is_not_compared_with_the_documents(
    papers: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a word that no dictionary has is compared with the words of the documents, which takes long where there are
    many."""
    compared: list[str] = []
    similar = Readable.similar

    def noting(readable: Readable, word: str, edits: int) -> list[SimilarWord]:
        compared.append(word)
        return similar(readable, word, edits)

    monkeypatch.setattr(Readable, "similar", noting)
    asked(papers, "Are elephants and pyramids in the hotl?")
    assert compared == ["hotl"]


def test_nobody_learns_of_a_word_by_misspelling_it(guarded: OpenIndex) -> None:
    """Only words of passages that the asker may read are read for a misspelt one."""
    assert asked(guarded, "lunhc on working days", VISITOR).trace.corrections == {"lunhc": "lunch"}
    for secret in ("salray in december", "quaterly traning", "the yealry bonuss", "a manger may spnd"):
        assert asked(guarded, secret, VISITOR).trace.corrections == {}
    assert asked(guarded, "traning", MANAGER).trace.corrections == {"traning": "training"}


def test_any_typing_error_leads_to_a_readable_word_or_nowhere(guarded: OpenIndex) -> None:
    """Whatever is typed, what it is read as stands in a passage that the asker may read, or in every English text."""
    chance = random.Random(7)
    words = ("canteen", "lunch", "working", "manager", "quarter", "training", "merger", "zephyr", "october", "bergen")
    readable = "canteen the canteen serves lunch from 11:30 to 14:00 on working days."
    corrected = 0
    for _ in range(150):
        word = chance.choice(words)
        at = chance.randrange(1, len(word) - 1)
        wrong = chance.choice(
            (
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + chance.choice("aeinrst") + word[at + 1 :],
            )
        )
        for new in asked(guarded, f"about the {wrong}", VISITOR).trace.corrections.values():
            assert new.casefold() in {*readable.replace(".", "").split(), *function_words()}
            corrected += 1
    assert corrected > 10


def test_every_surface_says_what_was_searched(papers: OpenIndex) -> None:
    """Text, JSON, HTML and the explanation say that another word was searched; a withdrawn document takes it along."""
    answer = papers.as_query_engine(llm=None).query("hotl limt london").answer
    said = "Searched for 'hotel' where the question says 'hotl'."
    assert said in str(answer)
    assert said in answer.as_dict(full=False)["warnings"]
    assert said in unescape(answer._repr_html_())
    assert said in explained(answer)
    assert answer.question == "hotl limt london"
    answer.trace.remove_documents({"travel"})
    assert "hotel" not in repr((answer.trace.corrections, answer.trace.warnings))


def test_a_name_in_small_letters_opens_the_gate(tmp_path: Path) -> None:
    """A rare name or code that stands word for word in a readable passage is found as it is typed, and no other is."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    build_tiny(folder)
    engine = open_tiny(folder, gate_threshold=0.999).as_query_engine(llm=None)
    for question, named in (
        ("who is maria lindqvist", 2),
        ("lx-200 weight", 1),
        ("does --dry-run touch files", 1),
    ):
        assert engine.query(question).answer.trace.numbers.get("gate.named") == named
    for absent in ("lx-900 weight", "lx-20 weight", "--dry", "who is mario lindgren", "frost"):
        assert engine.query(absent).answer.reason == "below_confidence"

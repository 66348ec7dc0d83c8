"""Questions in scripts that the models cannot read: answered where every word stands, else refused with the reason."""

import pytest

from rag_app import OpenIndex
from tests.office import build_tiny, open_tiny

PAPERS = {
    "zh.md": "# 泳池规定\n\n## 开放\n\n泳池每天上午九点开放。十二岁以下儿童必须由成人陪同。\n\n"
    "## 费用\n\n成人票价为三十元。"
    "储物柜押金为十元。型号LX-200的储物柜可以上锁。\n",
    "ja.md": "# 会議室の利用\n\n会議室の予約は三日前までに行います。鍵は受付で受け取ります。"
    "ごみは各自で持ち帰ります。\n",
    "ko.md": "# 주차장 안내\n\n주차장은 오전 여섯 시에 열립니다. 하루 요금은 만 원입니다.\n",
    "th.md": "# กฎหอพัก\n\nค่ามัดจำห้องพักห้าร้อยบาท\n",
    "ru.md": "# Правила парка\n\nВход в парк стоит двести рублей. Собаки должны быть на поводке.\n",
}


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    folder = tmp_path_factory.mktemp("scripts") / "papers"
    folder.mkdir()
    for name, text in PAPERS.items():
        (folder / name).write_text(text, encoding="utf-8")
    build_tiny(folder)
    return open_tiny(folder, gate_threshold=-1.0)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("成人票价是多少？", "成人票价为三十元。"),
        ("泳池几点开放？", "泳池每天上午九点开放。"),
        ("储物柜的押金是多少？", "储物柜押金为十元。"),
        ("会議室の予約はいつまでですか？", "会議室の予約は三日前までに行います。"),
        ("鍵はどこで受け取りますか？", "鍵は受付で受け取ります。"),
        ("하루 요금은 얼마입니까?", "하루 요금은 만 원입니다."),
        ("Сколько стоит вход в парк?", "Вход в парк стоит двести рублей."),
    ],
)
def test_a_statement_that_holds_every_word_is_quoted(papers: OpenIndex, question: str, fact: str) -> None:
    """It is found by pairs of characters, ranked first and quoted alone."""
    assert fact in papers.search(question, k=1)[0].text
    assert [quote.text for quote in papers.as_query_engine(llm=None).query(question).answer.quotes] == [fact]


@pytest.mark.parametrize(
    "question",
    [
        "泳池有停车场吗？",
        "儿童票价是多少？",
        "八岁以下儿童可以游泳吗？",
        "型号LX-900的储物柜可以上锁吗？",
        "会議室に電話はありますか？",
        "はがきの予約はいつまでですか？",
        "주차장 할인은 얼마입니까?",
        "หอพักมีที่จอดรถไหม",
        "Сколько стоит билет в музей?",
    ],
)
def test_what_is_absent_is_refused_with_the_reason(papers: OpenIndex, question: str) -> None:
    """A question with a word that no statement holds is refused, and it is said that the models cannot judge it."""
    answer = papers.as_query_engine(llm=None).query(question).answer
    assert answer.quotes == ()
    assert any("cannot judge a question in" in warning for warning in answer.trace.warnings)

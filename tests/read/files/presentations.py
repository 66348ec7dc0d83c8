"""Presentations for make_others.py, by python-pptx."""

import io

import pptx
from pptx.util import Inches


def saved(show: "pptx.presentation.Presentation") -> bytes:
    target = io.BytesIO()
    show.save(target)
    return target.getvalue()


def plain() -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[1])
    slide.shapes.title.text = "House rules"
    frame = slide.placeholders[1].text_frame
    frame.text = "No fires"
    inner = frame.add_paragraph()
    inner.text, inner.level = "not even candles", 1
    frame.add_paragraph().text = "No dogs"
    slide.notes_slide.notes_text_frame.text = "The fine is 40 euros."
    box = show.slides.add_slide(show.slide_layouts[6]).shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1))
    box.text_frame.text = "Forklifts enter through gate 7."
    return saved(show)


def table() -> bytes:
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Berths"
    made = slide.shapes.add_table(3, 3, Inches(1), Inches(2), Inches(6), Inches(2)).table
    for row, values in enumerate((("Berth", "Summer", "Winter"), ("B", "", "99"), ("C", "250", "110"))):
        for column, value in enumerate(values):
            made.cell(row, column).text = value
    return saved(show)


def hidden() -> bytes:
    show = pptx.Presentation()
    for text in ("Shown words stand here.", "Secret words."):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = text
    slide.element.set("show", "0")
    box = show.slides[0].shapes.add_textbox(Inches(1), Inches(1), Inches(4), Inches(1)).text_frame.paragraphs[0]
    box.add_run().text = "The fee is "
    struck = box.add_run()
    struck.text = "9"
    struck.font._element.set("strike", "sngStrike")
    box.add_run().text = " 7 euros."
    return saved(show)


FILES: dict[str, tuple[bytes, dict]] = {
    "slides-plain.pptx": (
        plain(),
        {"quotable": ["No dogs", "The fine is 40 euros.", "Forklifts enter through gate 7."], "shown": [["No fires", "not even candles"]],
         "sections": {"No dogs": "Slide 1: House rules"}}),
    "slides-table.pptx": (
        table(), {"quotable": ["| B | | 99 |"], "shown": [["Berth", "Summer", "| C | 250 | 110 |"]]}),
    "slides-hidden.pptx": (hidden(), {"quotable": ["The fee is 7 euros."], "never": ["Secret", "9"], "named": ["Slide 2 is hidden"]}),
}  # fmt: skip

"""Spreadsheets for make_others.py, by openpyxl."""

import io
from datetime import date

import openpyxl
from openpyxl.styles import Font


def saved(book: openpyxl.Workbook) -> bytes:
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def prices() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Prices"
    for row in (
        ["Prices of berths"],
        [],
        ["Berth", "Summer", "Winter"],
        ["A", 120, 70],
        ["B", None, 99],
        ["C", 250.5, 110],
    ):
        sheet.append(row)
    other = book.create_sheet("Crew")
    for row in (["Name", "Since"], ["Ana", date(2021, 5, 3)], ["Bo", date(2024, 1, 31)]):
        other.append(row)
    return saved(book)


def formats() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Rates"
    sheet.append(["What", "Rate"])
    for what, value, code in (
        ("Discount", 0.15, "0%"), ("Deposit", 1200, '#,##0.00 "€"'), ("Load", 450, '0 "kg"'), ("Weight", 2.5, "General"),
    ):  # fmt: skip
        sheet.append([what, value])
        sheet.cell(sheet.max_row, 2).number_format = code
    return saved(book)


def hidden() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Offers"
    for row in (["Hall", "Price", "Floor price"], ["Blue", 400, 310], ["Red", 500, 420], ["Green", 600, 510]):
        sheet.append(row)
    sheet.column_dimensions["C"].hidden = True
    sheet.row_dimensions[3].hidden = True
    sheet["B4"].font = Font(strike=True)
    secret = book.create_sheet("Secret")
    secret.append(["Plan", "Merge"])
    secret.sheet_state = "hidden"
    return saved(book)


def formula() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Item", "Cost"], ["Rope", 12], ["Sum", "=SUM(B2:B2)"]):
        sheet.append(row)
    return saved(book)


def merged() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["Ship", "Leg", "Days"], ["Skua", "out", 25], [None, "back", 30]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    return saved(book)


def long() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Parts"
    sheet.append(["Part", "Price"])
    for number in range(1, 241):
        sheet.append([f"ZX-{number:04}", number * 3])
    return saved(book)


FILES: dict[str, tuple[bytes, dict]] = {
    "sheet-prices.xlsx": (
        prices(),
        {"quotable": ["| A | 120 | 70 |", "| B | | 99 |", "| C | 250.5 | 110 |", "| Ana | 2021-05-03 |", "Prices of berths"],
         "shown": [["Berth", "Summer", "| A | 120 | 70 |"], ["Name", "Since", "| Bo | 2024-01-31 |"]],
         "sections": {"| A | 120 | 70 |": "Prices, A3:C6", "| Bo | 2024-01-31 |": "Crew, A1:B3"}}),
    "sheet-formats.xlsx": (
        formats(), {"quotable": ["| Discount | 15% |", "| Deposit | 1,200.00 € |", "| Load | 450 kg |", "| Weight | 2.5 |"]}),
    "sheet-hidden.xlsx": (
        hidden(), {"quotable": ["| Blue | 400 |"], "never": ["310", "Red", "600", "Merge"], "named": ["Secret"]}),
    "sheet-formula.xlsx": (formula(), {"quotable": ["| Rope | 12 |"], "named": ["1 formulas"]}),
    "sheet-merged.xlsx": (merged(), {"quotable": ["| Skua | out | 25 |", "| Skua | back | 30 |"]}),
    "sheet-long.xlsx": (
        long(), {"quotable": ["| ZX-0239 | 717 |"], "shown": [["Part", "Price", "| ZX-0239 | 717 |"]],
                 "sections": {"| ZX-0239 | 717 |": "Parts, A202:B241"}}),
}  # fmt: skip

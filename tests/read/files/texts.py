"""Markdown, reStructuredText and AsciiDoc for make_others.py."""

FILES: dict[str, tuple[str, dict]] = {
    "md-struck.md": (
        "# Pets\n\nDogs are allowed. ~~Cats are allowed.~~ Birds are not.\n\n- ~~Rats~~\n- Fish\n\n~~All of it\nis free.~~\n\n"
        "`~~literal~~` is code.\n",
        {"quotable": ["Dogs are allowed.", "Birds are not.", "Fish", "`~~literal~~` is code."],
         "never": ["Cats", "Rats", "is free"]},
    ),
    "md-html.md": (
        "# Fees\n\n<del>The fee is 9 euros.</del> The fee is 7 euros.\n\n<div style=\"display:none\">\n\nSecret words.\n\n</div>\n\n"
        "<span hidden>Not this.</span> Shown words stand here.\n",
        {"quotable": ["The fee is 7 euros.", "Shown words stand here."], "never": ["9 euros", "Secret", "Not this"]},
    ),
    "md-definitions.md": (
        "# Options\n\n`--fast`\n\n:   Skips the check of all 7 files.\n\nBeam\nBreadth\n:   The width, 9 m at most.\n\nDraft\n"
        ":   Depth below water.\n\n    It is measured at the keel.\n",
        {"shown": [["`--fast`", "Skips the check of all 7 files."], ["Beam", "Breadth", "9 m at most."],
                   ["Draft", "It is measured at the keel."]]},
    ),
    "md-footnotes.md": (
        "# Refunds\n\nMoney comes back in 10 days.[^1] Others pay half.[^b]\n\n[^1]: Adults\n[^b]: Children below 6.\n",
        {"quotable": ["[^1]: Adults", "[^b]: Children below 6."]},
    ),
    "md-grid.md": (
        "# Berths\n\n+-------+--------+\n| Berth | Winter |\n+=======+========+\n| A     | 70     |\n+-------+--------+\n"
        "| B     | 99     |\n+-------+--------+\n",
        {"quotable": ["| B | 99 |"], "shown": [["Berth", "Winter", "| A | 70 |"]], "never": ["+---"]},
    ),
    "md-tasks.md": (
        "# Done\n\n- [x] Hull painted\n- [ ] Mast checked\n",
        {"quotable": ["[x] Hull painted", "[ ] Mast checked"]},
    ),
    "md-table.md": (
        "| Berth | Summer | Winter |\n|---|---|---|\n| B | | 99 |\n| C | 250 | 110 |\n",
        {"quotable": ["| B | | 99 |"], "shown": [["Summer", "| C | 250 | 110 |"]]},
    ),
    "md-front-matter-tabs.md": (
        "---\ntitle:\tHarbour rules\nversion:\t\"3\"\t# the last\nowner:\tx\t\n---\n# Rules\n\nMoor at the pier.\n",
        {"quotable": ["Moor at the pier."], "title": "Harbour rules"},
    ),
    "md-zero-width.md": (
        "# Ties\n\nThe o\ufb03ce is o\u200bpen at 9. Haft\u00adpflicht ist n\u00f6tig.\n",
        {"quotable": ["The o\ufb03ce is o\u200bpen at 9."]},
    ),
    "md-steps.md": (
        "# Boiler\n\n1. Open the cock.\n2. Vent it.\n\nWait for the lamp.\n\n3. Close the damper.\n",
        {"quotable": ["3. Close the damper.", "1. Open the cock."]},
    ),
    "rst-sections.rst": (
        "Harbour\n=======\n\nMooring\n-------\n\nBoats moor at the pier.\n\n- No fires\n- No dogs\n\n.. note::\n\n   Call first.\n\n"
        "Restart::\n\n    ferry --restart\n\n.. versionadded:: 2.1\n   The flag.\n",
        {"quotable": ["Boats moor at the pier.", "No fires", "Call first.", "ferry --restart"], "title": "Harbour",
         "sections": {"Boats moor at the pier.": "Mooring"}},
    ),
    "rst-grid.rst": (
        "Prices\n======\n\n+-------+--------+\n| Berth | Winter |\n+=======+========+\n| A     | 70     |\n+-------+--------+\n"
        "| B     | 99     |\n+-------+--------+\n\n=====  =====\nShip   Days\n=====  =====\nSkua   12\nTern   15\n=====  =====\n",
        {"quotable": ["| B | 99 |", "| Tern | 15 |"], "shown": [["Berth", "Winter", "| A | 70 |"], ["Ship", "Days", "| Skua | 12 |"]]},
    ),
    "rst-definitions.rst": (
        "Terms\n=====\n\nDraft\n   Depth below water.\n\nFees are due in May [1]_.\n\n.. [1] Only for guests.\n\n"
        "Use :kbd:`q` or :ref:`the gate <gate>`.\n\n.. include:: /etc/passwd\n",
        {"shown": [["Draft", "Depth below water."]], "quotable": ["Only for guests."], "never": ["root:"]},
    ),
    "rst-unknown.rst": (
        "Odd\n===\n\nThis stays.\n\n.. strange-thing:: x\n\n   Lost words.\n",
        {"quotable": ["This stays."], "named": ["strange-thing"]},
    ),
    "adoc-manual.adoc": (
        "= Ferry manual\n:ship: Skua\n\n== Start\n\nThe {ship} starts with *one* key.footnote:[Kept in the safe.]\n\n. Open the cock.\n"
        ". Vent it.\n.. Twice.\n. Press the key.\n\nNOTE: Wait for the lamp.\n\n[source,sh]\n----\nferry --start\n----\n\n"
        "Old: [.line-through]#80 euros# 60 euros.\n\n// a remark\n",
        {"quotable": ["The Skua starts with *one* key.[^1]", "3. Press the key.", "a. Twice.", "NOTE: Wait for the lamp.", "ferry --start",
                      "Kept in the safe.", "Old: 60 euros."], "never": ["80 euros", "a remark"], "title": "Ferry manual"},
    ),
    "adoc-table.adoc": (
        "= Berths\n\n|===\n|Berth |Winter\n\n|A |70\n|B |99\n|===\n\nDraft:: Depth below water.\n\ninclude::/etc/passwd[]\n",
        {"quotable": ["| B | 99 |", "Draft: Depth below water."], "shown": [["Berth", "Winter", "| A | 70 |"]],
         "named": ["include"], "never": ["root:"]},
    ),
    "adoc-lists.adoc": (
        "= Rules\n\nNot allowed:\n\n* Animals\n** snakes\n* Fire\n\n====\nExample words.\n====\n\n____\nA quoted line.\n____\n",
        {"quotable": ["Fire", "Example words.", "A quoted line."], "shown": [["Not allowed:", "Animals", "snakes"]]},
    ),
}  # fmt: skip

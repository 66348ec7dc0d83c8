"""Web pages for make_others.py: content and what is wanted of it."""


def page(body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><meta charset=utf-8><title>Ferry house rules</title>{head}</head><body>{body}</body></html>"


_STYLE = "<style>.old { text-decoration: line-through } .x, #gone { display: none } @media print { p { display: none } }</style>"
FILES: dict[str, tuple[str, dict]] = {
    "html-struck.html": (
        page("<h1>Prices</h1><p>A day ticket costs <s>18 euros</s> 14 euros.</p><p><del>Bicycles are free.</del></p>"
             "<p>Bicycles cost 3 euros.</p><p>A dog costs <span style='text-decoration:line-through'>5</span> 2 euros.</p>"),
        {"quotable": ["A day ticket costs 14 euros.", "Bicycles cost 3 euros.", "A dog costs 2 euros."],
         "never": ["18 euros", "are free", "5 2"]},
    ),
    "html-struck-by-class.html": (
        page("<p>The cabin costs <b class=old>90</b> 70 euros.</p><p class=x>The suite costs 400 euros.</p>"
             "<div id=gone><p>The deck costs 1 euro.</p></div>", _STYLE),
        {"quotable": ["The cabin costs 70 euros."], "never": ["90", "400", "1 euro"]},
    ),
    "html-hidden.html": (
        page("<div hidden><p>Group: 77 euros.</p></div><p style='display:none'>Season: 120 euros.</p><p>Season: 150 euros.</p>"
             "<p>Parking is free.<span style='visibility:hidden'> Not on Sundays.</span></p>"
             "<p style='position:absolute;left:-9999px'>Ignore the rules.</p><p style='font-size:0'>Tiny words.</p>"),
        {"quotable": ["Season: 150 euros.", "Parking is free."],
         "never": ["77", "120", "Sundays", "Ignore the rules", "Tiny"]},
    ),
    "html-collapsed.html": (
        page("<details><summary>May dogs come?</summary><p>On a lead.</p></details><h2><button aria-expanded=false "
             "aria-controls=p1>Can I pay by cheque?</button></h2><div id=p1 hidden><p>We stopped that in 2021.</p></div>"
             "<div role=tabpanel hidden><p>The tab says 8 o'clock.</p></div>"),
        {"quotable": ["On a lead.", "We stopped that in 2021.", "The tab says 8 o'clock."],
         "sections": {"We stopped that in 2021.": "Can I pay by cheque?"}},
    ),
    "html-buttons.html": (
        page("<h1>Machine</h1><p>To cancel, hold <button>Return</button> for 5 seconds and press <button>Confirm</button>."
             "</p><div><button>Share</button> <button>Print this</button></div><p>It takes coins.</p>"),
        {"quotable": ["To cancel, hold Return for 5 seconds and press Confirm."], "never": ["Share", "Print this"]},
    ),
    "html-check-boxes.html": (
        page("<h1>Included</h1><ul><li><input type=checkbox checked> Breakfast</li><li><input type=checkbox> Dinner</li></ul>"
             "<p>Room: <select><option>Single</option><option selected>Double</option></select></p>"
             "<p><label>Notice in days <input type=number value=90></label></p>"),
        {"quotable": ["[x] Breakfast", "[ ] Dinner", "Room: Double", "Notice in days 90"], "never": ["Single"]},
    ),
    "html-definitions.html": (
        page("<dl><dt>Deposit</dt><dd>Two rents, paid before the keys are handed over.</dd><dt>Hot water</dt><dt>Heating</dt>"
             "<dd>From October to April.</dd><dt>Keys</dt><dd>Three.</dd><dd>A lost one costs 40 euros.</dd></dl>"),
        {"quotable": ["Deposit: Two rents, paid before the keys are handed over.", "Hot water, Heating: From October to April."],
         "shown": [["Keys", "A lost one costs 40 euros."]]},
    ),
    "html-list-kinds.html": (
        page("<p>To close:</p><ol type=a start=3><li>Lock the gate.</li><li>Call the mate.</li></ol><p>Countdown:</p>"
             "<ol reversed><li>Cast off.</li><li>Wave.</li></ol><p>Parts:</p><ol type=I><li>Bow</li><li>Stern</li></ol>"),
        {"quotable": ["c. Lock the gate.", "d. Call the mate.", "II. Stern"]},
    ),
    "html-list-levels.html": (
        page("<p>Not allowed:</p><ul><li>Animals:<ul><li>snakes</li><li>rats</li></ul></li><li>Fire</li></ul>"),
        {"quotable": ["snakes", "Fire"], "shown": [["Not allowed:", "Animals:", "snakes"], ["Not allowed:", "Fire"]]},
    ),
    "html-typed-numbers.html": (
        page("<h1>Lease</h1><p>1. Scope of the lease.</p><p>2. The rent is 700 euros.</p><p>- 5 °C is the minimum.</p>"),
        {"quotable": ["1. Scope of the lease.", "2. The rent is 700 euros."], "never": ["\\"]},
    ),
    "html-math.html": (
        page("<p>Mix <math><mfrac><mn>1</mn><mn>2</mn></mfrac></math> litre into <math><mn>3</mn><mfrac><mn>1</mn><mn>4</mn>"
             "</mfrac></math> litres.</p><p>Up to 10<sup>6</sup> cells, 5 m<sup>2</sup> and CO<sub>2</sub>.</p>"
             "<p>Area: <math><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></math>.</p>"),
        {"quotable": ["Mix 1/2 litre into 3 1/4 litres.", "Up to 10⁶ cells, 5 m² and CO₂.", "Area: πr²."], "never": ["106", "12 litre"]},
    ),
    "html-katex.html": (
        page("<p>The load is <span class=katex><span class=katex-mathml><math><semantics><mrow><mn>450</mn><mtext> kg</mtext>"
             "</mrow><annotation>450\\,\\text{kg}</annotation></semantics></math></span><span class=katex-html aria-hidden=true>"
             "450kg</span></span>.</p>"),
        {"quotable": ["The load is 450 kg."], "never": ["450kg", "text{"]},
    ),
    "html-ruby.html": (
        page("<p><ruby>館<rt>かん</rt>内<rt>ない</rt></ruby>では<ruby>飲<rt>いん</rt>食<rt>しょく</rt></ruby>は禁止です。</p>"),
        {"quotable": ["館内では飲食は禁止です。"]},
    ),
    "html-shy.html": (
        page("<p>Die Haft&shy;pflicht&shy;ver&shy;si&shy;che&shy;rung kostet&#8203; 80 Euro.</p>"),
        {"quotable": ["Die Haftpflichtversicherung kostet 80 Euro."]},
    ),
    "html-footnotes.html": (
        page("<p>Fees are refunded within 10 days.<sup><a href='#fn1' id=r1>1</a></sup></p><p>Children pay half.<sup>"
             "<a href='#fn2'>2</a></sup></p><section><ol><li id=fn1>Only if all keys are returned. <a href='#r1'>↩</a></li>"
             "<li id=fn2>Adults</li></ol></section>"),
        {"quotable": ["[^1]: Only if all keys are returned.", "[^2]: Adults"], "shown": [["within 10 days.[^1]"]]},
    ),
    "html-table.html": (
        page("<h1>Berths</h1><table><tr><td>Berth</td><td>Summer</td><td>Winter</td></tr><tr><td>A</td><td>120</td><td>70</td>"
             "</tr><tr><td>B</td><td></td><td>99</td></tr><tr><td>C</td><td>250</td><td>110</td></tr></table>"),
        {"quotable": ["| A | 120 | 70 |", "| B | | 99 |"], "shown": [["Berth", "Summer", "| C | 250 | 110 |"]]},
    ),
    "html-table-spans.html": (
        page("<table><thead><tr><th rowspan=2>Ship</th><th colspan=2>Days</th></tr><tr><th>old</th><th>new</th></tr></thead>"
             "<tbody><tr><td rowspan=2>Skua</td><td>25</td><td>27</td></tr><tr><td>30</td><td>31</td></tr></tbody></table>"),
        {"quotable": ["| Skua | 25 | 27 |", "| Skua | 30 | 31 |"], "shown": [["Days old", "Days new", "| Skua | 30 | 31 |"]]},
    ),
    "html-table-row-headers.html": (
        page("<table><tr><th>Deposit</th><td>300 euros</td></tr><tr><th>Notice</th><td>90 days</td></tr></table>"),
        {"quotable": ["| Deposit | 300 euros |", "| Notice | 90 days |"]},
    ),
    "html-layout.html": (
        page("<table role=presentation><tr><td><h2>Left</h2><p>The office is open.</p></td><td><h2>Right</h2><p>Dogs are not "
             "allowed.</p></td></tr></table>"),
        {"quotable": ["The office is open.", "Dogs are not allowed."]},
    ),
    "html-modal.html": (
        page("<main><p>The gate closes at 9.</p></main><div class=modal role=dialog aria-hidden=true><p>Win 500 euros!</p></div>"
             "<script>var a='Script words.'</script><noscript>No script.</noscript><template><p>Template words.</p></template>"),
        {"quotable": ["The gate closes at 9."], "never": ["500", "Script words", "Template words"]},
    ),
    "html-code.html": (
        page("<p>Restart it:</p><pre><code class=language-sh>systemctl restart ferry\n  # wait</code></pre><p>Use <kbd>q</kbd>.</p>"),
        {"quotable": ["systemctl restart ferry"], "shown": [["Restart it:", "systemctl restart ferry"]]},
    ),
    "xhtml-latin.xhtml": (
        "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>Häuser</title></head>"
        "<body><p>Die Gebühr beträgt 30 Euro.<!-- 50 --></p></body></html>",
        {"quotable": ["Die Gebühr beträgt 30 Euro."], "never": ["50"]},
    ),
}  # fmt: skip

"""How HTML of ours looks, in a notebook or as a page of its own: whatever theme surrounds it, light or dark.

Colours of text are inherited, and surfaces are translucent, so that one style suits every theme; nothing is loaded.
"""

from html import escape

# The classes keep MathJax of a notebook from reading a formula between two dollar signs.
CLASSES = "rag-app mathjax_ignore tex2jax_ignore"

STYLE = """
.rag-app{line-height:1.5;overflow-wrap:anywhere}
.rag-app>:not(.ra-wide){max-width:52rem}
.rag-app blockquote{margin:.6em 0;padding:.2em 0 .2em .9em;border-left:3px solid rgba(60,120,240,.6);font-size:1em}
.rag-app p,.rag-app ol,.rag-app ul,.rag-app dl{margin:.4em 0}
.rag-app .ra-soft{opacity:.75}
.rag-app .ra-head{font-weight:600;margin:1em 0 .2em}
.rag-app .ra-chip{display:inline-block;min-width:1.3em;padding:0 .35em;border-radius:.8em;text-align:center;
font-size:.8em;line-height:1.5;text-decoration:none;color:inherit;background:rgba(60,120,240,.22)}
.rag-app mark{background:rgba(255,190,0,.4);color:inherit;border-radius:2px}
.rag-app details{margin:.3em 0}
.rag-app summary{cursor:pointer}
.rag-app .ra-passage{white-space:pre-wrap;margin:.4em 0;padding:.5em .8em;border-radius:4px;
background:rgba(128,128,128,.12)}
.rag-app pre{white-space:pre-wrap;margin:.3em 0;padding:.4em .6em;background:rgba(128,128,128,.12)}
.rag-app .ra-wide{overflow-x:auto}
.rag-app table{border-collapse:collapse;margin:.3em 0}
.rag-app th,.rag-app td{text-align:left;vertical-align:top;padding:.15em .6em;overflow-wrap:break-word;
border:1px solid rgba(128,128,128,.4)}
.rag-app td.ra-long{min-width:24em}
.rag-app .ra-sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:.6em}
.rag-app .ra-side{padding:.4em .8em;border:1px solid rgba(128,128,128,.4);border-radius:4px}
.rag-app .ra-note{border-left:3px solid rgba(220,140,0,.8);padding-left:.9em}
.rag-app .ra-times{display:flex;height:.7em;border-radius:3px;overflow:hidden;background:rgba(128,128,128,.2)}
.rag-app .ra-times span{min-width:1px}
.rag-app .ra-key{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.3em}
.rag-app .ra-gauge{position:relative;display:inline-block;width:8em;height:.8em;background:rgba(128,128,128,.25)}
.rag-app .ra-gauge span{position:absolute;left:0;top:0;bottom:0;background:rgba(60,120,240,.6)}
.rag-app .ra-gauge i{position:absolute;top:0;bottom:0;border-left:2px solid #c62828}
.rag-app .ra-times,.rag-app .ra-key,.rag-app .ra-gauge,.rag-app mark{print-color-adjust:exact}
.rag-app :focus-visible{outline:2px solid rgba(60,120,240,.9);outline-offset:2px}
""".strip()

PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:1.5rem auto;padding:0 1rem;max-width:54rem;font-family:system-ui,sans-serif;background:Canvas;
color:CanvasText}
h1{font-size:1.4rem;overflow-wrap:anywhere}
""".strip()


def fragment(body: str, label: str) -> str:
    """A piece of HTML with its style, to stand anywhere; `label` is what a screen reader calls it."""
    return f'<div class="{CLASSES}" role="group" aria-label="{escaped(label)}"><style>{STYLE}</style>{body}</div>'


def whole_page(title: str, body: str) -> str:
    """An HTML document that loads nothing and runs nothing."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escaped(title)}</title><style>{PAGE_STYLE}</style></head>"
        f"<body><main><h1>{escaped(title)}</h1>{body}</main></body></html>\n"
    )


def escaped(text: str) -> str:
    """Escaped for HTML; dollar signs too, between which a notebook would see a formula."""
    return escape(text).replace("$", "&#36;")


def facts_table(title: str, sentence: str, facts: dict[str, str]) -> str:
    """A heading, a sentence and a small table of facts, escaped."""
    rows = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(fact)}</td></tr>' for name, fact in facts.items()
    )
    below = f"<p>{escaped(sentence)}</p>" if sentence else ""
    return fragment(f'<p class="ra-head">{escaped(title)}</p>{below}<table>{rows}</table>', title)

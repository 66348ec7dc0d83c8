"""Whether a page that came with status 200 is a barrier in place of the page: a sign-in, a consent form.

A browser check, a waiting room, a captcha, a sign-in, a request for consent, maintenance, "enable JavaScript" and error
pages have in common that they are short, ask the reader for something or to wait, and are made for no search engine.
No single one of these features decides, least of all a phrase: pages that explain how to sign in have it too.
"""

import re
from urllib.parse import unquote, urlsplit

from rag_app.pages.fetching.fetch import Reply
from rag_app.pages.page import Page

LIKELY, POSSIBLE = 3, 2
"""Points from which on a page is a wall by itself, and where it also differs from what stood there before."""
_SHORT, _SHORTER, _SHORTEST = 200, 80, 45
"""Words."""
_PASSWORD = 2
_TITLES = re.compile(
    r"just a moment|(?:one|a) moment(?: please)?|please wait|please stand by|(?:security|browser) (?:check"
    r"|verification)"
    r"|checking your browser|attention required|access (?:denied|restricted)|verif(?:y|ication)"
    r"|are you (?:a )?(?:human|robot)"
    r"|captcha|before you continue|we value your privacy|(?:your )?(?:cookies?|privacy)(?: \w+)? ?(?:settings"
    r"|consent|choices|preferences)?$"
    r"|(?:please )?(?:sign|log)[ -]?(?:in|on)(?: to (?:your account|continue\b.*))?$|authentication required"
    r"|(?:virtual )?waiting room"
    r"|you are (?:now )?in (?:line|the queue)"
    r"|(?:\w+ ){0,3}(?:under|down for|scheduled) maintenance|maintenance(?: mode)?$|(?:we(?:'|’)ll )?be (?:right )?back"
    r"|java ?script|something went wrong|(?:an |internal |unexpected |server )*error(?: occurred)?$|oops|sorry"
    r"|(?:service|temporarily) (?:un)?available"
    r"|anmeld|einloggen|wartung|einen moment|zugriff verweigert|fehler|connexion|se connecter|un instant"
    r"|veuillez patienter"
    r"|acc[eè]s refus|erreur|iniciar sesi|acceso denegado|mantenimiento|un momento|accedi|manutenzione|accesso negato"
    r"|entrar\b|manuten|inloggen|onderhoud|logga in|войти|вход\b|авториз|техническ|доступ|ошибка|ログイン|メンテナンス"
    r"|登录|登入|维护|请稍候|验证|로그인|점검",
    re.IGNORECASE,
)
"""How the titles of such pages begin."""
_REQUESTS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?:enable|turn on|activate|allow|requires?|without|support|activer|activez|aktivieren|activ[ae]r?|habilit\w+|"
        r"включите|有効|启用)\b.{0,30}java ?script|java ?script.{0,40}(?:enabled?|required|disabled|turned off|"
        r"aktivier|activ|habilit|включ|有効|启用)",
        r"(?:verify|confirm|prove|check(?:ing)?|make sure).{0,30}(?:human|not a (?:ro)?bot)|not a robot|captcha|"
        r"unusual (?:traffic|activity)|automated (?:requests|access|queries)|security (?:check|service)|kein roboter|"
        r"pas un robot|no (?:eres|soy) un robot",
        r"(?:checking|review(?:ing)?|secur(?:e|ity)).{0,25}(?:your )?(?:browser|connection)|redirect(?:ed)? (?:you )?"
        r"(?:shortly|automatically|in a)",
        r"(?:sign|log)(?:ged)?[ -]?in to (?:continue|read|view|see|access|go on)|(?:must|need to"
        r"|have to) (?:be )?(?:sign|log)|"
        r"(?:create|have) an account|forgot(?:ten)? (?:your )?password|members? only|melden sie sich an|connectez-vous|"
        r"inicia sesi|accedi per|войдите|ログインして|请登录|请先登录",
        r"(?:accept|reject|manage|agree).{0,25}(?:cookies?|all\b|purposes|consent)|we (?:and our \w+ )?use cookies|"
        r"your (?:consent|privacy)|partners (?:store|use|process)|akzeptieren|accepter|aceptar|принять",
        r"(?:estimated|expected) wait|wait(?:ing)? (?:room|time)|(?:your|place) (?:turn|in line|in the queue)|"
        r"(?:high|heavy|many) (?:demand|traffic|visitors)|do not (?:refresh|close)|keep this (?:page|tab|window)|"
        r"warteschlange|file d.attente|cola de espera|очеред",
        r"(?:down|closed|offline|unavailable|underway|performing|carrying out|undergoing).{0,40}maintenance|"
        r"maintenance.{0,30}(?:progress|underway)|"
        r"back (?:online |up )?(?:soon|shortly|in a)|wartungsarbeiten|travaux de maintenance|mantenimiento"
        r"|технические работы",
        r"(?:went|gone) wrong|try again (?:later|in|soon|shortly)|(?:could not|couldn.t|cannot|unable to|failed to) "
        r"(?:be )?(?:complete|process|load|display|handle|serve)\w*|unexpected (?:error|condition)"
        r"|internal (?:server )?error|"
        r"später (?:noch einmal|erneut)|réessay|inténtalo|повторите|попробуйте",
        r"\b(?:ray|request|reference|incident|error|support|trace|event|session) ?(?:id|code|number|no\.?"
        r"|#)\W{0,3}[\w-]*\d",
    )
)
"""What such pages ask of the reader or tell instead of the page, each counted once."""
_MOST_REQUESTS = 2
_EXPLAINS = re.compile(r"^(?:##+ |```|\s*(?:\d+[.)]|[-*]) .+\n\s*(?:\d+[.)]|[-*]) )", re.MULTILINE)
"""Sections, code and lists: what has them explains something."""
_DOORS = frozenset(
    """login signin sign-in log-in logon sso oauth oauth2 saml auth authorize authenticate captcha challenge consent
    waitingroom waiting-room""".split()
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?", re.IGNORECASE)


def wall_points(page: Page) -> int:
    """How many features of a wall a page has; 0 without any phrase or password field, or where it is not short."""
    if page.words >= _SHORT:
        return 0
    requests = sum(pattern.search(page.text) is not None for pattern in _REQUESTS)
    title = _TITLES.match(page.title) is not None
    password = _PASSWORD if page.asks_password else 0
    if not (requests or title or password):
        return 0
    made_for_nobody = page.is_unlisted + page.reloads + (page.asks_more and not page.asks_password)
    short = (page.words < _SHORTER) + (page.words < _SHORTEST)
    return (
        min(requests, _MOST_REQUESTS) + title + password + made_for_nobody + short - bool(_EXPLAINS.search(page.text))
    )


def leads_to_door(reply: Reply) -> str:
    """Why the redirects to a page lead to a sign-in or to another language, in a sentence; "" where they do not."""
    asked, got = urlsplit(reply.url), urlsplit(reply.final_url)
    if (asked.netloc, asked.path) == (got.netloc, got.path):
        return ""
    parts = {part.rpartition(".")[0] or part for part in got.path.lower().split("/")}
    returns = len(asked.path) > 1 and asked.path.rstrip("/") in unquote(unquote(got.query))
    opened = parts & _DOORS and not {*asked.path.lower().split("/")} & _DOORS
    if opened or returns:
        return f"It leads to a page that stands before it, {got.netloc}{got.path}, as to a sign-in."
    ours, theirs = _language(asked.path), _language(got.path)
    if ours and theirs and ours != theirs:
        return f"It leads to another language ({theirs} instead of {ours})."
    return ""


def _language(path: str) -> str:
    """The language that the first part of a path names; "" where it names none."""
    first = path.lstrip("/").partition("/")[0]
    return first[:2].lower() if _LANGUAGE.fullmatch(first) else ""

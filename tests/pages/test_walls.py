"""Pages with status 200 that stand in the way of a page, and good updates: 80 of each, over a real connection."""
# ruff: noqa: E501 - the text of a page stands in one line

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rag_app.pages.fetching.fetch import Reply as Fetched
from rag_app.pages.page import read_page
from rag_app.pages.page_store import PageStore, StoredPage
from rag_app.pages.updates import fetch_pages
from rag_app.pages.urls import read_list
from rag_app.pages.walls import LIKELY, wall_points
from tests.pages.wall_pages import MORE_UPDATES, MORE_WALLS
from tests.site import LocalSite, Reply, Request, moved, page, serving

GOOD = page(
    "Firing the kiln",
    "Before the first firing the chamber is dried for two days with the damper half open and the door ajar.",
    "Raise the temperature by sixty degrees an hour until the cones at the spy hole begin to bend.",
    "A firing to cone six takes nine hours in the small kiln and fourteen in the large one.",
    "Keep the burner log for every firing; the inspector asks for the last three years of it.",
    "Shelves are washed with alumina after each glaze firing, and props are checked for cracks.",
)


def bare(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


NOINDEX = '<meta name="robots" content="noindex,nofollow">'
LOGIN_FORM = "<form action=/session><input name=user><input type=password name=pass><button>Go</button></form>"

WALLS: dict[str, str | Reply] = {
    # browser checks
    "check 1": bare(
        "Just a moment...",
        "<h1>docs.example.org</h1><p>Verifying you are human. This may take a few seconds.</p><p>docs.example.org needs to review the security of your connection before proceeding.</p><p>Ray ID: 8c1f22ab9</p>",
        NOINDEX,
    ),
    "check 2": bare(
        "Checking your browser",
        "<p>Checking your browser before accessing the documentation. This process is automatic. Your browser will redirect to your requested content shortly. Please allow up to five seconds.</p>",
    ),
    "check 3": page(
        "Security verification",
        "We are making sure that the request comes from a person. You will be redirected automatically in a moment. Please do not close this page. Request ID 55-1192.",
    ),
    "check 4": bare(
        "Einen Moment bitte",
        "<main><p>Wir prüfen Ihren Browser. Das dauert nur wenige Sekunden, danach werden Sie weitergeleitet. Bitte aktivieren Sie JavaScript und Cookies, um fortzufahren.</p></main>",
    ),
    "check 5": bare(
        "docs.example.org",
        "<div><p>Access to this page has been denied because we believe you are using automation tools. Automated access is not permitted. Please make sure cookies are on. Reference ID: #a91f-44</p></div>",
        NOINDEX,
    ),
    # waiting rooms
    "queue 1": page(
        "You are in line",
        "Many visitors want to see the site right now. Your estimated wait time is four minutes. Keep this page open, it refreshes by itself and takes you in when it is your turn.",
    ),
    "queue 2": bare(
        "Virtual waiting room",
        "<h1>Thanks for waiting</h1><p>We are experiencing high demand. You are number 4411 and the page will load when a place is free. Do not refresh, or you lose your place in line.</p>",
        '<meta http-equiv="refresh" content="20">',
    ),
    "queue 3": page(
        "Warteschlange",
        "Derzeit greifen sehr viele Menschen auf unsere Seiten zu. Sie sind in der Warteschlange und werden gleich weitergeleitet. Bitte laden Sie die Seite nicht neu.",
    ),
    "queue 4": page(
        "File d'attente",
        "Vous êtes dans la file d'attente. Notre site connaît une forte affluence, votre tour viendra dans environ cinq minutes, merci de garder cette page ouverte.",
    ),
    "queue 5": bare(
        "Please wait",
        "<p>So many people came at once that we let them in one after another. Expected wait: less than a minute. Thank you for your patience, you will get in without doing anything.</p>",
    ),
    # captchas
    "captcha 1": bare(
        "Are you a robot?",
        "<p>Please complete the captcha below to show that you are not a robot. It helps us to keep the site free of automated queries and quick for everybody.</p><iframe src='https://captcha.example/frame'></iframe>",
    ),
    "captcha 2": bare(
        "Attention Required!",
        "<h1>One more step</h1><p>Please complete the security check to access the documentation. Why do I have to do this? Completing it proves you are a human and gives you temporary access.</p>",
    ),
    "captcha 3": bare(
        "Unusual traffic",
        "<p>Our systems have detected unusual traffic from your network. This page checks to see if it is really you sending the requests, and not a robot. Why did this happen?</p><form action=/challenge><input name=captcha_code></form>",
    ),
    "captcha 4": page(
        "Vérification",
        "Pour continuer, confirmez que vous n'êtes pas un robot en cochant les images qui montrent un feu de signalisation. Cette vérification protège notre site, captcha fourni par un tiers.",
    ),
    "captcha 5": bare(
        "验证",
        "<p>请完成下面的安全验证后继续访问。系统检测到您的网络存在异常流量，需要确认您不是机器人。请按顺序点击图片中的文字，然后提交。</p><form action=/captcha><input name=code></form>",
    ),
    # sign-ins
    "sign-in 1": bare(
        "Sign in",
        f"<h1>Sign in</h1><p>Sign in to continue to the documentation. Do not have an account yet? Ask your administrator to create one for you and your team.</p>{LOGIN_FORM}",
    ),
    "sign-in 2": page(
        "Log in to your account",
        "You must log in to read this page. Choose how you want to go on: with the account of your company, with a code that we send by mail, or with a passkey on this device.",
    ),
    "sign-in 3": bare(
        "Anmelden",
        "<p>Bitte melden Sie sich an, um diese Seite zu sehen. Sie haben noch kein Konto? Dann registrieren Sie sich kostenlos und lesen sofort weiter in allen Artikeln.</p>"
        + LOGIN_FORM,
    ),
    "sign-in 4": bare(
        "Вход",
        "<p>Войдите, чтобы продолжить чтение документации. Если у вас ещё нет учётной записи, зарегистрируйтесь бесплатно за одну минуту и получите доступ ко всем статьям сразу.</p>"
        + LOGIN_FORM,
    ),
    "sign-in 5": page(
        "Members only",
        "This article is for members only. Log in with your library card, or have an account made at the desk of any branch; it takes two minutes and costs nothing at all.",
    ),
    # consent
    "consent 1": page(
        "Before you continue",
        "We use cookies and data to deliver and maintain our services and to measure audience engagement. Choose Accept all or Reject all. You can change your choice at any time under privacy.",
    ),
    "consent 2": page(
        "We value your privacy",
        "We and our partners store and access information on a device, such as cookies, and process personal data for personalised advertising. You may click to consent to the processing by our 842 partners, or refuse.",
    ),
    "consent 3": page(
        "Cookie settings",
        "To show you this page we need your consent. Please accept cookies for statistics and marketing, or manage your choices under settings. Without a choice the page cannot be displayed to you.",
    ),
    "consent 4": page(
        "Datenschutz",
        "Wir und unsere Partner verwenden Cookies. Mit einem Klick auf alle akzeptieren stimmen Sie der Verarbeitung Ihrer Daten zu. Oder lesen Sie werbefrei im Abo für drei Euro im Monat.",
    ),
    "consent 5": page(
        "Your choice",
        "Read on with advertising: agree to cookies and we show you the page for free. Or buy a subscription. Details on purposes, vendors and storage periods stand in the privacy centre of the house.",
    ),
    # maintenance
    "maintenance 1": page(
        "Scheduled maintenance",
        "The documentation is down for scheduled maintenance. We expect to be back online shortly. Follow the status page for news, and thank you for your patience while we improve things.",
    ),
    "maintenance 2": page(
        "We'll be back soon",
        "Sorry for the inconvenience, but we are performing some maintenance at the moment. If you need to, you can always write to us, otherwise we will be back up shortly. The team.",
    ),
    "maintenance 3": page(
        "Wartungsarbeiten",
        "Unsere Seiten sind wegen Wartungsarbeiten vorübergehend nicht erreichbar. Bitte versuchen Sie es später noch einmal. Wir danken für Ihr Verständnis und sind bald wieder für Sie da.",
    ),
    "maintenance 4": page(
        "Технические работы",
        "На сайте проводятся технические работы. Приносим извинения за временные неудобства. Пожалуйста, зайдите позже, мы скоро вернёмся и всё снова будет работать как обычно, спасибо за терпение.",
    ),
    "maintenance 5": page(
        "Site offline",
        "This site is offline for maintenance until tomorrow at six. Nothing is lost: everything that was saved is still there, and it will be back in a few hours with more room than before.",
    ),
    # scripts wanted
    "scripts 1": bare(
        "Docs",
        "<div id=root><p>You need to enable JavaScript to run this app. It is switched off in your browser, or your browser does not support it. Learn how to turn it on in the settings.</p></div>",
    ),
    "scripts 2": page(
        "JavaScript is required",
        "This page works only with scripts. Please turn on JavaScript in the settings of your browser and reload it. If that does not help, try another browser or ask your administrator.",
    ),
    "scripts 3": page(
        "JavaScript deaktiviert",
        "Bitte aktivieren Sie JavaScript in Ihrem Browser, um diese Seite zu nutzen. Ohne JavaScript stehen Ihnen die Inhalte leider nicht zur Verfügung. Eine Anleitung finden Sie auf der Hilfeseite.",
    ),
    "scripts 4": bare(
        "Loading",
        "<p>Please enable JavaScript to view the documentation. While the page is loading you may see this message for a short time; if it stays, scripts are blocked by your network or an extension.</p>",
        NOINDEX,
    ),
    "scripts 5": page(
        "JavaScript requerido",
        "Para ver esta página es necesario activar JavaScript en el navegador. Una vez activado, vuelva a cargar la página. Si el problema sigue, póngase en contacto con nosotros por correo.",
    ),
    # errors that say 200
    "error 1": page(
        "Something went wrong",
        "An unexpected error occurred while we were loading this page. Our engineers were notified. Please try again later, or go back to the start page. Error ID: 77ab-2231.",
    ),
    "error 2": page(
        "Service unavailable",
        "The server is temporarily unable to handle your request. Please try again in a few minutes. If the problem persists, contact support and name the incident number 4411-220 to them.",
    ),
    "error 3": page(
        "Oops!",
        "We could not process your request right now. It is not your fault. Reload the page or try again soon; if you keep seeing this, tell us which link brought you here and when.",
    ),
    "error 4": page(
        "Fehler",
        "Bei der Verarbeitung Ihrer Anfrage ist ein Fehler aufgetreten. Bitte versuchen Sie es später erneut oder wenden Sie sich mit der Fehlernummer 10023 an unseren Kundendienst in der Zentrale.",
    ),
    "error 5": page(
        "Internal error",
        "The application failed to load because a service behind it did not answer in time. The trace id is 55f2-9911. Go home, or try again later when the load has gone down.",
    ),
}

TOPICS = {
    "glaze": (
        "Mixing glaze",
        [
            "Weigh silica, clay and ash on the small scale before any water is added.",
            "Sieve the slurry through a mesh of eighty, twice, and let it rest over night.",
            "Test tiles go into every firing, marked with the date and the recipe.",
            "Copper glazes need the fan, since the fumes stay low in the room.",
        ],
    ),
    "sign in": (
        "Sign in with a company account",
        [
            "People sign in to the console with the account of their company, through the identity provider that an administrator registers.",
            "Under Settings, Identity, enter the issuer and upload its certificate; the provider then sends the groups of a person.",
            "A session lasts eight hours. Who forgot a password asks the provider, not us, since no password is stored here.",
            "Errors of the provider are kept in the audit log for thirty days.",
        ],
    ),
    "captcha": (
        "Protecting forms with a captcha",
        [
            "The captcha field is placed above the send button and checks that a person fills in the form.",
            "Set a site key and a secret in the form's properties; without them the field shows a warning.",
            "Scores under a half are held for review, and reviewers see them in the moderation list.",
            "Accessible audio tasks are on unless you turn them off.",
        ],
    ),
    "cookies": (
        "Cookies that we set",
        [
            "The shop sets one cookie for the basket, which ends with the session.",
            "A second cookie keeps the language for a year and holds two letters.",
            "Statistics are counted on the server and need no cookie at all.",
            "Partners who embed the catalogue must list these cookies on their own pages.",
        ],
    ),
    "maintenance": (
        "Maintenance of the burner",
        [
            "The nozzle is cleaned every fifty hours with the brass brush, never with steel.",
            "Replace the thermocouple when the flame needs more than three tries.",
            "The maintenance window of the gas supplier is the second Tuesday of a month.",
            "Enter each repair into the burner log with name and hour.",
        ],
    ),
    "errors": (
        "Error codes",
        [
            "Error 12 says that the lid is open; close it and press reset.",
            "Error 17 says that the sensor is broken and must be replaced by a technician.",
            "Error 23 is shown when the mains voltage falls below two hundred volts.",
            "After an unexpected error the controller holds the temperature for ten minutes.",
        ],
    ),
    "deutsch": (
        "Glasuren mischen",
        [
            "Kieselsäure, Ton und Asche werden vor dem Wasser auf der kleinen Waage gewogen.",
            "Der Schlicker wird zweimal gesiebt und ruht über Nacht im geschlossenen Eimer.",
            "Probefliesen kommen in jeden Brand und tragen Datum und Rezept.",
            "Kupferglasuren brauchen den Lüfter, weil die Dämpfe im Raum stehen bleiben.",
        ],
    ),
    "中文": (
        "釉料配制",
        [
            "加水之前，先用小秤称量石英、黏土和草木灰，并记录在配方表上。",
            "泥浆用八十目筛网过筛两次，然后静置一夜再使用。",
            "每次烧制都要放入试片，并写上日期和配方编号。",
            "含铜的釉料需要打开风扇，因为烟气会停留在房间下部。",
        ],
    ),
}


def article(topic: str, change: str) -> str:
    title, sentences = TOPICS[topic]
    said = list(sentences)
    match change:
        case "a figure":
            said[2] = said[2] + " (v2.1)"
        case "longer":
            said += ["Since this year " + said[0][0].lower() + said[0][1:], *reversed(TOPICS["glaze"][1])]
        case "a section less":
            del said[1]
        case "another order":
            said = [said[3], said[1], said[0], said[2]]
        case "half rewritten":
            said[0], said[1] = "What was written here was put more plainly by the new editor.", TOPICS["errors"][1][0]
    return page(title, *said)


UPDATES = [
    (topic, change)
    for topic in TOPICS
    for change in ("a figure", "longer", "a section less", "another order", "half rewritten")
]


WALLS |= MORE_WALLS
GOOD_UPDATES = {
    f"{topic}, {change}": (article(topic, ""), article(topic, change)) for topic, change in UPDATES
} | MORE_UPDATES
ON_ONE_PAGE = ("sign-in", "captcha", "error")
"""Kinds that stand in the way of one page; of the further walls the others are shown at every address of their host."""
NOT_TOLD = {
    "captcha: slider", "error: database", "sign-in: long marketing", "sign-in: mail first, no password field",
    "sign-in: wiki read right",
}  # fmt: skip
"""Walls that nothing tells from a page where no earlier version is known."""

Served = str | Reply


def marked(answer: Served, number: int) -> Served:
    """A page with a word of its own, since one text at many addresses is another rule."""
    word = f"x{chr(97 + number // 26)}{chr(97 + number % 26)}"
    said = f"</h1><p>It belongs to the {word} workshop.</p>"
    return answer.replace("</h1>", said, 1) if isinstance(answer, str) else answer


def put(site: LocalSite, host: str, answer: Served | tuple[str, Served], number: int) -> None:
    """Serves a page at /guide; a pair is the path that /guide leads to, and what stands there."""
    if isinstance(answer, tuple):
        site.add(host, "/guide", moved(f"https://{host}{answer[0]}", 302))
        site.add(host, answer[0], marked(answer[1], number))
    else:
        site.add(host, "/guide", marked(answer, number))


def host(number: int, kind: str) -> str:
    """Each page lies at a host of its own, so that it is judged alone."""
    return f"{kind}{number}.example"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, StoredPage]]:
    """What is known of every page after two rounds: first the good version, then what the case brings; `first:` after
    one round in which the wall was all there ever was."""
    folder: Path = tmp_path_factory.mktemp("walls")
    day = datetime(2026, 3, 2, 9, tzinfo=UTC)
    known: dict[str, StoredPage] = {}
    with serving() as site, PageStore(None) as store:
        places = {f"wall:{name}": host(n, "wall") for n, name in enumerate(WALLS)}
        places |= {f"first:{name}": host(n, "first") for n, name in enumerate(WALLS)}
        places |= {f"good:{name}": host(n, "good") for n, name in enumerate(GOOD_UPDATES)}
        (folder / "urls.txt").write_text("".join(f"https://{place}/guide\n" for place in places.values()))
        pages = read_list(folder / "urls.txt")
        everywhere = {
            places[f"first:{name}"]: wall for name, wall in MORE_WALLS.items() if not name.startswith(ON_ONE_PAGE)
        }

        def elsewhere(request: Request) -> Reply:
            found = everywhere.get(request.host) if request.path != "/robots.txt" else None
            return found if isinstance(found, Reply) else Reply(found) if found else Reply("<h1>Not found</h1>", 404)

        site.fallback = elsewhere
        for n, name in enumerate(WALLS):
            put(site, places[f"wall:{name}"], GOOD, n)
            site.add(places[f"first:{name}"], "/guide", WALLS[name])
        for n, (name, (before, _)) in enumerate(GOOD_UPDATES.items()):
            put(site, places[f"good:{name}"], before, n)
        fetch_pages(pages, store, site.web(), now=lambda: day)
        known |= {
            case: store.get(f"https://{place}/guide") for case, place in places.items() if case.startswith("first")
        }
        known |= {f"old {case}": store.get(f"https://{place}/guide") for case, place in places.items()}
        for name in WALLS:
            site.add(places[f"wall:{name}"], "/guide", WALLS[name])
        for n, (name, (_, after)) in enumerate(GOOD_UPDATES.items()):
            put(site, places[f"good:{name}"], after, n)
        fetch_pages(pages, store, site.web(), now=lambda: day + timedelta(1))
        known |= {
            case: store.get(f"https://{place}/guide") for case, place in places.items() if not case.startswith("first:")
        }
        yield known


@pytest.mark.parametrize("name", WALLS)
def test_a_wall_replaces_no_good_version(seen: dict[str, StoredPage], name: str) -> None:
    """The last good version stays, and the page is named with a reason."""
    found = seen[f"wall:{name}"]
    assert "cone six" in found.body.decode()
    assert found.verdict in ("blocked", "replaced", "too thin", "soft 404")
    assert found.reason


@pytest.mark.parametrize("name", [name for name in WALLS if name not in NOT_TOLD])
def test_a_wall_that_comes_first_is_no_document(seen: dict[str, StoredPage], name: str) -> None:
    """Where nothing is known of a page its own features decide, and what its host shows at any address."""
    found = seen[f"first:{name}"]
    assert (found.body, found.verdict in ("blocked", "too thin", "soft 404")) == (b"", True), found.verdict


@pytest.mark.parametrize("name", GOOD_UPDATES)
def test_a_good_update_is_taken(seen: dict[str, StoredPage], name: str) -> None:
    """Also of pages about signing in, captchas, cookies, maintenance and errors, and in other scripts."""
    before, found = seen[f"old good:{name}"], seen[f"good:{name}"]
    assert before.verdict == "ok", before.reason
    assert (found.verdict, found.reason) == ("ok", "")
    assert found.sha256 != before.sha256


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("How do I open an account?", "You fill in the form at the desk and bring a passport. Your account is ready on the next day. Children need the consent of a parent."),
        ("Queue", "A queue holds jobs until a worker takes them. Jobs wait at most an hour, then they fail with an error. Workers poll it every ten seconds."),
        ("Visiting us", "Visitors sign in at the gate and get a badge. Please wear closed shoes. The tour takes forty minutes and ends at the shop."),
        ("Service status", "All services are running. On Monday the login service was unavailable for ten minutes after an upgrade. The next maintenance is on Sunday."),
        ("Oat cookies", "Mix oats, butter and sugar. Bake the cookies for twelve minutes until the edges are brown. Let them cool; they keep for two weeks."),
        ("Subscriptions", "A subscription costs 40 euros a year. It renews by itself unless you cancel by the end of November. Members of the club pay half."),
    ],
)  # fmt: skip
def test_a_short_page_with_such_words_is_a_page(title: str, text: str) -> None:
    """What a wall is about is also what pages are about; a wall speaks of itself, to its visitor, of the moment."""
    body = page(title, text).encode()
    found = read_page(Fetched("https://a.example/g", "https://a.example/g", 200, {"content-type": "text/html"}, body))
    assert wall_points(found) < LIKELY

"""Walls with status 200 and good updates as sites send them, in many forms: what `test_walls.py` serves besides its own."""
# ruff: noqa: E501 - the text of a page stands in one line

from tests.site import Reply, page


def bare(title, body, head="", html=""):
    return f"<!doctype html><html {html}><head><title>{title}</title>{head}</head><body>{body}</body></html>"


CHROME = "<header><a href=/>Acme Kilns</a><nav><a href=/a>Products</a> <a href=/b>Support</a> <a href=/c>Company</a></nav></header>"
FOOT = "<footer><p>Acme Kilns Ltd, 4 Brick Lane. All rights reserved. <a href=/i>Imprint</a> <a href=/p>Privacy</a></p></footer>"


def site(title, body, head=""):
    return bare(title, CHROME + body + FOOT, head)


BASE = [
    "Before the first firing the chamber is dried for two days with the damper half open and the door ajar.",
    "Raise the temperature by sixty degrees an hour until the cones at the spy hole begin to bend.",
    "A firing to cone six takes nine hours in the small kiln and fourteen in the large one.",
    "Keep the burner log for every firing; the inspector asks for the last three years of it.",
    "Shelves are washed with alumina after each glaze firing, and props are checked for cracks.",
    "Bisque ware is stacked rim to rim and may touch, while glazed ware needs a finger of room on every side.",
    "The fan runs for half an hour after the burner has gone out so that no gas stays in the flue.",
    "Cracked bricks in the arch are replaced one at a time, with the form left in place over night.",
]
GOOD = page("Firing the kiln", *BASE)

MORE_WALLS: dict[str, str | Reply] = {}
# browser checks
MORE_WALLS["check: managed challenge with h1 of host, long help"] = bare(
    "Just a moment...",
    "<div class=main-wrapper><h1>docs.example.org</h1><h2>Verify you are human by completing the action below.</h2><p>docs.example.org needs to review the security of your connection before proceeding.</p><h2>Why am I seeing this page?</h2><p>Requests from malicious bots can pose as legitimate traffic. Occasionally, you may see this page while the site ensures that the connection is secure.</p></div><footer>Ray ID: 8f3a21c9d8e7 Performance and security by Cloudflare</footer>",
)
MORE_WALLS["check: DDoS guard"] = bare(
    "DDoS-Guard",
    "<h1>Checking your browser before accessing docs.example.org</h1><p>It will take no more than five seconds. After the check you will be sent on to the page that you asked for.</p><p>IP 203.0.113.9 · Request 2f91-aa</p>",
)
MORE_WALLS["check: outdated browser"] = site(
    "Acme Kilns",
    "<div><h1>Your browser is not supported</h1><p>We have stopped supporting this browser. To go on, please update it or use one of these: Chrome, Firefox, Safari, Edge. Then come back to this page.</p></div>",
)
MORE_WALLS["check: bot denied plain"] = Reply(
    "Access denied. Your request looks automated and was stopped by the firewall of this site. If you think that this is a mistake, write to the owner of the site and give the incident number 77410-22.",
    content_type="text/plain; charset=utf-8",
)
MORE_WALLS["check: japanese"] = bare(
    "アクセス確認中",
    "<p>お使いのブラウザを確認しています。数秒後に自動的に移動します。このページを閉じずにお待ちください。確認が終わると元のページが表示されます。問題が続く場合はクッキーを有効にしてください。</p>",
    html="lang=ja",
)
# waiting rooms
MORE_WALLS["queue: ticket shop style"] = site(
    "Acme Kilns",
    "<main><h2>You are now in line</h2><p>When it is your turn, you will have ten minutes to enter the website. Number of people ahead of you: 2,351. Your number in line: 88,120. Status last updated: 10:42.</p><p>Leave this page open. It updates itself.</p></main>",
)
MORE_WALLS["queue: busy"] = page(
    "We are very busy right now",
    "There are more people here than our site can carry at once. You don't need to do anything: we let you through as soon as there is room, in the order in which people came.",
)
MORE_WALLS["queue: hold tight"] = bare(
    "Hold tight!",
    "<p>Lots of people are looking at our pages. You have been placed in a queue to keep things running for everybody. This page reloads every thirty seconds.</p>",
    "<meta http-equiv=refresh content=30>",
)
MORE_WALLS["queue: spanish"] = bare(
    "Sala de espera",
    "<h1>Está usted en la sala de espera</h1><p>Debido al gran número de visitas, el acceso al sitio es limitado. Tiempo estimado de espera: tres minutos. No cierre ni actualice esta página, entrará automáticamente cuando llegue su turno.</p>",
)
MORE_WALLS["queue: polish"] = bare(
    "Poczekalnia",
    "<h1>Jesteś w kolejce</h1><p>Z powodu dużego zainteresowania wpuszczamy odwiedzających stopniowo. Przewidywany czas oczekiwania wynosi około pięciu minut. Nie odświeżaj strony, zostaniesz przekierowany automatycznie.</p>",
)
# captchas
MORE_WALLS["captcha: press and hold"] = bare(
    "Access to this page has been denied",
    "<h1>Press & Hold to confirm you are a human (and not a bot).</h1><p>Reference ID 0d1c-77ee. Having trouble? Report an issue with this page, and tell us which address you came from and what you wanted to read.</p>",
)
MORE_WALLS["captcha: slider"] = site(
    "Acme Kilns",
    "<main><h1>Let us check that it is you</h1><p>Slide the piece of the puzzle to the right place. It shows us that no program is asking. You can also hear numbers and type them in, or ask for another picture.</p></main>",
)
MORE_WALLS["captcha: letters"] = bare(
    "Enter the characters you see below",
    "<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot. For best results, please make sure your browser is accepting cookies.</p><form action=/errors/validate><input name=field-keywords><button>Continue shopping</button></form>",
)
MORE_WALLS["captcha: portuguese"] = bare(
    "Verificação de segurança",
    "<p>Para continuar, confirme que você não é um robô. Marque as imagens que mostram uma bicicleta e toque em enviar. Isso nos ajuda a manter o site seguro para todas as pessoas que o usam.</p>",
)
MORE_WALLS["captcha: korean"] = bare(
    "보안 확인",
    "<p>계속하려면 아래 그림에 보이는 글자를 입력해 주십시오. 자동화된 요청을 막기 위한 절차이며 사람이 보낸 요청인지 확인하고 있습니다. 글자가 보이지 않으면 새로 고침을 누르거나 음성 안내를 이용하십시오.</p>",
    html="lang=ko",
)
# sign-ins
MORE_WALLS["sign-in: mail first, no password field"] = site(
    "Acme Kilns",
    "<main><h1>Welcome back</h1><p>Enter your e-mail address and we send you a link with which you are signed in at once. No account yet? It is free and takes less than a minute.</p><form action=/magic><input type=email name=email><button>Send the link</button></form></main>",
)
MORE_WALLS["sign-in: long marketing"] = site(
    "Acme Kilns",
    "<main><h1>Sign in to read on</h1><p>This guide is free for registered readers. Create an account to read it.</p><h2>Why register?</h2><ul><li>All guides of the library, more than four hundred of them, with drawings that can be printed in full size and shared with colleagues in the same workshop.</li><li>A letter every other Friday with what was added, what was corrected and which events take place near you in the coming weeks.</li><li>Questions to the editors, who answer within two working days and publish the answers that help others too.</li><li>Saved places, so that you go on reading where you stopped on another device the day before.</li><li>Reduced prices for courses, for the printed handbook and for the yearly meeting in autumn.</li></ul><p>Already registered? Sign in with your address and password, with your company's account or with a code that we send to your phone. If you have forgotten your password, we send a new one. By registering you agree to the terms of use and the privacy policy of the house, which you may read beforehand. Companies with more than ten readers get an offer of their own: write to us and name how many people will read, in which countries and in which languages, and we answer within a day.</p></main>",
)
MORE_WALLS["sign-in: title of the page kept, teaser"] = site(
    "Firing the kiln",
    "<main><h1>Firing the kiln</h1><p>Before the first firing the chamber is dried for two days with the damper half open...</p><p>To read this article, subscribe or log in. Subscribers read everything, from four euros a month, and can end it at any time. Already a subscriber? Log in.</p></main>",
)
MORE_WALLS["sign-in: turkish"] = bare(
    "Giriş yap",
    "<h1>Giriş yap</h1><p>Bu sayfayı görmek için oturum açmanız gerekiyor. Hesabınız yok mu? Birkaç dakika içinde ücretsiz kaydolabilir ve tüm yazıları okuyabilirsiniz. Şifrenizi mi unuttunuz? Yenisini isteyin.</p><form><input type=password></form>",
)
MORE_WALLS["sign-in: wiki read right"] = site(
    "Permission error",
    "<main><h1>Permission error</h1><p>You do not have permission to read this page, for the following reason: the action you have requested is limited to users in one of the groups editors, staff, reviewers. Ask whoever invited you to the wiki.</p></main>",
)
# consent
MORE_WALLS["consent: long purposes"] = bare(
    "Acme Kilns",
    "<div><h1>Your privacy is important to us</h1><p>We and our 1,142 partners store and access information on your device and process personal data such as unique identifiers and browsing data.</p>"
    + "".join(
        f"<h2>{p}</h2><p>{t}</p>"
        for p, t in [
            (
                "Store and/or access information on a device",
                "Cookies, device or similar online identifiers together with other information can be stored or read on your device to recognise it each time it connects to an app or to a website, for one or several of the purposes presented here.",
            ),
            (
                "Use limited data to select advertising",
                "Advertising presented to you on this service can be based on limited data, such as the website or app you are using, your non-precise location, your device type or which content you are interacting with.",
            ),
            (
                "Create profiles for personalised advertising",
                "Information about your activity on this service can be stored and combined with other information about you or similar users, and used to build or improve a profile about you.",
            ),
            (
                "Measure content performance",
                "Information regarding which content is presented to you and how you interact with it can be used to determine whether the content has reached its intended audience and matched your interests.",
            ),
            (
                "Develop and improve services",
                "Information about your activity on this service, such as your interaction with ads or content, can be very helpful to improve products and to build new products based on user interactions.",
            ),
        ]
    )
    + "<p>With your consent we continue. Accept all. Reject all. Manage options.</p></div>",
)
MORE_WALLS["consent: french pur"] = bare(
    "Votre choix",
    "<p>Avec votre accord, nos partenaires et nous utilisons des cookies ou technologies similaires pour stocker et lire des données personnelles. Continuez sans accepter, acceptez et fermez, ou abonnez-vous pour deux euros par mois et naviguez sans publicité ciblée.</p>",
)
MORE_WALLS["consent: age"] = site(
    "Acme Kilns",
    "<main><h1>Are you old enough?</h1><p>To enter this site you have to be of legal age in the country where you are. Please enter your date of birth. By entering you accept the terms of use and the privacy policy.</p></main>",
)
MORE_WALLS["consent: terms"] = site(
    "Terms of use",
    "<main><h1>Please accept our terms</h1><p>We have changed the terms of use. To go on to the page, read them and tick the box below. If you do not agree, you cannot use the service and may ask for your data to be deleted.</p><form action=/terms/accept><input type=checkbox name=ok><button>I agree</button></form></main>",
)
MORE_WALLS["consent: dutch"] = bare(
    "Cookies op deze site",
    "<p>Wij gebruiken cookies om de site goed te laten werken en om advertenties af te stemmen. Accepteer alle cookies of kies zelf welke u toestaat. Zonder uw keuze kunnen wij de pagina helaas niet tonen.</p>",
)
# maintenance
MORE_WALLS["maint: upgrade weekend"] = site(
    "Acme Kilns",
    "<main><h1>We are making things better</h1><p>Our documentation is being moved to a new home this weekend. Until Monday at eight nothing can be shown here. Thank you for bearing with us; the support desk answers the phone as always.</p></main>",
)
MORE_WALLS["maint: italian"] = bare(
    "Sito in manutenzione",
    "<h1>Sito in manutenzione</h1><p>Stiamo effettuando un aggiornamento programmato. Il servizio tornerà disponibile nel più breve tempo possibile. Ci scusiamo per il disagio e vi ringraziamo per la pazienza. Lo staff tecnico.</p>",
)
MORE_WALLS["maint: default server page"] = bare(
    "Welcome to nginx!",
    "<h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p><p>For online documentation and support please refer to nginx.org. Commercial support is available at nginx.com.</p><p><em>Thank you for using nginx.</em></p>",
)
MORE_WALLS["maint: parked"] = bare(
    "docs.example.org",
    "<h1>docs.example.org is for sale</h1><p>This domain may be for sale by its owner. Make an offer today, or see related links: pottery supplies, ceramic courses, kiln repair, insurance quotes. The sponsored listings displayed above are served automatically by a third party.</p>",
)
MORE_WALLS["maint: arabic"] = bare(
    "الموقع تحت الصيانة",
    "<h1>الموقع تحت الصيانة</h1><p>نقوم حاليا بأعمال صيانة مجدولة لتحسين الخدمة. نعتذر عن أي إزعاج وسنعود قريبا إن شاء الله. يرجى المحاولة مرة أخرى في وقت لاحق، وشكرا على صبركم وتفهمكم.</p>",
    html="lang=ar",
)
# scripts wanted
MORE_WALLS["scripts: title of page"] = bare(
    "Firing the kiln | Acme Docs",
    "<noscript>We're sorry but Acme Docs doesn't work properly without JavaScript enabled. Please enable it to continue.</noscript><div id=app><p>Loading the page, one moment. If nothing happens, your network may block the files that this site needs to show its text.</p></div>",
)
MORE_WALLS["scripts: skeleton"] = bare(
    "Acme Docs",
    "<div id=__next><div>Loading…</div><div>Loading…</div><aside>Getting started Guides Reference Changelog Support Community Blog Pricing Contact Careers Status Terms Privacy Cookies Accessibility Sitemap</aside></div>",
)
MORE_WALLS["scripts: hindi"] = bare(
    "जावास्क्रिप्ट आवश्यक है",
    "<p>इस पृष्ठ को देखने के लिए कृपया अपने ब्राउज़र में जावास्क्रिप्ट चालू करें और पृष्ठ को फिर से लोड करें। यदि समस्या बनी रहती है तो कोई दूसरा ब्राउज़र आज़माएँ या सहायता केंद्र से संपर्क करें।</p>",
    html="lang=hi",
)
MORE_WALLS["scripts: cookies needed"] = page(
    "Cookies are switched off",
    "This site cannot be shown because cookies are switched off in your browser. Allow them in the settings and load the page again. How that is done depends on the browser that you use.",
)
MORE_WALLS["scripts: swedish"] = bare(
    "Aktivera JavaScript",
    "<p>Den här sidan kräver JavaScript för att fungera. Slå på JavaScript i webbläsarens inställningar och ladda sedan om sidan. Kontakta din administratör om du inte kan ändra inställningen själv.</p>",
)
# errors with 200
MORE_WALLS["error: stack trace"] = bare(
    "Error",
    "<h1>Server Error in '/' Application.</h1><p>Object reference not set to an instance of an object.</p><p>Description: An unhandled exception occurred during the execution of the current web request. Please review the stack trace for more information about the error and where it originated in the code.</p>",
)
MORE_WALLS["error: database"] = bare(
    "Database Error",
    "<h1>Error establishing a database connection</h1><p>This either means that the user name and password information in your configuration file is incorrect or that contact with the database server could not be established. Your host's database server may be down.</p>",
)
MORE_WALLS["error: geo"] = site(
    "Acme Kilns",
    "<main><h1>Not available in your region</h1><p>We are sorry. For legal reasons this content cannot be shown in the country from which you are visiting us. If you travel, try again once you are home. Questions are answered by our support.</p></main>",
)
MORE_WALLS["error: quota"] = bare(
    "Too many requests",
    "<h1>Slow down</h1><p>You have sent us a lot of requests within a short time. Wait for a minute and load the page once more. Programs should use the interface for developers, whose limits are written in its handbook.</p>",
)
MORE_WALLS["error: json"] = Reply(
    '{"error": {"code": 503, "message": "The upstream service is not reachable at the moment. Please try again in a little while.", "request_id": "f1a2-99", "documentation": "see the status page for what is known so far"}}',
    content_type="text/plain; charset=utf-8",
)


def art(title, *s, head="", extra="", html="", before=""):
    return bare(
        title,
        f"<nav><a href=/>Home</a></nav>{before}<main><h1>{title}</h1>"
        + "".join(f"<p>{x}</p>" for x in s)
        + f"{extra}</main><footer><a href=/i>Imprint</a></footer>",
        head,
        html,
    )


T = "Firing the kiln"
MORE_UPDATES: dict[str, tuple[str | Reply, str | Reply | tuple[str, str]]] = {}


def g(name, old, new):
    MORE_UPDATES[name] = (old, new)


g("heading renamed", art(T, *BASE), art("How to fire", *BASE))
g("half kept after a split", art(T, *BASE), art(T, *BASE[:4], "The rest of this page stands under Glaze firing now."))
g(
    "ten times as long",
    art(T, *BASE),
    art(T, *BASE, *[f"Step {i}: " + x.replace("the", "each") for i in range(9) for x in BASE]),
)
g(
    "rewritten, same facts",
    art(T, *BASE),
    art(
        T,
        "Dry the chamber before the first firing: leave the door ajar and the damper half open for two days.",
        "From then on the temperature goes up by sixty degrees an hour. Stop when the cones bend that you see through the spy hole.",
        "Firing to cone six takes nine hours in the small kiln; the large one needs fourteen.",
        "Every firing goes into the burner log, of which the inspector wants to see three years.",
        "After a glaze firing wash the shelves with alumina and check all props for cracks.",
    ),
)
g(
    "short page, a sentence more",
    art(
        "Opening hours",
        "The workshop is open from nine to five on weekdays, and on the first Saturday of a month. In August it stays closed for two weeks.",
    ),
    art(
        "Opening hours",
        "The workshop is open from nine to six on weekdays, and on the first Saturday of a month. In August it stays closed for three weeks. Keys are at the desk.",
    ),
)
g(
    "login API page",
    art(
        "Login endpoint",
        *BASE[:2],
        "Send a POST with user and password to /login; the reply holds a token that is valid for an hour.",
        "A wrong password is answered with 401. You must log in again when the token has run out.",
    ),
    art(
        "Login endpoint",
        *BASE[:2],
        "Send a POST with user, password and the code of the phone to /login; the reply holds a token that is valid for thirty minutes.",
        "A wrong password is answered with 401. You must log in again when the token has run out.",
    ),
)
g(
    "a login box in the margin",
    art(T, *BASE),
    art(
        T,
        *BASE[:7],
        before="<aside class=sidebar><form action=/login><label>Password <input type=password name=p></label><button>Log in</button></form></aside>",
    ),
)
g(
    "short page with a login box in the header",
    art(
        "Opening hours",
        "The workshop is open from nine to five on weekdays, and on the first Saturday of a month. In August it stays closed for two weeks.",
    ),
    art(
        "Opening hours",
        "The workshop is open from ten to five on weekdays, and on the first Saturday of a month. In August it stays closed for two weeks.",
        before="<header><form action=/login><input name=u><input type=password name=p><button>Log in</button></form></header>",
    ),
)
g("noindex added", art(T, *BASE), art(T, *BASE[1:], head="<meta name=robots content=noindex>"))
g("reloads itself", art(T, *BASE), art(T, *BASE[:6], head="<meta http-equiv=refresh content=300>"))
g(
    "cookie banner added",
    art(T, *BASE),
    art(T, *BASE[:7], extra="<div class=cookie-banner><p>We use cookies. Accept all or manage your choices.</p></div>"),
)
g(
    "deprecation note",
    art(T, *BASE),
    art(T, "This page is no longer maintained and will be removed next year. See the new handbook.", *BASE),
)
g(
    "captcha on feedback form",
    art(T, *BASE),
    art(
        T,
        *BASE[:6],
        extra="<form action=/feedback class=feedback><div class='g-recaptcha cf-turnstile'></div><button>Send</button></form>",
    ),
)
LAT = art(
    "Glasuren mischen",
    "Kieselsäure, Ton und Asche werden vor dem Wasser auf der kleinen Waage gewogen.",
    "Der Schlicker wird zweimal gesiebt und ruht über Nacht im geschlossenen Eimer.",
    "Kupferglasuren brauchen den Lüfter, weil die Dämpfe im Raum stehen bleiben.",
)
g(
    "charset only in meta",
    LAT,
    Reply(
        LAT.replace("<head>", "<head><meta charset=iso-8859-1>").replace("zweimal", "dreimal").encode("latin-1"),
        content_type="text/html",
    ),
)
g("HTML becomes Markdown", art(T, *BASE), Reply(f"# {T}\n\n" + "\n\n".join(BASE), content_type="text/markdown"))
g("HTML becomes plain text", art(T, *BASE), Reply(f"{T}\n\n" + "\n\n".join(BASE[:7]), content_type="text/plain"))
ROWS = [
    "Clay, grogged",
    "Clay, smooth",
    "Porcelain",
    "Kaolin",
    "Feldspar",
    "Quartz",
    "Copper carbonate",
    "Iron oxide",
    "Cobalt oxide",
    "Wax",
]


def table(f):
    return (
        "<table><tr><th>Material</th><th>Price per kilo</th><th>Stock</th></tr>"
        + "".join(f"<tr><td>{r}</td><td>{f(i)} euros</td><td>{f(i) * 3} bags</td></tr>" for i, r in enumerate(ROWS))
        + "</table>"
    )


g(
    "all figures of a price list",
    art("Prices", extra=table(lambda i: i * 7 + 3)),
    art("Prices", extra=table(lambda i: i * 8 + 5)),
)
g(
    "figures, new currency",
    art("Prices", extra=table(lambda i: i * 7 + 3)),
    art("Prices", extra=table(lambda i: i * 9 + 4).replace("euros", "EUR")),
)
NOTES = [
    f"Version {v}: {t}"
    for v, t in [
        ("4.1", "the timer no longer forgets the hour when the mains fails."),
        ("4.0", "cones can be chosen by name, and the curve is drawn on the screen."),
        ("3.9", "the fan goes on for half an hour after the end of a firing."),
        ("3.8", "the log can be saved to a stick with the button at the side."),
    ]
]
NEWER = [
    f"Version {v}: {t}"
    for v, t in [
        ("4.4", "the alarm sounds twice when the door opens during a firing."),
        ("4.3", "the screen can be turned by ninety degrees in the settings."),
        ("4.2", "curves of other kilns can be loaded through the socket."),
    ]
]
g("release notes, newest on top", art("Release notes", *NOTES), art("Release notes", *NEWER, *NOTES))
g("release notes, oldest cut", art("Release notes", *NOTES), art("Release notes", *NEWER, *NOTES[:2]))
g(
    "glossary in another order",
    art(
        "Glossary",
        extra="<dl>"
        + "".join(f"<dt>{t}</dt><dd>{b}</dd>" for t, b in zip(["Damper", "Cone", "Log", "Shelf"], BASE, strict=False))
        + "</dl>",
    ),
    art(
        "Glossary",
        extra="<dl>"
        + "".join(
            f"<dt>{t}</dt><dd>{b}</dd>"
            for t, b in reversed(list(zip(["Damper", "Cone", "Log", "Shelf"], BASE, strict=False)))
        )
        + "</dl>",
    ),
)
g("language attribute added", art(T, *BASE), art(T, *BASE[:7], html="lang=en-GB"))
g("language attribute refined", art(T, *BASE, html="lang=en"), art(T, *BASE[:7], html="lang=en-US"))
g("language attribute wrong before", art(T, *BASE, html="lang=de"), art(T, *BASE, "One more line.", html="lang=en"))
g(
    "title now Sign in, page about it",
    art(
        "Accounts",
        "People sign in to the controller with the badge that hangs at the door.",
        "A badge that was lost is blocked by the office on the same day.",
        "The list of badges is printed every quarter and signed by the owner.",
        "Guests get a badge for a day, which opens the yard but not the kiln room.",
    ),
    art(
        "Sign in",
        "People sign in to the controller with the badge that hangs at the door.",
        "A badge that was lost is blocked by the office on the same day.",
        "The list of badges is printed every month and signed by the owner.",
        "Guests get a badge for a day, which opens the yard but not the kiln room.",
    ),
)
g(
    "maintenance notice on top",
    art(T, *BASE),
    art(T, "On Sunday this site will be down for maintenance between two and four.", *BASE),
)
g(
    "comments added",
    art(T, *BASE),
    art(
        T,
        *BASE,
        extra="<section><h2>Comments</h2><p>Log in to reply.</p><p>Ana: mine took ten hours.</p><p>Bo: check the log.</p></section>",
    ),
)
g("redirect to a language", art(T, *BASE), ("/en/guide", art(T, *BASE[:7])))
g("redirect within auth docs", art("Tokens", *BASE), ("/docs/auth/tokens", art("Tokens", *BASE[:7])))
g(
    "redirect to login docs",
    art("Sign-in of people", *BASE),
    ("/handbook/sso/setup", art("Sign-in of people", *BASE[1:])),
)
g("trailing slash", art(T, *BASE), ("/guide/", art(T, *BASE[2:])))
g("redirect with the old path in the query", art(T, *BASE), ("/new/guide?from=/guide", art(T, *BASE[1:])))
g(
    "chinese, a third changed",
    bare(
        "釉料配制",
        "<main><h1>釉料配制</h1><p>加水之前，先用小秤称量石英、黏土和草木灰，并记录在配方表上。</p><p>泥浆用八十目筛网过筛两次，然后静置一夜再使用。</p><p>每次烧制都要放入试片，并写上日期和配方编号。</p></main>",
        html="lang=zh",
    ),
    bare(
        "釉料配制",
        "<main><h1>釉料配制</h1><p>加水之前，先用小秤称量石英、黏土和草木灰，并记录在配方表上。</p><p>泥浆用一百目筛网过筛三次，密封静置两天再使用。</p><p>每次烧制都要放入试片，并写上日期和配方编号。</p></main>",
        html="lang=zh",
    ),
)
g(
    "japanese, endings changed",
    bare(
        "窯の焚き方",
        "<main><h1>窯の焚き方</h1><p>初めて焚く前に、窯の中を二日間乾かします。ダンパーは半分開け、扉は少し開けておきます。</p><p>温度は一時間に六十度ずつ上げ、のぞき穴のコーンが曲がるまで続けます。</p></main>",
    ),
    bare(
        "窯の焚き方",
        "<main><h1>窯の焚き方</h1><p>初めて焚く前に、窯の中を三日間乾かしてください。ダンパーは半分開け、扉は少し開けておいてください。</p><p>温度は一時間に五十度ずつ上げ、のぞき穴のコーンが曲がるまで続けてください。</p></main>",
    ),
)
g(
    "code page, another version",
    art(
        "Install",
        extra="<pre><code>pip install kiln==1.4\nkiln init --cone 6\nkiln run --log burner.csv</code></pre><p>The command needs rights for the serial port, and writes its log into the folder that you stand in.</p>",
    ),
    art(
        "Install",
        extra="<pre><code>uv tool install kiln\nkiln init --cone 6\nkiln run --log burner.csv</code></pre><p>The command needs rights for the serial port, and writes its log into the folder that you stand in.</p>",
    ),
)
g(
    "accordions now",
    art(T, *BASE),
    art(T, extra="".join(f"<details><summary>Part {i}</summary><p>{x}</p></details>" for i, x in enumerate(BASE))),
)
g("quote marks and case", art(T, *BASE), art(T, *[x.replace("the", "“the”") for x in BASE]))

g(
    "new template and a sentence less",
    art(T, *BASE),
    site(
        "Firing the kiln - Acme",
        "<div class=content><article><h1>Firing the kiln</h1>"
        + "".join(f"<div>{x}</div>" for x in BASE[1:])
        + "</article></div>",
    ),
)
g("steps numbered", art(T, *BASE), art(T, extra="<ol>" + "".join(f"<li>{x}</li>" for x in BASE) + "</ol>"))
g(
    "a dialog to sign in",
    art(T, *BASE),
    art(T, *BASE[:7], extra="<dialog><h2>Sign in</h2><form action=/login><input type=password></form></dialog>"),
)
g(
    "an outage that is over",
    art("Status", *BASE[:3], "All services are up."),
    art(
        "Status",
        *BASE[:3],
        "All services are up. On Monday the console was unavailable for ten minutes, and an error was shown instead.",
    ),
)

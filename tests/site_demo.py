"""Builds the documentation index of the imaginary library from its pages in site/, served on this machine.

`rag-app build` finds no such host on the web. Here the name service and the network are the test site's; what may be
fetched is decided as always.
"""

from pathlib import Path
from urllib.parse import urlsplit

from rag_app.building import BuildReport, build_index
from rag_app.pages.urls import read_list
from tests.site import serving

INDEX = Path(__file__).parents[1] / "indexes" / "saggarline"


def build_demo(folder: Path = INDEX, **options: object) -> BuildReport:
    """Builds the index in a folder, for all of whose listed pages there is a file below site/."""
    with serving() as site:
        for host in {urlsplit(url).netloc for url in read_list(folder / "urls.txt").urls}:
            site.add_folder(host, folder / "site")
        return build_index(folder, web=site.web(), **options)  # type: ignore[arg-type]


if __name__ == "__main__":
    print(build_demo())

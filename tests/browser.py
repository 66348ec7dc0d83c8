"""A real browser without a window, driven over its debugging protocol on loopback."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="the Debian package chromium is not installed")

_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --remote-debugging-port=0 --remote-allow-origins=*"
).split()
_SECONDS = 60.0


class Tab:
    """The one tab of a browser."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._calls = 0
        self.loaded: list[str] = []
        """Addresses that the page asked for, itself included."""
        for domain in ("Page", "Runtime", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One call of the protocol and its result."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv(timeout=_SECONDS))
            if said.get("method") == "Network.requestWillBeSent":
                self.loaded.append(said["params"]["request"]["url"])
            if said.get("id") == self._calls:
                assert "error" not in said, said
                return said["result"]

    def open(self, address: str) -> None:
        """Opens a page and waits until it is there."""
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def evaluate(self, code: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        found = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, code: str) -> None:
        """Waits until an expression is true."""
        deadline = time.monotonic() + _SECONDS
        while not self.evaluate(code):
            assert time.monotonic() < deadline, f"never true: {code}"
            time.sleep(0.05)

    def look(self, width: int, scheme: str) -> None:
        """Makes the window so many CSS pixels wide, and the reader's theme "light" or "dark"."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key: str, code: int, text: str = "") -> None:
        """Presses and lets go of a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)

    def names(self, role: str) -> list[str]:
        """What a screen reader calls everything of a role."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node.get("name", {}).get("value", "") for node in nodes if node.get("role", {}).get("value") == role]

    def picture(self, file: Path) -> None:
        """Takes a picture of the whole page."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        file.write_bytes(base64.b64decode(data))


@contextmanager
def browsing(folder: Path) -> Iterator[Tab]:
    """A browser with a fresh profile in a folder."""
    assert CHROMIUM is not None
    profile = folder / "profile"
    with (folder / "browser.log").open("wb") as log:
        process = subprocess.Popen([CHROMIUM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"], stderr=log)
        try:
            port = _port(profile / "DevToolsActivePort", process)
            with connect(f"ws://127.0.0.1:{port}{_tab(port)}", max_size=None, proxy=None) as socket:
                yield Tab(socket)
        finally:
            process.terminate()
            process.wait(timeout=_SECONDS)


def _port(file: Path, process: "subprocess.Popen[bytes]") -> int:
    deadline = time.monotonic() + _SECONDS
    while not file.exists() or not file.read_text():
        assert process.poll() is None, "the browser ended"
        assert time.monotonic() < deadline, "the browser did not start"
        time.sleep(0.05)
    return int(file.read_text().split()[0])


def _tab(port: int) -> str:
    import httpx

    tabs = httpx.get(f"http://127.0.0.1:{port}/json/list", trust_env=False).json()
    return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page").partition(str(port))[2]

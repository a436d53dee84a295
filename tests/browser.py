"""A real browser: headless Chromium, driven over the W3C WebDriver protocol."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
AVAILABLE = CHROMIUM is not None and DRIVER is not None
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage"]  # fmt: skip


class Browser:
    """One window; use it as a context manager."""

    def __init__(self, profile, width=1200, height=900):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self._root = f"http://127.0.0.1:{port}/session"
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        chromium = {
            "binary": CHROMIUM,
            "args": [*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"],
        }
        wanted = {"goog:chromeOptions": chromium, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self._send_patiently({"capabilities": {"alwaysMatch": wanted}})
        self._root += f"/{answer['sessionId']}"

    def _send_patiently(self, body):
        """The driver takes a moment until it listens."""
        for _ in range(200):
            try:
                return self._send("POST", "", body)
            except urllib.error.URLError as error:
                if not isinstance(error.reason, ConnectionRefusedError):
                    raise
                time.sleep(0.1)
        raise TimeoutError("chromedriver does not listen")

    def _send(self, verb, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._root + path, data, method=verb)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]

    def open(self, path):
        self._send("POST", "/url", {"url": path.resolve().as_uri()})

    def run(self, script):
        """The value that the script returns."""
        return self._send("POST", "/execute/sync", {"script": script, "args": []})

    def phone(self, width, height):
        """Show the page as a phone of this size does."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics}
        self._send("POST", "/goog/cdp/execute", command)

    def console(self):
        """Everything that the console has said since it was last asked."""
        return [entry["message"] for entry in self._send("POST", "/se/log", {"type": "browser"})]

    def picture(self):
        return base64.b64decode(self._send("GET", "/screenshot"))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._send("DELETE", "")
        self._driver.terminate()
        self._driver.wait()

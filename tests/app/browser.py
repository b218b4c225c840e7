"""A headless Chromium that a test drives as a person would: W3C WebDriver over HTTP, with Python's own library alone."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver") or shutil.which("chromium.chromedriver")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # by this name the standard gives elements
KEYS = {"left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}


class Browser:
  def __init__(self, url, session):
    self._session = f"{url}/session/{session}"

  def _ask(self, method, path, body=None):
    return ask(method, f"{self._session}/{path}", body)

  def open(self, path):
    self._ask("POST", "url", {"url": pathlib.Path(path).resolve().as_uri()})

  def run(self, script, *arguments):
    return self._ask("POST", "execute/sync", {"script": script, "args": list(arguments)})

  def _find(self, css):
    return self._ask("POST", "element", {"using": "css selector", "value": css})[ELEMENT]

  def click(self, css):
    self._ask("POST", f"element/{self._find(css)}/click", {})

  def text(self, css):
    return self._ask("GET", f"element/{self._find(css)}/text")

  def keys(self, css, keys):
    self._ask("POST", f"element/{self._find(css)}/value", {"text": KEYS.get(keys, keys)})

  def press_at(self, css, share):
    """A click of the mouse that far along an element."""
    box = self._ask("GET", f"element/{self._find(css)}/rect")
    at = {"x": round(box["x"] + box["width"] * share), "y": round(box["y"] + box["height"] / 2)}
    self._pointer([{"type": "pointerMove", "duration": 0, **at}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

  def drag(self, css, dx, dy):
    box = self._ask("GET", f"element/{self._find(css)}/rect")
    x, y = round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)
    self._pointer([{"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                   {"type": "pointerMove", "duration": 50, "x": x + dx, "y": y + dy}, {"type": "pointerUp", "button": 0}])

  def wheel(self, css, delta):
    box = self._ask("GET", f"element/{self._find(css)}/rect")
    at = {"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + box["height"] / 2)}
    self._ask("POST", "actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
      {"type": "scroll", "duration": 0, "deltaX": 0, "deltaY": delta, **at}]}]})

  def _pointer(self, actions):
    self._ask("POST", "actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}]})

  def until(self, script, wanted, seconds=30):
    """Waits until the script returns what is wanted; what it returns."""
    end = time.monotonic() + seconds
    while (now := self.run(script)) != wanted and time.monotonic() < end:
      time.sleep(0.05)
    return now


def ask(method, url, body=None, seconds=120):
  data = None if body is None else json.dumps(body).encode()
  request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
  opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is on this machine, whatever the environment says
  try:
    with opener.open(request, timeout=seconds) as reply:
      return json.load(reply)["value"]
  except urllib.error.HTTPError as e:
    raise AssertionError(f"{method} {url}: {json.load(e)['value']['message']}") from None


@contextlib.contextmanager
def browser():
  """Chromium with a profile of its own, which is gone with it. It sees files alone: no proxy, no network."""
  with tempfile.TemporaryDirectory(prefix="rangescope-browser-", ignore_cleanup_errors=True) as profile:
    driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "HOME": profile, "TMPDIR": profile})
    session = url = None
    try:
      said = []
      for line in driver.stdout:
        said.append(line)
        if found := re.search(r"started successfully on port (\d+)", line):
          url = f"http://127.0.0.1:{found[1]}"
          break
      if url is None:
        raise AssertionError("chromedriver did not start: " + "".join(said))
      arguments = ["--headless=new", f"--user-data-dir={profile}/profile", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--proxy-server=127.0.0.1:9",
                   "--window-size=1000,700"]
      if os.geteuid() == 0:
        arguments.append("--no-sandbox")  # which root cannot have
      options = {"args": arguments, "binary": CHROMIUM}
      made = ask("POST", f"{url}/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
      session = made["sessionId"]
      yield Browser(url, session)
    finally:
      if session is not None:
        with contextlib.suppress(AssertionError, OSError):
          ask("DELETE", f"{url}/session/{session}")
      driver.terminate()
      try:
        driver.wait(20)
      except subprocess.TimeoutExpired:
        driver.kill()
        driver.wait()
      driver.stdout.close()

"""Pictures, animations and the window at a place, as files that other readers take."""

import json
import re
import struct
import unittest
import zlib

from program import MANY, RANGEIFY, Case


def png_size(path):
  data = path.read_bytes()
  assert data[:8] == b"\x89PNG\r\n\x1a\n", path
  return struct.unpack(">II", data[16:24])


def gif_frames(data):
  """Walks the blocks of a GIF and counts its frames."""
  assert data[:6] == b"GIF89a"
  at = 13 + 3 * 2 ** ((data[10] & 7) + 1)
  frames = 0
  while data[at] != 0x3B:
    if data[at] == 0x21:
      at += 2
    else:
      assert data[at] == 0x2C, at
      frames += 1
      at += 11
    while data[at]:
      at += data[at] + 1
    at += 1
  return frames


class Pictures(Case):
  def pass_of(self, trace, name):
    for line in self.ok("info", trace).splitlines():
      m = re.match(rf"\s*(\d+)\s+(\d+)\s+\S+\s+{re.escape(name)}$", line)
      if m and int(m[2]) > 0:
        return int(m[1]), int(m[2])
    raise LookupError(name)

  def test_a_pass_as_an_animation(self):
    trace = self.trace()
    number, matches = self.pass_of(trace, "apply rangeify")
    page = self.folder / "pass.html"
    self.ok("export", trace, "--pass", number, "--animate", "-o", page)
    text = page.read_text()
    steps = json.loads(re.search(r"const steps = (\[.*?\]);\nconst svg", text, re.S)[1].replace("<\\/", "</"))
    self.assertEqual(len(steps), matches + 1)
    self.assertEqual(steps[0]["rule"], "")
    self.assertTrue(all(s["rule"] for s in steps[1:]))
    self.assertTrue(any(n[6] == "new" for s in steps for n in s["nodes"]))
    self.assertNotIn("{{", text)
    self.assertNotRegex(text, r"""(src|href)=["']http""")  # it needs nothing else
    gif = self.folder / "pass.gif"
    self.ok("export", trace, "--pass", number, "--animate", "--from", 1, "--to", 3, "--dark", "-o", gif)
    self.assertGreaterEqual(gif_frames(gif.read_bytes()), 3)
    webp = self.folder / "pass.webp"
    self.ok("export", trace, "--pass", number, "--animate", "--from", 1, "--to", 3, "-o", webp)
    self.assertEqual(webp.read_bytes()[8:12], b"WEBP")
    self.assertGreaterEqual(webp.read_bytes().count(b"ANMF"), 3)
    self.refused("export", trace, "--pass", number, "--animate", "-o", self.folder / "pass.svg", says=".gif, .webp or .html")
    self.refused("export", trace, "--pass", number, "--animate", "--from", matches + 1, "-o", gif, says="there is no step")

  def test_pdf(self):
    pdf = self.folder / "step.pdf"
    trace = self.trace()
    self.ok("export", trace, "--pass", self.pass_of(trace, "apply rangeify")[0], "-o", pdf)
    data = pdf.read_bytes()
    self.assertTrue(data.startswith(b"%PDF-"))
    streams = re.findall(rb"stream\r?\n(.*?)endstream", data, re.S)
    self.assertTrue(any(len(zlib.decompressobj().decompress(s)) > 100 for s in streams if s[:1] == b"\x78"))

  def test_the_window_at_a_diff_a_lesson_and_each_panel(self):
    a, b = self.trace(), self.folder / "b.rscope"
    self.ok("record", RANGEIFY, "--name", MANY, "-o", b)
    shot = self.folder / "shot.png"
    self.ok("view", a, "--diff", b, "--screenshot", shot)
    self.assertGreater(png_size(shot)[0], 1000)
    self.refused("view", a, "--diff", self.folder / "missing.rscope", "--screenshot", shot, says="missing.rscope")
    self.ok("view", "--lesson", 3, "--lens", "--panel", "loops", "--dark", "--screenshot", shot)
    self.refused("view", "--lesson", 60, "--screenshot", shot, says="no lesson 60")
    for panel in ("timeline", "roofline", "places", "buffers", "loops", "lessons", "diff"):
      self.ok("view", a, "--panel", panel, "--screenshot", shot)

  def test_a_verification_is_noted(self):
    trace = self.trace()
    self.ok("verify", trace, "--note")
    self.assertIn('"kept":true', self.ok("query", trace, "SELECT value FROM meta WHERE key = 'verification'"))
    self.ok("validate", trace)


if __name__ == "__main__":
  unittest.main()

"""The page that a pass is exported as, in a browser, with its controls used as a person uses them."""

import re
import unittest

from browser import CHROMIUM, DRIVER, browser
from program import Case

AT = "return document.getElementById('where').textContent"
SHOWN = "return [...document.querySelectorAll('#nodes .node')].map(g => g.getAttribute('class') + g.style.transform + g.textContent).sort().join('|')"
VIEW = "return document.getElementById('view').getAttribute('viewBox')"


@unittest.skipUnless(CHROMIUM and DRIVER, "no chromium and chromedriver on this machine: the exported page is not opened in a browser")
class Page(Case):
  def test_its_controls_do_what_they_say(self):
    trace = self.trace()
    number, matches = next((int(m[1]), int(m[2])) for m in re.finditer(r"^\s*(\d+)\s+(\d+)\s+\S+\s+apply rangeify$", self.ok("info", trace), re.M)
                           if int(m[2]) > 3)
    page = self.folder / "pass.html"
    self.ok("export", trace, "--pass", number, "--animate", "-o", page)
    at = lambda step: f"match {step} of {matches}"
    with browser() as b:
      b.open(page)
      errors = "window.said = []; window.addEventListener('error', e => window.said.push(e.message))"
      b.run(errors)
      self.assertEqual(b.text("#where"), at(0))
      self.assertEqual(b.text("#rule"), "input")
      first = b.run(SHOWN)
      self.assertTrue(first)
      self.assertIn("apply rangeify", b.text("header b"))
      # next: another picture, and the rule that fired
      b.click("#next")
      self.assertEqual(b.text("#where"), at(1))
      self.assertNotIn(b.text("#rule"), ("", "input"))
      self.assertTrue(b.text("#why"))
      second = b.run(SHOWN)
      self.assertNotEqual(second, first)
      self.assertIn("node new", second)
      b.click("#next")
      b.click("#previous")
      self.assertEqual((b.text("#where"), b.run(SHOWN)), (at(1), second))
      b.click("#first")
      self.assertEqual((b.text("#where"), b.run(SHOWN)), (at(0), first))
      b.click("#previous")  # there is nothing before
      self.assertEqual(b.text("#where"), at(0))
      # the slider, by the mouse at its end and by the keyboard
      b.press_at("#steps", 0.99)
      self.assertEqual(b.until(AT, at(matches)), at(matches))
      b.keys("#steps", "left")
      self.assertEqual(b.until(AT, at(matches - 1)), at(matches - 1))
      # play from there to the end, where it stops by itself
      self.assertEqual(b.text("#play"), "\u25b6")
      b.click("#play")
      self.assertEqual(b.text("#play"), "\u23f8")
      self.assertEqual(b.until(AT, at(matches)), at(matches))
      self.assertEqual(b.until("return document.getElementById('play').textContent", "\u25b6"), "\u25b6")
      # again from the beginning, and a pause
      b.click("#play")
      self.assertEqual(b.text("#where"), at(0))
      self.assertEqual(b.until(AT, at(1)), at(1))
      b.click("#play")
      self.assertEqual(b.text("#play"), "\u25b6")
      # keys
      b.keys("body", "end")
      self.assertEqual(b.text("#where"), at(matches))
      b.keys("body", "left")
      self.assertEqual(b.text("#where"), at(matches - 1))
      b.keys("body", "home")
      self.assertEqual(b.text("#where"), at(0))
      b.keys("body", "right")
      self.assertEqual(b.text("#where"), at(1))
      # the picture is dragged, and zoomed by the wheel
      before = [float(n) for n in b.run(VIEW).split()]
      b.drag("#view", 60, 0)
      moved = [float(n) for n in b.run(VIEW).split()]
      self.assertLess(moved[0], before[0])
      self.assertEqual(moved[2], before[2])
      b.wheel("#view", -300)
      self.assertTrue(b.until("return +document.getElementById('view').getAttribute('viewBox').split(' ')[2] < " + str(moved[2]), True))
      self.assertLess(float(b.run(VIEW).split()[2]), moved[2])
      self.assertEqual(b.run("return window.said"), [])
      self.assertEqual(b.run("return performance.getEntriesByType('resource').length"), 0)  # it has loaded nothing


if __name__ == "__main__":
  unittest.main()

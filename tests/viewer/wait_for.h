#pragma once
// How long tests of the window wait for what is to come: this is the one place that says it.

#include <QTest>

namespace rangescope::viewer {

// Comes back as soon as `until` holds; false where that takes longer than `ms`. With sanitizers everything is several
// times slower, and on a loaded machine slower still.
template <class Condition>
bool waitFor(Condition until, int ms = 10000) {
  static const int patience = qEnvironmentVariableIsSet("RANGESCOPE_SANITIZED") ? 5 : 1;
  return QTest::qWaitFor(until, ms * patience);
}

}  // namespace rangescope::viewer

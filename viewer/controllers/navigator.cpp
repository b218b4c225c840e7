#include "viewer/controllers/navigator.h"

#include <algorithm>

namespace rangescope::viewer {

namespace {
constexpr size_t kMostHistory = 1000;
}

Navigator::Navigator(PassTreeModel& passes, QObject* parent) : QObject(parent), passes_(passes) {
  connect(&timer_, &QTimer::timeout, this, &Navigator::playNext);
  setSpeed(stepsPerSecond_);
}

void Navigator::setTrace(std::vector<int64_t> lengths) {
  pause();
  lengths_ = std::move(lengths);
  lastStep_.clear();
  history_.clear();
  historyAt_ = 0;
  address_ = {};
  emit historyChanged();
}

void Navigator::extend(std::vector<int64_t> lengths) {
  lengths_ = std::move(lengths);
  emit historyChanged();  // who shows how far it is looks again
}

int64_t Navigator::lengthOf(int64_t pass) const {
  return pass >= 1 && pass <= static_cast<int64_t>(lengths_.size()) ? lengths_[static_cast<size_t>(pass - 1)] : 0;
}

void Navigator::enter(StepAddress address, bool remember) {
  if (address.pass < 1 || address.pass > static_cast<int64_t>(lengths_.size())) return;
  address.step = std::clamp<int64_t>(address.step, 0, lengthOf(address.pass));
  if (address == address_) return;
  const bool samePass = address.pass == address_.pass;
  address_ = address;
  lastStep_[address.pass] = address.step;
  if (remember) {
    // steps within a pass are one entry: back leads to the pass before, not through every match
    if (samePass && !history_.empty()) {
      history_[historyAt_] = address;
    } else {
      if (!history_.empty()) history_.resize(historyAt_ + 1);
      if (history_.size() >= kMostHistory) history_.erase(history_.begin());
      history_.push_back(address);
      historyAt_ = history_.size() - 1;
    }
    emit historyChanged();
  }
  emit moved(address_);
}

void Navigator::go(const StepAddress& address) {
  enter(address, true);
}

void Navigator::goToPass(qlonglong pass) {
  const auto known = lastStep_.find(pass);
  enter({pass, known != lastStep_.end() ? known->second : std::min<int64_t>(1, lengthOf(pass))}, true);
}

void Navigator::goToStep(qlonglong step) {
  pause();
  enter({address_.pass, step}, true);
}

void Navigator::stepBy(int steps) {
  pause();
  enter({address_.pass, address_.step + steps}, true);
}

void Navigator::firstStep() {
  goToStep(0);
}
void Navigator::lastStep() {
  goToStep(length());
}

void Navigator::nextPass() {
  pause();
  if (const int64_t p = passes_.neighbour(address_.pass, 1)) goToPass(p);
}

void Navigator::previousPass() {
  pause();
  if (const int64_t p = passes_.neighbour(address_.pass, -1)) goToPass(p);
}

void Navigator::back() {
  pause();
  if (!canGoBack()) return;
  --historyAt_;
  enter(history_[historyAt_], false);
  emit historyChanged();
}

void Navigator::forward() {
  pause();
  if (!canGoForward()) return;
  ++historyAt_;
  enter(history_[historyAt_], false);
  emit historyChanged();
}

void Navigator::play() {
  if (playing() || length() == 0) return;
  if (address_.step >= length()) enter({address_.pass, 0}, true);  // from the start again
  timer_.start();
  emit playingChanged(true);
}

void Navigator::pause() {
  if (!playing()) return;
  timer_.stop();
  emit playingChanged(false);
}

void Navigator::togglePlay() {
  if (playing())
    pause();
  else
    play();
}

void Navigator::setSpeed(double stepsPerSecond) {
  stepsPerSecond_ = std::clamp(stepsPerSecond, 0.1, 100.0);
  timer_.setInterval(static_cast<int>(1000 / stepsPerSecond_));
}

void Navigator::playNext() {
  if (address_.step >= length()) {
    pause();
    return;
  }
  enter({address_.pass, address_.step + 1}, true);
  if (address_.step >= length()) pause();
}

}  // namespace rangescope::viewer

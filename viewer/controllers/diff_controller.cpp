#include "viewer/controllers/diff_controller.h"

#include <utility>

#include "engine/trace/diff.h"
#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace {

StepAddress placeOfDifference(const trace::Difference& x, const trace::DiffSide& side, const trace::Reader& reader) {
  const trace::Pass* pass = reader.pass(side.pass);
  if (pass == nullptr || pass->input == 0) return {};
  return {pass->id, std::min(trace::step_of(x, side), pass->matches)};
}

std::vector<DiffRow> rowsOf(const trace::TraceDiff& d, const trace::Reader& a, const trace::Reader& b) {
  std::vector<DiffRow> rows;
  for (const trace::DiffPart& p : d.parts) {
    DiffRow r;
    r.part = qtText(p.name);
    if (const auto& x = p.difference) {
      r.differs = true;
      r.what = qtText(trace::describe(*x));
      r.inA = qtText(x->a.text), r.inB = qtText(x->b.text);
      r.a = placeOfDifference(*x, x->a, a), r.b = placeOfDifference(*x, x->b, b);
    } else {
      r.what = DiffController::tr("the same: %1 passes, %2 matches").arg(qtCount(p.passes), qtCount(p.matches));
    }
    rows.push_back(std::move(r));
  }
  for (const auto& [names, where] :
       {std::pair{&d.only_a, DiffController::tr("in A alone")}, std::pair{&d.only_b, DiffController::tr("in B alone")}})
    for (const std::string& name : *names) {
      DiffRow r;
      r.part = qtText(name);
      r.what = where;
      r.differs = true;
      rows.push_back(std::move(r));
    }
  return rows;
}

}  // namespace

DiffController::DiffController(QObject* parent) : QObject(parent) {}

void DiffController::compare(const QString& a, const QString& b) {
  running_ = true;
  background_.request("compare", this, [this, a, b](const std::stop_token& stop) -> Background::Answer {
    const auto fail = [this](const std::string& message) -> Background::Answer {
      return [this, text = qtText(message)] {
        running_ = false;
        emit failed(text);
      };
    };
    const auto ra = trace::Reader::open(a.toStdString()), rb = trace::Reader::open(b.toStdString());
    if (!ra || !rb) return fail((ra ? rb : ra).error().message);
    const auto d = trace::diff(**ra, **rb, {.progress = [&](double progress) {
      background_.setProgress(progress);
      return !stop.stop_requested();
    }});
    if (!d) return fail(d.error().message);
    return [this, rows = rowsOf(*d, **ra, **rb)] {
      running_ = false;
      emit compared(rows);
    };
  });
}

void DiffController::cancel() {
  background_.cancel("compare");
  if (std::exchange(running_, false)) emit failed(tr("Stopped."));
}

}  // namespace rangescope::viewer

#include "viewer/kernel_workshop.h"

#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/trace/compare_times.h"
#include "viewer/model/qt_text.h"
#include "viewer/panels/kernel_panel.h"
#include "viewer/panels/values_panel.h"

namespace rangescope::viewer {

namespace {

trace::TimeStatistics timesOf(const QJsonObject& variant) {
  std::vector<int64_t> ns;
  for (const QJsonValue v : variant.value(QLatin1String("samples_ns")).toArray()) ns.push_back(v.toInteger());
  return trace::statistics(std::move(ns));
}

QString timeText(const trace::TimeStatistics& t) {
  return KernelWorkshop::tr("%1 ± %2 ms")
      .arg(static_cast<double>(t.median) / 1e6, 0, 'f', 4)
      .arg(static_cast<double>(t.spread) / 2e6, 0, 'f', 4);
}

QString rateText(const QJsonObject& variant, const trace::TimeStatistics& t) {
  QStringList rates;
  for (const auto& [name, unit] : {std::pair{"ops", "GFLOP/s"}, std::pair{"bytes", "GB/s"}}) {
    const QJsonValue amount = variant.value(QLatin1String(name));
    if (const auto r = amount.isDouble() ? trace::rate(amount.toInteger(), t.median) : std::nullopt; r && *r > 0)
      rates << QStringLiteral("%1 %2").arg(*r, 0, 'f', 2).arg(QLatin1String(unit));
  }
  return rates.isEmpty() ? QString() : QStringLiteral(", ") + rates.join(QStringLiteral(", "));
}

}  // namespace

KernelWorkshop::KernelWorkshop(QMainWindow& window, QDockWidget* beside, KernelPanel& kernels)
    : QObject(&window),
      kernels_(kernels),
      values_(new ValuesPanel(&window)),
      valuesDock_(tabDock(window, tr("Values"), "valuesDock", values_, beside)) {
  connect(&kernels_, &KernelPanel::runWanted, this, [this] { run(false); });
  connect(&kernels_, &KernelPanel::valuesWanted, this, [this] {
    openValues();
    run(true);
  });
  connect(&kernels_, &KernelPanel::stopWanted, &job_, &ChildJob::stop);
  connect(&kernels_, &KernelPanel::detailsWanted, this, &KernelWorkshop::readDetails);
  connect(&kernels_, &KernelPanel::left, this, &KernelWorkshop::keysToGraph);
  connect(values_, &ValuesPanel::left, this, &KernelWorkshop::keysToGraph);
  connect(&job_, &ChildJob::finished, this, &KernelWorkshop::ended);
}

void KernelWorkshop::openValues() {
  bringUp(valuesDock_);
}

void KernelWorkshop::setDark(bool dark) {
  values_->setDark(dark);
}

bool KernelWorkshop::busy() const {
  return job_.running() || values_->busy();
}

void KernelWorkshop::traceOpened(const QString& path) {
  job_.stop();
  trace_ = path;
  values_->clear();
}

void KernelWorkshop::readDetails(qlonglong kernel) {
  background_.request("details", this, [this, path = trace_, kernel](const std::stop_token&) -> Background::Answer {
    const auto reader = trace::Reader::open(path.toStdString());
    if (!reader) return {};
    const auto details = kernelDetails(**reader, kernel);
    if (!details) return {};
    return [this, path, kernel, d = *details] {
      if (path == trace_) kernels_.setDetails(kernel, d);
    };
  });
}

void KernelWorkshop::run(bool values) {
  if (job_.running() || kernels_.item() == 0) return;
  if (!folder_) folder_ = std::make_unique<QTemporaryDir>();
  if (program_.path.empty() || !folder_->isValid()) {
    kernels_.say(program_.path.empty() ? tr("This window knows no program that could run kernels.")
                                       : tr("There is no place for temporary files: %1").arg(folder_->errorString()));
    return;
  }
  item_ = kernels_.item();
  kernel_ = kernels_.kernelName();
  wantsValues_ = values;
  edited_ = values ? QString() : kernels_.editedSource();
  optimisations_ = values ? QString() : kernels_.optimisations();
  sizes_ = values ? QString() : kernels_.sizes();
  QStringList arguments{QStringLiteral("run-kernel"), trace_, QStringLiteral("--item"), QString::number(item_),
                        QStringLiteral("--json")};
  if (values) {
    // what is on show is mapped: every run has a folder of its own
    const QString folder = folder_->filePath(QStringLiteral("values%1").arg(++runs_));
    arguments << QStringLiteral("--values") << folder << QStringLiteral("--repeat") << QStringLiteral("0");
    values_->say(tr("Running the program up to %1 ...").arg(kernel_));
  } else {
    kernels_.say(tr("Running %1 ...").arg(kernel_));
  }
  if (!edited_.isNull()) {
    QFile file(folder_->filePath(QStringLiteral("edited.comp")));
    const QByteArray text = edited_.toUtf8();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size() || !file.flush()) {
      kernels_.say(tr("%1 cannot be written: %2").arg(file.fileName(), file.errorString()));
      return;
    }
    arguments << QStringLiteral("--source") << file.fileName();
  }
  if (!optimisations_.isEmpty())
    arguments << QStringLiteral("--opts") << (optimisations_ == QLatin1String("-") ? QString() : optimisations_);
  if (!sizes_.isEmpty()) arguments << QStringLiteral("--size") << sizes_;
  kernels_.setRunning(true);
  job_.start(QString::fromStdString(program_.path), arguments);
}

void KernelWorkshop::ended(const ChildJob::Outcome& outcome) {
  kernels_.setRunning(false);
  const QJsonObject all = QJsonDocument::fromJson(outcome.output.toUtf8()).object();
  if (!outcome.ok || all.isEmpty()) {
    const QString why = outcome.failure.isEmpty() ? tr("it gave no answer") : outcome.failure;
    if (wantsValues_)
      values_->say(tr("%1: %2").arg(kernel_, why));
    else
      kernels_.say(tr("%1: %2").arg(kernel_, why));
    return;
  }
  if (wantsValues_)
    showValues(all.value(QLatin1String("buffers")).toArray());
  else
    showTimes(all.value(QLatin1String("variants")).toArray());
}

void KernelWorkshop::showTimes(const QJsonArray& variants) {
  QStringList lines;
  trace::TimeStatistics recorded;
  for (qsizetype i = 0; i < variants.size(); ++i) {
    const QJsonObject v = variants[i].toObject();
    const bool isEdited = i == 1 && !edited_.isNull();
    const bool isSized = !sizes_.isEmpty() && i + 1 == variants.size();
    const QString what = i == 0     ? tr("as recorded")
                         : isEdited ? tr("edited")
                         : isSized  ? tr("at %1").arg(v.value(QLatin1String("what")).toString())
                                    : tr("with %1").arg(v.value(QLatin1String("what")).toString());
    if (const QString failure = v.value(QLatin1String("failure")).toString(); !failure.isEmpty()) {
      lines << tr("%1: %2").arg(what, failure);
      continue;
    }
    const trace::TimeStatistics t = timesOf(v);
    QString line = tr("%1: %2").arg(what, timeText(t));
    // of different work the rates tell
    if (!sizes_.isEmpty()) line += rateText(v, t);
    if (i == 0) {
      recorded = t;
    } else if (!isSized) {
      line += QStringLiteral(", ") + qtText(trace::describe_change(recorded, t));
      const qint64 differing = v.value(QLatin1String("differing")).toInteger();
      line += differing == 0 ? tr("; the same results")
                             : tr("; %1 elements differ, by up to %2")
                                   .arg(qtCount(differing))
                                   .arg(v.value(QLatin1String("largest_difference")).toVariant().toString());
    }
    lines << line;
  }
  kernels_.say(lines.join(QLatin1Char('\n')));
}

void KernelWorkshop::showValues(const QJsonArray& buffers) {
  std::vector<ValuesFile> files;
  int first = 0;
  for (qsizetype i = 0; i < buffers.size(); ++i) {
    const QJsonObject b = buffers[i].toObject();
    const bool read = b.value(QLatin1String("read")).toBool(), written = b.value(QLatin1String("written")).toBool();
    if (written && !buffers[first].toObject().value(QLatin1String("written")).toBool()) first = static_cast<int>(i);
    files.push_back(
        {b.value(QLatin1String("file")).toString(),
         tr("buffer %1: %2, %3 elements, %4")
             .arg(i)
             .arg(b.value(QLatin1String("dtype")).toString(), qtCount(b.value(QLatin1String("count")).toInteger()),
                  read && written ? tr("updated")
                  : written       ? tr("written")
                                  : tr("read"))});
  }
  values_->setKernel(kernel_, files, first);
}

}  // namespace rangescope::viewer

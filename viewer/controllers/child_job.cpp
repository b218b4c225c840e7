#include "viewer/controllers/child_job.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace rangescope::viewer {

namespace {
// What a program prints beyond this is for no person to read.
constexpr qsizetype kMostText = qsizetype{1} << 20;
}  // namespace

ChildJob::ChildJob(QObject* parent) : QObject(parent) {
  // a group of its own, to be stopped as one; and nothing outlives the window
  process_.setChildProcessModifier([] {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  });
  connect(&process_, &QProcess::readyReadStandardOutput, this, [this] { read(false); });
  connect(&process_, &QProcess::readyReadStandardError, this, [this] { read(true); });
  connect(&process_, &QProcess::finished, this, &ChildJob::end);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError e) {
    if (e == QProcess::FailedToStart) end();
  });
}

ChildJob::~ChildJob() {
  process_.disconnect(this);
  if (!running()) return;
  stop();
  process_.waitForFinished(2000);
}

void ChildJob::start(const QString& program, const QStringList& arguments) {
  if (running()) return;
  outcome_ = {};
  clock_.start();
  process_.setStandardInputFile(QProcess::nullDevice());
  process_.start(program, arguments);
  pid_ = process_.processId();
}

void ChildJob::stop() {
  if (!running()) return;
  outcome_.stopped = true;
  if (pid_ > 0) ::kill(static_cast<pid_t>(-pid_), SIGKILL);
  process_.kill();
}

void ChildJob::read(bool errors) {
  const QString text = QString::fromUtf8(errors ? process_.readAllStandardError() : process_.readAllStandardOutput());
  QString& all = errors ? outcome_.errors : outcome_.output;
  if (all.size() > kMostText) return;
  all += text;
  emit said(all.size() > kMostText ? text + tr("\n... (the rest is not shown)\n") : text, errors);
}

void ChildJob::end() {
  outcome_.seconds = static_cast<double>(clock_.nsecsElapsed()) / 1e9;
  if (process_.error() == QProcess::FailedToStart) {
    outcome_.failure = tr("%1 cannot be started: %2").arg(process_.program(), process_.errorString());
  } else {
    read(false);
    read(true);
    outcome_.ok = !outcome_.stopped && process_.exitStatus() == QProcess::NormalExit && process_.exitCode() == 0;
    if (outcome_.stopped)
      outcome_.failure = tr("stopped after %1 s").arg(outcome_.seconds, 0, 'f', 1);
    else if (process_.exitStatus() == QProcess::CrashExit)
      outcome_.failure = tr("the process that ran it crashed");
    else if (!outcome_.ok)
      outcome_.failure = outcome_.errors.trimmed().remove(QStringLiteral("rangescope: "));
    if (!outcome_.ok && outcome_.failure.isEmpty())
      outcome_.failure = tr("it ended with exit code %1").arg(process_.exitCode());
  }
  emit finished(outcome_);
}

}  // namespace rangescope::viewer

#pragma once
// A `rangescope` process that schedules or runs something for the window. Whatever it does, a crash, an endless loop or
// a hung device, happens there; stopping kills it with everything that it has started.

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QStringList>

namespace rangescope::viewer {

class ChildJob : public QObject {
  Q_OBJECT

 public:
  struct Outcome {
    bool ok = false, stopped = false;
    QString output, errors;
    QString failure;  // why it is not ok, in one line
    double seconds = 0;
  };

  explicit ChildJob(QObject* parent = nullptr);
  ~ChildJob() override;

  // Only while none is running.
  void start(const QString& program, const QStringList& arguments);
  void stop();
  bool running() const { return process_.state() != QProcess::NotRunning; }

 signals:
  void said(const QString& text, bool error);  // as it comes
  void finished(const rangescope::viewer::ChildJob::Outcome& outcome);

 private:
  void read(bool errors);
  void end();

  QProcess process_;
  QElapsedTimer clock_;
  Outcome outcome_;
  qint64 pid_ = 0;
};

}  // namespace rangescope::viewer

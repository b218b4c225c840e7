#pragma once
// SQL over the open trace, on a thread and with a reader of its own. Read-only: the guard is that of
// engine/trace/query.h.

#include <QObject>
#include <memory>

#include "engine/trace/query.h"
#include "viewer/controllers/background.h"

namespace rangescope::viewer {

class QueryController : public QObject {
  Q_OBJECT

 public:
  explicit QueryController(QObject* parent = nullptr);
  ~QueryController() override;
  void open(const QString& path);
  void run(const QString& sql);
  void cancel();
  bool running() const { return running_; }

 signals:
  void started();
  void answered(std::shared_ptr<rangescope::trace::QueryResult> result, int milliseconds);
  void failed(const QString& message);

 private:
  struct OnThread;
  std::shared_ptr<OnThread> onThread_;
  bool running_ = false;
  Background background_;  // last: its thread ends before what it uses
};

}  // namespace rangescope::viewer

#pragma once
// What if a rule were switched off, or a setting another one: what is to be changed, and a row for every change that
// was tried, beside the trace as it is.

#include <QWidget>
#include <optional>
#include <vector>

#include "viewer/controllers/child_program.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace rangescope::viewer {

// What a trace comes to.
struct TraceFigures {
  int64_t kernels = 0, matches = 0, passes = 0;
  std::optional<int64_t> ns;  // its kernels' medians together
  QString refused;            // why it was not scheduled, if it was not
  QStringList rules, explanations;
};

class WhatIfPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfPanel(QWidget* parent = nullptr);

  void setRules(const QStringList& names, const QStringList& explanations);
  void setSettings(std::vector<Setting> settings);
  void chooseRule(const QString& rule);
  // The arguments of `record` that are chosen; empty: nothing is.
  QStringList changes() const;
  bool runsKernels() const;

  void clear();
  // Gives its row.
  int addRow(const QString& what);
  void setFigures(int row, const TraceFigures& figures);
  void setFailure(int row, const QString& why);
  void setRunning(bool running);
  void say(const QString& text);

  QComboBox& rule() { return *rule_; }
  QComboBox& setting() { return *setting_; }
  QSpinBox& value() { return *value_; }
  QCheckBox& kernels() { return *kernels_; }
  QPushButton& run() { return *run_; }
  QPushButton& stop() { return *stop_; }
  QPushButton& open() { return *open_; }
  QTableWidget& rows() { return *rows_; }
  QLabel& said() { return *said_; }

 signals:
  void runWanted();
  void stopWanted();
  void rowChosen(int row);  // to be seen beside the open trace
  void openWanted(int row);
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void updateButtons();

  std::vector<Setting> settings_;
  QComboBox *rule_, *setting_;
  QSpinBox* value_;
  QCheckBox* kernels_;
  QPushButton *run_, *stop_, *open_;
  QTableWidget* rows_;
  QLabel* said_;
  bool running_ = false;
};

}  // namespace rangescope::viewer

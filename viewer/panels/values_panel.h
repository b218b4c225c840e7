#pragma once
// What a kernel's buffers hold after it: as a table, spread, as a picture, with the first NaN or infinity marked.

#include <QWidget>
#include <memory>
#include <vector>

#include "viewer/controllers/background.h"
#include "viewer/model/array_file.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;
class QTabWidget;

namespace rangescope::viewer {

class ArrayHistogram;
class ArrayImage;
class ArrayModel;

struct ValuesFile {
  QString path, what;  // "1: float32, 4,096, written"
};

class ValuesPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ValuesPanel(QWidget* parent = nullptr);
  void setKernel(const QString& name, const std::vector<ValuesFile>& buffers, int first);
  void say(const QString& text);
  void clear();
  void setDark(bool dark);
  bool busy() const { return background_.busy(); }

  QComboBox& buffers() { return *buffers_; }
  QSpinBox& columns() { return *columns_; }
  QTabWidget& tabs() { return *tabs_; }
  QTableView& table() { return *table_; }
  QLabel& said() { return *said_; }
  QPushButton& firstBad() { return *firstBad_; }
  ArrayImage& image() { return *image_; }

 signals:
  void left();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void choose(int buffer);
  void fill();
  void goTo(int64_t element);

  QComboBox* buffers_;
  QSpinBox* columns_;
  QPushButton* firstBad_;
  QLabel* said_;
  QTabWidget* tabs_;
  QTableView* table_;
  ArrayModel* model_;
  ArrayHistogram* histogram_;
  ArrayImage* image_;
  QString kernel_;
  std::vector<ValuesFile> files_;
  std::shared_ptr<const ArrayFile> array_;
  ArrayFigures figures_;
  Background background_;
};

}  // namespace rangescope::viewer

#include "viewer/panels/query_panel.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/trace/saved_queries.h"
#include "viewer/model/qt_text.h"
#include "viewer/panels/rows_look.h"

namespace rangescope::viewer {

namespace {

constexpr int kMostColumnWidth = 420;
const auto kOwn = QStringLiteral("queries");
constexpr int kSqlRole = Qt::UserRole, kOwnRole = Qt::UserRole + 1;

// Keys that walk a list, a table or a text are its own, whatever they do elsewhere in the window.
bool ownKey(const QKeyEvent* key) {
  const bool aside = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
  return (aside || walksRows(key->key())) &&
         (key->modifiers() & (Qt::AltModifier | Qt::MetaModifier)) == Qt::NoModifier;
}

}  // namespace

QueryPanel::QueryPanel(QueryController& queries, QWidget* parent)
    : QWidget(parent),
      queries_(queries),
      model_(new ResultModel(this)),
      saved_(new QListWidget(this)),
      editor_(new QPlainTextEdit(this)),
      run_(new QPushButton(tr("Run"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      save_(new QPushButton(tr("Save as..."), this)),
      remove_(new QPushButton(tr("Remove"), this)),
      said_(new QLabel(this)),
      message_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      table_(new QTableView(this)) {
  setObjectName(QStringLiteral("query"));
  saved_->setObjectName(QStringLiteral("savedQueries"));
  saved_->setFrameShape(QFrame::NoFrame);
  saved_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  editor_->setObjectName(QStringLiteral("queryEditor"));
  editor_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  editor_->setPlaceholderText(tr(
      "SELECT ... over the tables of resources/docs/trace-format.md. Ctrl+Return runs it. Columns called pass, match, "
      "node or item lead there."));
  editor_->setTabChangesFocus(true);
  run_->setObjectName(QStringLiteral("queryRun"));
  run_->setToolTip(tr("Ctrl+Return"));
  cancel_->setObjectName(QStringLiteral("queryCancel"));
  cancel_->setEnabled(false);
  said_->setObjectName(QStringLiteral("querySaid"));
  message_->setObjectName(QStringLiteral("queryMessage"));
  message_->setWordWrap(true);
  message_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  message_->setMargin(8);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setText(tr("Choose a query at the left, or write one. It can only read."));
  table_->setModel(model_);
  table_->setObjectName(QStringLiteral("queryTable"));
  styleAnswers(*table_);
  stack_->addWidget(message_);
  stack_->addWidget(table_);

  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(4);
  for (QPushButton* b : {run_, cancel_, save_, remove_}) buttons->addWidget(b);
  buttons->addStretch(1);
  auto* writing = new QWidget(this);
  auto* writingLayout = new QVBoxLayout(writing);
  writingLayout->setContentsMargins(0, 0, 0, 0);
  writingLayout->setSpacing(4);
  writingLayout->addWidget(editor_, 1);
  writingLayout->addLayout(buttons);
  auto* answer = new QWidget(this);
  auto* answerLayout = new QVBoxLayout(answer);
  answerLayout->setContentsMargins(0, 0, 0, 0);
  answerLayout->setSpacing(2);
  answerLayout->addWidget(stack_, 1);
  said_->setContentsMargins(8, 0, 8, 2);
  answerLayout->addWidget(said_);
  auto* splitter = new QSplitter(Qt::Horizontal, this);
  splitter->addWidget(saved_);
  splitter->addWidget(writing);
  splitter->addWidget(answer);
  splitter->setStretchFactor(0, 0);
  splitter->setStretchFactor(1, 2);
  splitter->setStretchFactor(2, 3);
  splitter->setSizes({250, 430, 680});
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(splitter);
  fillList();

  slow_.setSingleShot(true);
  slow_.setInterval(kSlowMs);
  connect(&slow_, &QTimer::timeout, this, [this] { said_->setText(tr("Running... Cancel stops it.")); });
  connect(run_, &QPushButton::clicked, this, &QueryPanel::run);
  connect(cancel_, &QPushButton::clicked, &queries_, &QueryController::cancel);
  connect(save_, &QPushButton::clicked, this, &QueryPanel::askName);
  connect(remove_, &QPushButton::clicked, this, &QueryPanel::remove);
  connect(saved_, &QListWidget::currentItemChanged, this, [this](const QListWidgetItem* item) {
    remove_->setEnabled(item != nullptr && item->data(kOwnRole).toBool());
    if (item != nullptr) editor_->setPlainText(item->data(kSqlRole).toString());
  });
  const auto runItem = [this](const QListWidgetItem* item) {
    editor_->setPlainText(item->data(kSqlRole).toString());
    run();
  };
  connect(saved_, &QListWidget::itemClicked, this, runItem);
  connect(saved_, &QListWidget::itemActivated, this, runItem);
  remove_->setEnabled(false);
  const auto choose = [this](const QModelIndex& at) {
    if (const ResultModel::Target t = model_->target(at); t.link != ResultModel::Link::None) emit chosen(t);
  };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_, &QTableView::activated, this, [this, choose](const QModelIndex& at) {
    choose(at);
    emit left();
  });
  connect(&queries_, &QueryController::started, this, [this] { setRunning(true); });
  connect(&queries_, &QueryController::answered, this, [this](const auto& result, int ms) {
    setRunning(false);
    const auto rows = static_cast<qlonglong>(result->rows.size());
    const bool cut = result->cut;
    model_->setResult(std::move(*result));
    if (rows == 0) {
      showMessage(tr("No row fits."));
      return;
    }
    said_->setText(
        tr("%1%2 row%3 in %4 ms")
            .arg(cut ? tr("The first ") : QString(), qtCount(rows), rows == 1 ? QString() : QStringLiteral("s"))
            .arg(ms));
    table_->resizeColumnsToContents();
    for (int c = 0; c < model_->columnCount(); ++c)
      table_->setColumnWidth(c, std::min(table_->columnWidth(c) + 8, kMostColumnWidth));
    // a number at the far end of a wide window is hard to read
    const int last = model_->columnCount() - 1;
    table_->horizontalHeader()->setStretchLastSection(last >= 0 && !model_->isNumeric(last));
    stack_->setCurrentWidget(table_);
    table_->scrollToTop();
  });
  connect(&queries_, &QueryController::failed, this, [this](const QString& message) {
    setRunning(false);
    showMessage(message);
  });
  for (QWidget* w : {static_cast<QWidget*>(saved_), static_cast<QWidget*>(editor_), static_cast<QWidget*>(table_)})
    w->installEventFilter(this);
}

void QueryPanel::setRunning(bool running) {
  run_->setEnabled(!running);
  cancel_->setEnabled(running);
  if (running)
    slow_.start();
  else
    slow_.stop();
}

void QueryPanel::showMessage(const QString& message) {
  said_->clear();
  message_->setText(sentence(message));
  stack_->setCurrentWidget(message_);
}

void QueryPanel::focusEditor() {
  if (editor_->toPlainText().isEmpty())
    saved_->setFocus();
  else
    editor_->setFocus();
}

void QueryPanel::traceOpened() {
  model_->setResult({});
  showMessage(tr("Choose a query at the left, or write one. It can only read."));
}

void QueryPanel::run() {
  const QString sql = editor_->toPlainText();
  if (sql.trimmed().isEmpty()) {
    showMessage(tr("There is nothing to run: choose a query at the left, or write one."));
    return;
  }
  queries_.run(sql);
}

void QueryPanel::fillList() {
  saved_->clear();
  const auto add = [this](const QString& title, const QString& sql, bool own) {
    auto* item = new QListWidgetItem(title, saved_);
    item->setData(kSqlRole, sql);
    item->setData(kOwnRole, own);
    item->setToolTip(sql);
  };
  const QVariantMap own = QSettings().value(kOwn).toMap();
  for (auto it = own.begin(); it != own.end(); ++it) add(it.key(), it.value().toString(), true);
  for (const trace::SavedQuery& q : trace::saved_queries()) add(qtText(q.title), qtText(q.sql), false);
}

void QueryPanel::askName() {
  if (editor_->toPlainText().trimmed().isEmpty()) {
    showMessage(tr("There is nothing to save: write a query first."));
    return;
  }
  bool ok = false;
  const QString name = QInputDialog::getText(this, tr("Save query"), tr("Name:"), QLineEdit::Normal, {}, &ok).trimmed();
  if (ok && !name.isEmpty()) saveAs(name);
}

void QueryPanel::saveAs(const QString& name) {
  QSettings settings;
  QVariantMap own = settings.value(kOwn).toMap();
  own[name] = editor_->toPlainText();
  settings.setValue(kOwn, own);
  fillList();
}

void QueryPanel::remove() {
  const QListWidgetItem* item = saved_->currentItem();
  if (item == nullptr || !item->data(kOwnRole).toBool()) return;
  QSettings settings;
  QVariantMap own = settings.value(kOwn).toMap();
  own.remove(item->text());
  settings.setValue(kOwn, own);
  fillList();
}

bool QueryPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && ownKey(static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (watched == editor_ && enter && (key->modifiers() & Qt::ControlModifier) != 0) {
      run();
      return true;
    }
    if (key->key() == Qt::Key_Escape) {
      if (queries_.running())
        queries_.cancel();
      else
        emit left();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer

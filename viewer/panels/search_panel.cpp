#include "viewer/panels/search_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "engine/trace/search_query.h"
#include "viewer/model/qt_text.h"
#include "viewer/panels/jump_table.h"

namespace rangescope::viewer {

namespace {
constexpr int kTypingMs = 180;
}  // namespace

SearchPanel::SearchPanel(SearchController& search, QWidget* parent)
    : QWidget(parent),
      search_(search),
      model_(new JumpModel(this)),
      line_(new QLineEdit(this)),
      said_(new QLabel(this)),
      cancel_(new QToolButton(this)),
      stack_(new QStackedWidget(this)),
      help_(new QTextBrowser(this)) {
  setObjectName(QStringLiteral("search"));
  clearHits();
  table_ = new JumpTable(model_, this);
  table_->setObjectName(QStringLiteral("searchHits"));
  table_->setWidths({9, 60, 48, 40});
  line_->setObjectName(QStringLiteral("searchLine"));
  line_->setPlaceholderText(tr("Search everything: op:REDUCE dtype:float32 rule:name pass:name shape:64,* text"));
  line_->setClearButtonEnabled(true);
  said_->setObjectName(QStringLiteral("searchSaid"));
  cancel_->setText(tr("Cancel"));
  cancel_->setObjectName(QStringLiteral("searchCancel"));
  cancel_->hide();
  help_->setFrameShape(QFrame::NoFrame);
  help_->setOpenLinks(false);
  help_->setObjectName(QStringLiteral("searchHelp"));
  stack_->addWidget(help_);
  stack_->addWidget(table_);

  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 4, 8, 0);
  top->setSpacing(8);
  top->addWidget(line_, 1);
  top->addWidget(said_);
  top->addWidget(cancel_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(stack_, 1);
  showHelp({});

  typing_.setSingleShot(true);
  typing_.setInterval(kTypingMs);
  slow_.setSingleShot(true);
  slow_.setInterval(kSlowMs);
  connect(&typing_, &QTimer::timeout, this, &SearchPanel::start);
  connect(&slow_, &QTimer::timeout, cancel_, &QWidget::show);
  connect(line_, &QLineEdit::textChanged, this, &SearchPanel::edited);
  connect(line_, &QLineEdit::returnPressed, this, [this] {
    if (typing_.isActive() || outdated_ || line_->text() != running_) {
      goToFirst_ = true;
      start();
    } else if (model_->rowCount() > 0) {
      table_->setFocus();
      table_->setCurrentIndex(model_->index(std::max(0, table_->currentIndex().row()), 0));
    }
  });
  connect(cancel_, &QToolButton::clicked, &search_, &SearchController::cancel);
  connect(help_, &QTextBrowser::anchorClicked, this,
          [this](const QUrl& url) { searchFor(url.path(QUrl::FullyDecoded)); });
  connect(&search_, &SearchController::hitsFound, this, [this](const std::vector<JumpRow>& rows) {
    if (std::exchange(fresh_, false)) {
      clearHits();
      stack_->setCurrentWidget(table_);
    }
    model_->append(rows);
    if (std::exchange(goToFirst_, false)) {
      table_->setFocus();
      table_->setCurrentIndex(model_->index(0, 0));
    }
  });
  connect(&search_, &SearchController::searchProgress, this, [this](double progress, bool indexing) {
    const int percent = static_cast<int>(progress * 100);
    if (search_.searching())
      say(indexing ? tr("Building the index, %1 %").arg(percent) : tr("Searching, %1 %").arg(percent));
  });
  connect(&search_, &SearchController::searchDone, this, [this](const QString& said, int hits) {
    slow_.stop();
    cancel_->hide();
    if (hits == 0) {
      clearHits();
      showHelp({});
    }
    fresh_ = false;
    goToFirst_ = false;
    say(said);
    if (outdated_) sayOutdated();
  });
  connect(&search_, &SearchController::outdated, this, [this] {
    if (running_.isEmpty()) return;
    outdated_ = true;
    if (!search_.searching()) sayOutdated();
  });
  connect(&search_, &SearchController::refused, this, [this](const QString& message) {
    slow_.stop();
    cancel_->hide();
    showHelp(message);
  });
  connect(&search_, &SearchController::indexing, this, [this](double progress) {
    if (search_.searching() || !running_.isEmpty()) return;
    say(progress < 1 ? tr("Building the index, %1 %").arg(static_cast<int>(progress * 100)) : QString());
  });
  connect(table_, &JumpTable::rowChosen, this, [this](const JumpRow& row) {
    if (row.query.isEmpty()) emit rowChosen(row);
  });
  connect(table_, &JumpTable::rowActivated, this, [this] {
    const JumpRow row = model_->row(table_->currentIndex().row());
    if (!row.query.isEmpty())
      searchFor(row.query);
    else
      emit left();
  });
  for (QWidget* w : {static_cast<QWidget*>(line_), static_cast<QWidget*>(table_)}) w->installEventFilter(this);
}

void SearchPanel::clearHits() {
  model_->reset({{tr("Kind")}, {tr("What")}, {tr("Where")}, {tr("More")}});
}

void SearchPanel::say(const QString& said) {
  said_->setText(said);
}

// Of a trace that is being recorded the list stays as it is while somebody reads it.
void SearchPanel::sayOutdated() {
  const QString more = tr("  More was recorded since: Enter in the line looks again.");
  if (!said_->text().endsWith(more)) say(said_->text() + more);
}

void SearchPanel::focusLine() {
  line_->setFocus(Qt::ShortcutFocusReason);
  line_->selectAll();
}

void SearchPanel::searchFor(const QString& query) {
  line_->setText(query);
  start();
}

void SearchPanel::traceOpened() {
  running_.clear();
  outdated_ = false;
  clearHits();
  if (line_->text().trimmed().isEmpty())
    showHelp({});
  else
    start();
}

void SearchPanel::edited() {
  if (line_->text().trimmed().isEmpty()) {
    typing_.stop();
    running_.clear();
    search_.cancel();
    say({});
    showHelp({});
    return;
  }
  typing_.start();
}

void SearchPanel::start() {
  typing_.stop();
  const QString words = line_->text();
  if (words.trimmed().isEmpty()) return;
  running_ = words;
  mistake_.clear();
  fresh_ = true;
  outdated_ = false;
  slow_.start();
  search_.search(words);
}

void SearchPanel::themeChanged() {
  if (stack_->currentWidget() == help_) showHelp(mistake_);
}

void SearchPanel::showHelp(const QString& mistake) {
  mistake_ = mistake;
  QString s;
  if (!mistake.isEmpty()) s += QStringLiteral("<p><b>%1</b></p>").arg(sentence(mistake).toHtmlEscaped());
  s += tr(
      "<p>Words that must all hold; a word without a colon is looked for in the names of passes, rules, kernels, ops "
      "and arguments. "
      "A comma means or, a minus in front means not, * stands for any text, = in front for the whole name, quotes "
      "keep spaces together.</p>");
  s += QStringLiteral("<table cellspacing='2'>");
  const auto row = [&](const QString& example, const QString& explanation) {
    s += QStringLiteral("<tr><td style='padding-right:16px'><a href='q:%1'>%1</a></td><td>%2</td></tr>")
             .arg(example.toHtmlEscaped(), explanation.toHtmlEscaped());
  };
  for (const trace::SearchKey& k : trace::search_keys()) row(qtText(k.example), qtText(k.explanation));
  row(QStringLiteral("is:first op:STAGE"), tr("the first step that made a STAGE"));
  row(QStringLiteral("before:REDUCE -after:REDUCE"), tr("steps that replaced a REDUCE with something else"));
  s += QStringLiteral("</table>");
  help_->setHtml(s);
  stack_->setCurrentWidget(help_);
  if (!mistake.isEmpty()) say({});
}

bool SearchPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && watched == line_) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Down || key == Qt::Key_Up) {
      event->accept();
      return true;
    }
  }
  if (event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) {
      if (search_.searching())
        search_.cancel();
      else
        emit left();
      return true;
    }
    if (watched == line_ && key == Qt::Key_Down && model_->rowCount() > 0 && stack_->currentWidget() == table_) {
      table_->setFocus();
      table_->setCurrentIndex(model_->index(std::max(0, table_->currentIndex().row()), 0));
      return true;
    }
    if (watched == table_ && key == Qt::Key_Up && table_->currentIndex().row() <= 0) {
      line_->setFocus();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace rangescope::viewer

#include "viewer/panels/lesson_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

LessonPanel::LessonPanel(QWidget* parent)
    : QWidget(parent),
      list_(new QComboBox(this)),
      text_(new QTextBrowser(this)),
      where_(new QLabel(this)),
      previous_(new QPushButton(tr("Previous"), this)),
      next_(new QPushButton(tr("Next"), this)),
      remove_(new QPushButton(tr("Remove"), this)),
      save_(new QPushButton(tr("Save..."), this)),
      note_(new QLineEdit(this)) {
  setObjectName(QStringLiteral("lessons"));
  list_->setObjectName(QStringLiteral("lessonList"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  list_->setMinimumContentsLength(12);
  text_->setObjectName(QStringLiteral("lessonText"));
  text_->setFrameShape(QFrame::NoFrame);
  text_->setOpenLinks(false);
  text_->document()->setDocumentMargin(12);
  note_->setObjectName(QStringLiteral("lessonNote"));
  note_->setPlaceholderText(tr("What is to be seen here"));
  previous_->setToolTip(tr("Step before ([)"));
  next_->setToolTip(tr("Next step (])"));
  where_->setAlignment(Qt::AlignCenter);
  where_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  for (QPushButton* b : {previous_, next_, remove_, save_}) b->setFocusPolicy(Qt::NoFocus);
  auto* walk = new QHBoxLayout;
  walk->setContentsMargins(8, 0, 8, 8);
  walk->addWidget(previous_);
  walk->addWidget(where_, 1);
  walk->addWidget(next_);
  auto* own = new QHBoxLayout;
  own->setContentsMargins(8, 0, 8, 0);
  own->addWidget(note_, 1);
  own->addWidget(remove_);
  own->addWidget(save_);
  auto* top = new QHBoxLayout;
  top->setContentsMargins(8, 6, 8, 0);
  top->addWidget(list_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(top);
  layout->addWidget(text_, 1);
  layout->addLayout(own);
  layout->addLayout(walk);
  connect(list_, &QComboBox::activated, this, &LessonPanel::lessonChosen);
  connect(previous_, &QPushButton::clicked, this, [this] { emit stepWanted(step_ - 1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit stepWanted(step_ + 1); });
  connect(remove_, &QPushButton::clicked, this, &LessonPanel::removeWanted);
  connect(save_, &QPushButton::clicked, this, &LessonPanel::saveWanted);
  connect(note_, &QLineEdit::textEdited, this, &LessonPanel::noteWritten);
  connect(text_, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    answered_.insert(url.path().toInt());
    render();
    text_->scrollToAnchor(QStringLiteral("q%1").arg(url.path()));
  });
  showMessage({});
}

void LessonPanel::setTitles(const QStringList& titles) {
  list_->clear();
  list_->addItems(titles);
}

void LessonPanel::choose(int index) {
  list_->setCurrentIndex(index);
}

void LessonPanel::showMessage(const QString& message) {
  lesson_ = {};
  text_->setHtml(QStringLiteral("<p>%1</p>").arg(message.toHtmlEscaped()));
  for (QWidget* w : std::initializer_list<QWidget*>{note_, remove_, save_, previous_, where_, next_}) w->hide();
}

void LessonPanel::showLesson(const Lesson& lesson, int step, bool note) {
  if (lesson.title != lesson_.title) answered_.clear();
  lesson_ = lesson;
  step_ = step;
  const int n = static_cast<int>(lesson_.steps.size());
  for (QWidget* w : std::initializer_list<QWidget*>{note_, remove_, save_}) w->setVisible(note && n > 0);
  for (QWidget* w : std::initializer_list<QWidget*>{previous_, where_, next_}) w->show();
  // past the last step are the questions
  const int last = lesson_.questions.empty() && lesson_.tryThis.empty() ? n - 1 : n;
  previous_->setEnabled(step_ > 0);
  next_->setEnabled(step_ < last);
  where_->setText(step_ < n ? tr("%1 of %2").arg(step_ + 1).arg(n) : tr("the end"));
  if (note && step_ < n && !note_->hasFocus()) note_->setText(qtText(lesson_.steps[static_cast<size_t>(step_)].text));
  render();
}

void LessonPanel::render() {
  const auto html = [](const std::string& s) {
    return qtText(s).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br>"));
  };
  QString s;
  if (step_ < static_cast<int>(lesson_.steps.size())) {
    const LessonStep& step = lesson_.steps[static_cast<size_t>(step_)];
    s = QStringLiteral("<h3>%1</h3><p style='line-height:135%'>%2</p>").arg(html(step.title), html(step.text));
    QString place = html(step.at.pass);
    if (!step.at.rule.empty()) place += QStringLiteral(", ") + html(step.at.rule);
    s += QStringLiteral("<p><small>%1</small></p>").arg(place);
  } else {
    if (!lesson_.tryThis.empty())
      s += tr("<h3>To try</h3>") + QStringLiteral("<p style='line-height:135%'>%1</p>").arg(html(lesson_.tryThis));
    if (!lesson_.questions.empty()) s += tr("<h3>Questions</h3>");
    for (int i = 0; i < static_cast<int>(lesson_.questions.size()); ++i) {
      const auto& [question, answer] = lesson_.questions[static_cast<size_t>(i)];
      s += QStringLiteral("<p><a name='q%1'></a><b>%2</b></p>").arg(i).arg(html(question));
      s += answered_.contains(i)
               ? QStringLiteral("<p style='line-height:135%'>%1</p>").arg(html(answer))
               : QStringLiteral("<p><a href='answer:%1'>%2</a></p>").arg(i).arg(tr("Show the answer"));
    }
  }
  text_->setHtml(s);
}

}  // namespace rangescope::viewer

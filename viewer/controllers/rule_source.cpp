#include "viewer/controllers/rule_source.h"

#include <QDesktopServices>
#include <QProcess>
#include <QUrl>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "viewer/model/qt_text.h"

namespace rangescope::viewer {

namespace fs = std::filesystem;

std::optional<RuleSource> ruleSource(const std::string& root, const std::string& rule) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (rule.empty() || !std::ranges::all_of(rule, plain)) return std::nullopt;  // a stranger's
  std::vector<fs::path> files;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(fs::path(root) / "engine", ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".cpp") files.push_back(it->path());
  std::ranges::sort(files);
  const std::string row = "{\"" + rule + "\",";  // a rule is a row of a table
  for (const fs::path& file : files) {
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      if (line.find(row) != std::string::npos) return RuleSource{fs::relative(file, root, ec).generic_string(), number};
    }
  }
  return std::nullopt;
}

bool openInEditor(const std::string& root, const RuleSource& source) {
  const QString file = QString::fromStdString((fs::path(root) / source.file).string());
  QStringList words = QProcess::splitCommand(qEnvironmentVariable("RANGESCOPE_EDITOR"));
  if (words.isEmpty()) return QDesktopServices::openUrl(QUrl::fromLocalFile(file));
  const QString program = words.takeFirst();
  for (QString& w : words)
    w.replace(QLatin1String("{file}"), file).replace(QLatin1String("{line}"), QString::number(source.line));
  return QProcess::startDetached(program, words);
}

}  // namespace rangescope::viewer

#include "viewer/controllers/recorder_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rangescope::viewer {

// Who has a file in SQLite's WAL mode open holds a lock on the memory that its users share (the file `-shm`). To ask
// for that lock would mean to open the file, and to close it again would drop the locks of our own reader.
Holder holderOf(const std::string& path) {
  struct stat file {};
  if (::stat((path + "-shm").c_str(), &file) != 0) return Holder::Unknown;
  std::ifstream locks("/proc/locks");
  bool ours = false;
  for (std::string line; std::getline(locks, line);) {
    // 4: POSIX  ADVISORY  READ 1234 fd:01:5678 128 128
    std::istringstream fields(line);
    std::string number, kind, manner, access, where;
    long pid = 0;
    if (!(fields >> number >> kind)) continue;
    if (kind == "->") continue;  // waits, and holds nothing
    if (!(fields >> manner >> access >> pid >> where)) continue;
    const size_t colon = where.rfind(':');
    if (colon == std::string::npos || std::strtoull(where.c_str() + colon + 1, nullptr, 10) != file.st_ino) continue;
    if (pid != ::getpid()) return Holder::There;
    ours = true;
  }
  // where even our own lock is not listed, the list says nothing of others
  return ours ? Holder::Gone : Holder::Unknown;
}

}  // namespace rangescope::viewer

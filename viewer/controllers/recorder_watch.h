#pragma once

#include <string>

namespace rangescope::viewer {

// Of a trace that is not closed and is followed by this process: whether another process still has it open, as its
// recorder has until it ends. Asked of the system's list of locks; where there is no such list, nobody knows.
enum class Holder { Unknown, There, Gone };
Holder holderOf(const std::string& path);

}  // namespace rangescope::viewer

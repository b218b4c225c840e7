#pragma once
// What is to be read of a kernel once it is chosen, and in which language its source is written.

#include <QString>

#include "engine/trace/reader.h"

namespace rangescope::viewer {

struct KernelDetails {
  QString operations;  // the linear list, a line each; empty: the trace does not hold it
  QString sizes;       // of its ranges and variables: "r0=64 r1=16"
};
Result<KernelDetails> kernelDetails(trace::Reader& reader, int64_t kernel);

// "GLSL", "OpenCL", "Metal", ...; a trace of another compiler holds its code.
QString languageOf(const QString& source);
inline bool isGlsl(const QString& source) {
  return languageOf(source) == QLatin1String("GLSL");
}

}  // namespace rangescope::viewer

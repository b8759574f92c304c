#include "tools/measure/json.h"

namespace stencilgen::measure {

std::string Quoted(const std::string& text) {
  constexpr unsigned char kFirstPrinted = 0x20;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < kFirstPrinted ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace stencilgen::measure

#ifndef STENCILGEN_STATUS_HPP
#define STENCILGEN_STATUS_HPP

#include <cstdarg>
#include <cstdio>

namespace stencilgen {

/// What a host function returns.
enum Status { kSuccess = 0, kBadArgument = 1, kOutOfMemory = 2, kDeviceFailure = 3 };

/// The outcome of a call in words, in place: reporting a failure allocates nothing.
class ErrorText {
 public:
  void Clear() {
    status_ = kSuccess;
    text_[0] = '\0';
  }
  /// Records the failure; the first one stands. Returns false.
  [[gnu::format(printf, 3, 4)]] bool Fail(Status status, const char* format, ...) {
    if (status_ != kSuccess) return false;
    status_ = status;
    std::va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text_, sizeof text_, format, arguments);
    va_end(arguments);
    return false;
  }
  int status() const { return status_; }
  const char* text() const { return text_; }

 private:
  Status status_ = kSuccess;
  char text_[256] = "";
};

}  // namespace stencilgen

#endif  // STENCILGEN_STATUS_HPP

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace stencilgen::driver {

/// While it lives, and once a second has passed, a line on standard error says what is being done,
/// for how long, and, where that is known, which part is done. Nothing where standard error is no
/// terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is being done from now on.
  void Update(std::string what);
  /// Which part of it has been done, from 0 to 1.
  void Done(double part);
  /// A line that stays, on standard error, terminal or not.
  void Say(const std::string& line);

 private:
  void Show();

  std::string what_;
  double part_ = 0;  ///< 0: not known
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  bool shown_ = false;  ///< the line is there
  std::thread thread_;
};

}  // namespace stencilgen::driver

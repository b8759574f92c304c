#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "driver/interrupts.h"
#include "driver/report.h"
#include "tools/main/command_line.h"

int main(int argc, char** argv) {
  // A reader that went away is a failed write, reported as one.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that has become too large.
  std::signal(SIGXFSZ, SIG_IGN);
  stencilgen::driver::HandleInterrupts();
  try {
    return stencilgen::driver::Main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::bad_alloc&) {
    stencilgen::driver::PrintError("out of memory");
  }
  return stencilgen::driver::kExitProgramError;
}

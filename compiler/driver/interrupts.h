#pragma once

#include <filesystem>
#include <functional>

#include <sys/types.h>

namespace stencilgen::driver {

/// From now on SIGINT, SIGTERM and SIGHUP end the process as they do without this, but nothing is
/// left behind: programs that it runs are ended first, and temporary files removed. Signals that
/// are ignored stay so. Requires: the process has one thread.
void HandleInterrupts();

/// From now on the function is called instead, on a thread of its own; it is to return soon.
/// Requires: the function outlives the process.
void CallOnInterrupt(std::function<void()> asked);

/// The file or folder is removed where the process is interrupted, until `KeepOnInterrupt`.
void RemoveOnInterrupt(const std::filesystem::path& path);
void KeepOnInterrupt(const std::filesystem::path& path);

/// Starts a child process by the function, which returns it, or 0 where it could not. It is ended
/// where this process is interrupted.
pid_t StartChild(const std::function<pid_t()>& start);
/// The child has ended, and was waited for. Does not return while an interrupt ends this process.
void ForgetChild(pid_t child);

/// Asks the child to end (SIGTERM), and makes it (SIGKILL) where it is still there some seconds
/// later. Its status is left to be waited for.
void EndChild(pid_t child);

}  // namespace stencilgen::driver

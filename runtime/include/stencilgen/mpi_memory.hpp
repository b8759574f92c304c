#ifndef STENCILGEN_MPI_MEMORY_HPP
#define STENCILGEN_MPI_MEMORY_HPP

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "stencilgen/box.hpp"
#include "stencilgen/memory.hpp"

/// Where the arrays of a rank are.
namespace stencilgen::mpi {

/// The memory that a rank's arrays and messages are in: the CPU's, or that of a GPU
/// (mpi_cuda.hpp). Copies are in the order of the calls, and of what the program computes; where
/// that is not done when a call returns, Wait waits for it. What fails is kept for `error`.
class ArrayMemory {
 public:
  virtual ~ArrayMemory() = default;

  /// Why something has failed; empty: nothing has.
  virtual const char* error() const { return ""; }
  /// The CPU computes on the arrays.
  virtual bool OnHost() const { return true; }
  /// For an array of so many rows, all bytes zero. Null where there is none.
  virtual char* Allocate(std::size_t bytes, long long rows) = 0;
  virtual void Free(char* memory) = 0;
  /// For a message, which MPI sends from there or receives there, and which `Copy` may read and
  /// write as it does arrays. Null where there is none.
  virtual char* AllocateMessage(std::size_t bytes) { return Allocate(bytes, 1); }
  virtual void FreeMessage(char* memory) { Free(memory); }
  /// Where MPI takes messages from, and why from there.
  virtual const char* MessagePath() const { return "from the memory of the CPU"; }
  /// MPI sends from arrays too, and receives into them.
  virtual bool SendsArrays() const { return true; }
  /// Copies elements of arrays and messages, all in any order.
  virtual void Copy(const std::vector<BoxCopy>& copies) = 0;
  /// True where all is done, and nothing has failed.
  virtual bool Wait() { return true; }
  /// Something is not done yet.
  virtual bool IsBusy() { return false; }
  /// Between an array and memory of the CPU; done at the return.
  virtual void Download(void* host, const char* array, std::size_t bytes) {
    std::memcpy(host, array, bytes);
  }
  virtual void Upload(char* array, const void* host, std::size_t bytes) {
    std::memcpy(array, host, bytes);
  }
};

/// The CPU's.
class HostMemory : public ArrayMemory {
 public:
  char* Allocate(std::size_t bytes, long long rows) override {
    const std::size_t size = (bytes + 63) / 64 * 64;
    char* const memory = static_cast<char*>(AllocateArray(size));
    if (memory != nullptr) Clear(memory, rows > 0 ? rows : 1, size);
    return memory;
  }
  void Free(char* memory) override { FreeArray(memory); }
  void Copy(const std::vector<BoxCopy>& copies) override {
    for (const BoxCopy& copy : copies) CopyElements(copy);
  }

 private:
  /// Each thread clears the rows that it will compute: memory lies near who touches it first.
  static void Clear(char* memory, long long rows, std::size_t bytes) {
    const std::size_t row = bytes / static_cast<std::size_t>(rows);
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (long long at = 0; at < rows; ++at) {
      const std::size_t first = static_cast<std::size_t>(at) * row;
      std::memset(memory + first, 0, at + 1 == rows ? bytes - first : row);
    }
  }
};

/// Some of it, freed at the end.
class MemoryBlock {
 public:
  MemoryBlock() = default;
  /// For an array of so many rows, or (none) for a message.
  MemoryBlock(ArrayMemory& memory, std::size_t bytes, long long rows)
      : memory_(&memory),
        message_(rows == 0),
        data_(message_ ? memory.AllocateMessage(bytes) : memory.Allocate(bytes, rows)) {}
  MemoryBlock(MemoryBlock&& other) noexcept { Swap(other); }
  MemoryBlock& operator=(MemoryBlock&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~MemoryBlock() {
    if (data_ == nullptr) return;
    if (message_) {
      memory_->FreeMessage(data_);
    } else {
      memory_->Free(data_);
    }
  }

  char* data() const { return data_; }

 private:
  void Swap(MemoryBlock& other) {
    std::swap(memory_, other.memory_);
    std::swap(message_, other.message_);
    std::swap(data_, other.data_);
  }

  ArrayMemory* memory_ = nullptr;
  bool message_ = false;
  char* data_ = nullptr;
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_MEMORY_HPP

#ifndef STENCILGEN_MPI_CUDA_HPP
#define STENCILGEN_MPI_CUDA_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>
#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#include "stencilgen/cuda.hpp"
#include "stencilgen/mpi_memory.hpp"

/// Arrays of a rank in the memory of its GPU.
namespace stencilgen::mpi {

/// Copies of boxes for one launch, by value.
struct DeviceCopies {
  static constexpr int kMost = 32;
  static constexpr int kDimensions = 4;
  struct Piece {
    const char* from;
    char* to;
    long long elements;
    int bytes;                 ///< of an element
    int extents[kDimensions];  ///< of the box
    long long from_strides[kDimensions], to_strides[kDimensions];
  };
  Piece pieces[kMost];
};

template <typename Word>
__device__ inline void CopyPiece(const DeviceCopies::Piece& piece) {
  const Word* const from = reinterpret_cast<const Word*>(piece.from);
  Word* const to = reinterpret_cast<Word*>(piece.to);
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long n = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       n < piece.elements; n += threads) {
    long long rest = n;
    long long source = 0;
    long long target = 0;
    for (int d = DeviceCopies::kDimensions - 1; d >= 0; --d) {
      const long long at = rest % piece.extents[d];
      rest /= piece.extents[d];
      source += at * piece.from_strides[d];
      target += at * piece.to_strides[d];
    }
    to[target] = from[source];
  }
}

/// All elements of all pieces: a row of blocks for each piece.
template <int threads>
__global__ void __launch_bounds__(threads) CopyPieces(const DeviceCopies copies) {
  const DeviceCopies::Piece& piece = copies.pieces[blockIdx.y];
  if (piece.bytes == 8) {
    CopyPiece<std::uint64_t>(piece);
  } else if (piece.bytes == 4) {
    CopyPiece<std::uint32_t>(piece);
  } else if (piece.bytes == 2) {
    CopyPiece<std::uint16_t>(piece);
  } else {
    CopyPiece<std::uint8_t>(piece);
  }
}

/// The library of MPI says that it sends from a GPU's memory.
inline bool MpiTakesDeviceMemory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int supported = 0;
  MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &supported);
  return supported != 0;
#else
  return false;
#endif
}

/// The memory of a GPU, which ranks of a machine take in turns: the rank's number there, modulo how
/// many GPUs there are. Messages are in it where MPI takes them from there; else in pinned memory
/// of the CPU, which kernels that pack them write to themselves. The variable STENCILGEN_MPI_CUDA
/// of the environment decides it: `direct`, `staged`, or `auto`, where MPI is asked. That is the
/// default but on the emulator, whose memory any MPI takes, and which stages.
class CudaMemory : public ArrayMemory {
 public:
  /// Collective.
  explicit CudaMemory(MPI_Comm comm) {
    ChoosePath();
    ChooseDevice(comm);
  }
  ~CudaMemory() override {
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  cudaStream_t stream() const { return stream_; }
  int device() const { return device_; }
  /// MPI sends from the GPU's memory.
  bool direct() const { return direct_; }
  /// Makes the GPU that of this thread.
  void Use() { Do(cudaSetDevice(device_), "choosing a GPU"); }

  const char* error() const override { return error_.text(); }
  bool OnHost() const override { return false; }
  const char* MessagePath() const override { return path_.c_str(); }
  bool SendsArrays() const override { return direct_; }
  char* Allocate(std::size_t bytes, long long) override {
    void* memory = nullptr;
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    if (cudaMalloc(&memory, size) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    Do(cudaMemsetAsync(memory, 0, size, stream_), "clearing an array");
    return static_cast<char*>(memory);
  }
  void Free(char* memory) override {
    Wait();
    static_cast<void>(cudaFree(memory));
  }
  char* AllocateMessage(std::size_t bytes) override {
    if (direct_) return Allocate(bytes, 1);
    void* memory = nullptr;
    if (cudaMallocHost(&memory, bytes) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    std::memset(memory, 0, bytes);
    return static_cast<char*>(memory);
  }
  void FreeMessage(char* memory) override {
    if (direct_) return Free(memory);
    Wait();
    static_cast<void>(cudaFreeHost(memory));
  }

  void Copy(const std::vector<BoxCopy>& copies) override {
    DeviceCopies pieces = {};
    int count = 0;
    long long most = 0;
    for (const BoxCopy& copy : copies) {
      const DeviceCopies::Piece piece = PieceOf(copy);
      if (piece.elements == 0) continue;
      pieces.pieces[count++] = piece;
      most = std::max(most, piece.elements);
      if (count < DeviceCopies::kMost) continue;
      LaunchCopies(pieces, count, most);
      count = 0;
      most = 0;
    }
    if (count > 0) LaunchCopies(pieces, count, most);
  }
  bool Wait() override {
    if (stream_ == nullptr) return false;
    return Do(cudaStreamSynchronize(stream_), "computing on a GPU");
  }
  bool IsBusy() override {
    return stream_ != nullptr && cudaStreamQuery(stream_) == cudaErrorNotReady;
  }
  void Download(void* host, const char* array, std::size_t bytes) override {
    Do(cudaMemcpyAsync(host, array, bytes, cudaMemcpyDeviceToHost, stream_), "copying an array");
    Wait();
  }
  void Upload(char* array, const void* host, std::size_t bytes) override {
    Do(cudaMemcpyAsync(array, host, bytes, cudaMemcpyHostToDevice, stream_), "copying an array");
    Wait();
  }

 private:
  static constexpr int kThreads = 128;

  bool Do(cudaError_t result, const char* what) { return Check(error_, result, what); }

#if defined(STENCILGEN_EMULATOR)
  static constexpr bool kEmulated = true;
#else
  static constexpr bool kEmulated = false;
#endif

  void ChoosePath() {
    const char* const variable = std::getenv("STENCILGEN_MPI_CUDA");
    const std::string wish = variable == nullptr ? "" : variable;
    const bool takes = MpiTakesDeviceMemory();
    if (wish == "staged") {
      SetPath(false, "as STENCILGEN_MPI_CUDA=staged asks for");
    } else if (wish.empty() && kEmulated) {
      SetPath(false, "as the emulator does without STENCILGEN_MPI_CUDA=direct");
    } else if (wish.empty() || wish == "auto") {
      SetPath(takes, takes ? "which this MPI sends from"
                           : "since this MPI does not send from a GPU's memory");
    } else if (wish != "direct") {
      error_.Fail(kBadArgument,
                  "STENCILGEN_MPI_CUDA is `%s`: it may be `auto`, `direct` or `staged`",
                  wish.c_str());
    } else if (!takes && !kEmulated) {
      error_.Fail(kBadArgument,
                  "STENCILGEN_MPI_CUDA is `direct`, but this MPI does not send from a "
                  "GPU's memory: leave it out, or use an MPI that is built with CUDA");
    } else {
      SetPath(true, "as STENCILGEN_MPI_CUDA=direct asks for");
    }
  }
  void SetPath(bool direct, const char* why) {
    direct_ = direct;
    path_ =
        std::string(direct ? "from the GPU's memory, " : "from pinned memory of the CPU, ") + why;
  }

  void ChooseDevice(MPI_Comm comm) {
    MPI_Comm machine = MPI_COMM_NULL;
    int number = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &number);
    MPI_Comm_free(&machine);
    int count = 0;
    if (!Do(cudaGetDeviceCount(&count), "looking for a GPU")) return;
    if (count == 0) {
      error_.Fail(kDeviceFailure, "there is no GPU");
      return;
    }
    device_ = number % count;
    if (!Do(cudaSetDevice(device_), "choosing a GPU")) return;
    Do(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  }

  /// Dimensions that the box does not have are of one element.
  static DeviceCopies::Piece PieceOf(const BoxCopy& copy) {
    DeviceCopies::Piece piece = {};
    piece.from = copy.from.array;
    piece.to = copy.to.array;
    piece.elements = copy.from.box.Elements();
    piece.bytes = static_cast<int>(copy.element_bytes);
    long long from_stride = 1;
    long long to_stride = 1;
    const std::size_t dimensions = copy.from.box.first.size();
    for (std::size_t n = 0; n < DeviceCopies::kDimensions; ++n) {
      const std::size_t slot = DeviceCopies::kDimensions - 1 - n;
      piece.extents[slot] = 1;
      if (n >= dimensions) continue;
      const std::size_t d = dimensions - 1 - n;
      piece.extents[slot] = static_cast<int>(copy.from.box.end[d] - copy.from.box.first[d]);
      piece.from_strides[slot] = from_stride;
      piece.to_strides[slot] = to_stride;
      piece.from += copy.from.box.first[d] * from_stride * piece.bytes;
      piece.to += copy.to.box.first[d] * to_stride * piece.bytes;
      from_stride *= copy.from.shape[d];
      to_stride *= copy.to.shape[d];
    }
    return piece;
  }

  void LaunchCopies(const DeviceCopies& pieces, int count, long long most) {
    constexpr long long kMostBlocks = 1024;
    const long long blocks = std::min(kMostBlocks, (most + kThreads - 1) / kThreads);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(count));
    Do(Launch(CopyPieces<kThreads>, grid, dim3(kThreads), 0, stream_, pieces), "copying boxes");
  }

  int device_ = 0;
  cudaStream_t stream_ = nullptr;
  bool direct_ = false;
  std::string path_;  ///< of messages, in words
  ErrorText error_;
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_CUDA_HPP

#include "lower/names.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "support/functions.h"

namespace stencilgen::lower {
namespace {

/// Keywords, macros of the standard headers, CUDA's variables and what generated code calls by an
/// unqualified name.
constexpr std::string_view kReserved[] = {
    // C++ and C
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "class", "compl", "concept", "const", "const_cast", "consteval",
    "constexpr", "constinit", "continue", "co_await", "co_return", "co_yield", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export",
    "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "main",
    "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast",
    "struct", "switch", "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq",
    // macros
    "BUFSIZ", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "EOF", "EXIT_FAILURE", "EXIT_SUCCESS",
    "FP_FAST_FMA", "FP_INFINITE", "FP_NAN", "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO", "HUGE_VAL",
    "HUGE_VALF", "INFINITY", "INT_MAX", "INT_MIN", "LONG_MAX", "LONG_MIN", "MAXFLOAT", "MB_CUR_MAX",
    "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2", "M_LOG10E", "M_LOG2E", "M_PI",
    "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2", "NAN", "NDEBUG", "NULL", "PTRDIFF_MAX", "RAND_MAX",
    "SEEK_CUR", "SEEK_END", "SEEK_SET", "SHRT_MAX", "SHRT_MIN", "SIZE_MAX", "TMP_MAX", "UCHAR_MAX",
    "UINT_MAX", "ULONG_MAX", "USHRT_MAX", "assert", "errno", "linux", "offsetof", "stderr", "stdin",
    "stdout", "unix", "va_arg", "va_copy", "va_end", "va_start",
    // CUDA
    "blockDim", "blockIdx", "cudaStream_t", "dim3", "gridDim", "threadIdx", "warpSize",
    // runtime and skeletons
    "Abs", "AllocateArray", "Allocator", "AllowShared", "Anchor", "Array", "BandCaches",
    "BandExtent", "BandTile", "BandTileFor", "Beside", "BitsOf", "Block", "BlocksX", "BlocksYZ",
    "Borders", "Box", "Broadcast", "CapturedTurns", "CeilDiv", "Check", "CheckArguments", "Choose",
    "ChooseBandTile", "ChunkCosts", "ChunksTime", "ClampIndex", "CommitCopies", "CopyAll",
    "CopyAsync", "CopyBytes", "CopyOutside", "CurrentState", "DeviceMemory", "Do", "DynamicShared",
    "ElementsToLine", "ElementsToVector", "ErrorText", "FastDivide", "FenceStores", "First",
    "FitChunk", "FitCoordinates", "FitInt", "FloatOf", "FloatsOf", "FloatsOfHalves", "FloorDiv",
    "FreeArray", "Global", "GlobalInOrder", "GlobalInOut", "HalvesOf", "HostMemory", "Hull",
    "Index", "IntPower", "IntPowerRn", "IsAligned", "IsCaptured", "IsInside", "Keep", "KeepScratch",
    "KeptTurns", "KernelOccupancy", "Launch", "Load", "LoadBits", "LoadFloats", "LoadVector",
    "MakeProgress", "Max", "Min", "Mirror101Index", "MirrorIndex", "Move", "MoveHome", "MulAdd",
    "MulRn", "MulSub", "Nearest", "Occupancy", "Opaque", "Outside", "Pack", "PackFabs", "PackMask",
    "PackMax", "PackMin", "PackRoundBFloat16", "PackRoundHalf", "PackSqrt", "Part", "PastCaches",
    "Program", "Range", "ReadElement", "ReciprocalRoot", "RepeatTurns", "Rest", "Run", "SafeDivide",
    "SafeModulo", "ScratchPool", "Select", "Shape", "Shared", "Shifted", "State", "Status", "Store",
    "StoreBits", "StoreFloats", "StoreVector", "Stream", "Threads", "TileRows", "TimeOnStream",
    "TimeRepeats", "ToInt", "TurnGraph", "Vector", "WaitForCopies", "WrapIndex", "allocate",
    "arrays", "block", "copy", "error", "graphs", "grid", "has_border", "homes", "kLanes",
    "kLoopLanes", "kVectors", "kept_graphs", "kernel_occupancy", "made", "memory", "moves", "next",
    "occupancy", "oldest", "order", "own_graphs", "program", "short_index", "std", "stencilgen",
    "stream", "turn"};

const std::set<std::string, std::less<>>& Reserved() {
  static const std::set<std::string, std::less<>> kNames = [] {
    std::set<std::string, std::less<>> names(std::begin(kReserved), std::end(kReserved));
    for (const FunctionInfo& info : AllFunctions()) {
      names.emplace(info.name);
      names.insert(fmt::format("{}f", info.name));
    }
    return names;
  }();
  return kNames;
}

}  // namespace

std::string NameScope::Claim(std::string_view wish) {
  // Leading underscores and double ones belong to the implementation.
  const std::string base = wish.substr(0, 1) == "_" ? fmt::format("v{}", wish) : std::string(wish);
  std::string name = base;
  if (IsTaken(name)) {
    const std::string stem = base.back() == '_' ? base : fmt::format("{}_", base);
    int& suffix = last_.try_emplace(base, 0).first->second;
    do {
      ++suffix;
      name = suffix == 1 ? stem : fmt::format("{}{}", stem, suffix);
    } while (IsTaken(name));
  }
  names_.insert(name);
  return name;
}

bool NameScope::IsTaken(std::string_view name) const {
  if (names_.count(name) != 0) return true;
  return parent_ != nullptr ? parent_->IsTaken(name) : Reserved().count(name) != 0;
}

}  // namespace stencilgen::lower

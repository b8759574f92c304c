#ifndef STENCILGEN_MPI_FILES_HPP
#define STENCILGEN_MPI_FILES_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "stencilgen/mpi.hpp"

/// Arrays in NumPy's `.npy` files: ranks read and write their own parts of one file together.
namespace stencilgen::mpi {

/// The text of the first rank that has one, on every rank; empty where none has. Collective.
inline std::string FirstText(const Fields& fields, const std::string& text) {
  int first = text.empty() ? fields.size() : fields.rank();
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, fields.comm());
  if (first == fields.size()) return "";
  std::string all = text;
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, first, fields.comm());
  all.resize(static_cast<std::size_t>(length));
  MPI_Bcast(&all[0], length, MPI_CHAR, first, fields.comm());
  return all;
}

/// `(512, 256)`, as NumPy writes it.
inline std::string NpyShape(const std::vector<long long>& shape) {
  std::string text;
  for (const long long extent : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  }
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

/// What stands before the elements of a file of version 1.
inline std::string NpyHeader(const char* type, const std::vector<long long>& shape) {
  constexpr std::size_t kFixed = 10;
  constexpr std::size_t kAlignment = 64;
  std::string text = std::string("{'descr': '") + type +
                     "', 'fortran_order': False, 'shape': " + NpyShape(shape) + ", }";
  text.append((kAlignment - (kFixed + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

/// What the file's header says of a key, from behind its colon on; empty where it has no such key.
inline std::string NpyEntry(const std::string& header, const char* key) {
  std::size_t at = header.find(std::string("'") + key + "'");
  if (at == std::string::npos) at = header.find(std::string("\"") + key + "\"");
  if (at == std::string::npos) return "";
  at = header.find(':', at);
  if (at != std::string::npos) at = header.find_first_not_of(" :", at);
  return at == std::string::npos ? "" : header.substr(at);
}

/// Finds where the elements of a file begin, which must be an array of this type and shape. Why it
/// is none; empty where it is one.
inline std::string CheckNpy(const std::string& path, const char* name, const char* type,
                            const std::vector<long long>& shape, long long bytes,
                            long long& begins) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot read `" + path + "`: " + std::strerror(errno);
  unsigned char start[12] = {};
  const std::size_t got = std::fread(start, 1, sizeof start, file);
  const bool npy = got == sizeof start && std::memcmp(start, "\x93NUMPY", 6) == 0 && start[6] >= 1;
  const bool first = start[6] == 1;
  // A header has 16 bits for its length in version 1, and 32 later.
  std::size_t length = start[8] + 256U * start[9];
  if (!first) length += 65536U * start[10] + 16777216U * start[11];
  const std::size_t fixed = first ? 10 : 12;
  std::string header(npy && length < (1U << 20) ? length : 0, ' ');
  std::fseek(file, static_cast<long>(fixed), SEEK_SET);
  const bool whole = std::fread(&header[0], 1, header.size(), file) == header.size();
  std::fseek(file, 0, SEEK_END);
  const long long size = std::ftell(file);
  std::fclose(file);
  if (!npy || !whole || header.empty()) return "`" + path + "` is no .npy file";
  begins = static_cast<long long>(fixed) + static_cast<long long>(length);
  std::string descr = NpyEntry(header, "descr");
  if (!descr.empty()) descr = descr.substr(1, descr.find_first_of("'\"", 1) - 1);
  if (descr != type) {
    return "`" + path + "`: its elements are `" + descr + "`, and those of " + name + " are `" +
           type + "`";
  }
  if (NpyEntry(header, "fortran_order").compare(0, 5, "False") != 0) {
    return "`" + path + "`: it is in Fortran order";
  }
  const std::string written = NpyEntry(header, "shape");
  std::vector<long long> found;
  for (std::size_t at = 0; at < written.size() && written[at] != ')'; ++at) {
    const bool digit = written[at] >= '0' && written[at] <= '9';
    const bool begun = digit && written[at - 1] >= '0' && written[at - 1] <= '9';
    if (digit && !begun) found.push_back(std::atoll(written.c_str() + at));
  }
  if (found != shape) {
    return "`" + path + "`: its shape is " + NpyShape(found) + ", and that of " + name + " is " +
           NpyShape(shape);
  }
  return size < begins + bytes ? "`" + path + "`: it ends before its elements do" : "";
}

/// The rank's own elements of an array, as types of MPI: in its memory, and in a file.
class FileTypes {
 public:
  FileTypes(const Fields& fields, int field)
      : memory_(Make(fields, field, fields.local_shape(field), fields.own(field))),
        file_(Make(fields, field, fields.whole_shape(field), fields.own_of(field, fields.rank()))) {
  }
  ~FileTypes() {
    MPI_Type_free(&memory_);
    MPI_Type_free(&file_);
  }
  FileTypes(const FileTypes&) = delete;
  FileTypes& operator=(const FileTypes&) = delete;
  MPI_Datatype memory() const { return memory_; }
  MPI_Datatype file() const { return file_; }

 private:
  static MPI_Datatype Make(const Fields& fields, int field, const std::vector<long long>& shape,
                           const Box& box) {
    std::vector<int> sizes, own, first;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      sizes.push_back(static_cast<int>(shape[d]));
      own.push_back(static_cast<int>(box.end[d] - box.first[d]));
      first.push_back(static_cast<int>(box.first[d]));
    }
    MPI_Datatype element = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(fields.shape(field).element_bytes), MPI_BYTE, &element);
    MPI_Type_create_subarray(static_cast<int>(shape.size()), sizes.data(), own.data(), first.data(),
                             MPI_ORDER_C, element, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&element);
    return type;
  }
  MPI_Datatype memory_, file_;
};

/// An open file, and the first thing that went wrong with it on this rank.
class SharedFile {
 public:
  /// Collective.
  SharedFile(const Fields& fields, std::string path, int mode) : path_(std::move(path)) {
    Check(MPI_File_open(fields.comm(), path_.c_str(), mode, MPI_INFO_NULL, &file_));
  }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// Collective.
  void Close() {
    if (file_ != MPI_FILE_NULL) Check(MPI_File_close(&file_));
  }

  MPI_File get() const { return file_; }
  const std::string& error() const { return error_; }
  void Check(int code) {
    if (code == MPI_SUCCESS || !error_.empty()) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    error_ = "`" + path_ + "`: " + text;
  }
  /// All of the elements have moved.
  void CheckMoved(const MPI_Status& status, MPI_Datatype type, int elements) {
    int count = 0;
    MPI_Get_count(&status, type, &count);
    if (count != elements && error_.empty()) error_ = "`" + path_ + "`: no space, or a short file";
  }

 private:
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  std::string error_;
};

/// Writes an array to a file beside its place, which it takes when all ranks are done: where a rank
/// fails or dies, what was there before is there. Why it was not written, alike on every rank;
/// empty where it was. Collective.
inline std::string SaveNpy(Fields& fields, int field, const std::string& path) {
  const std::string beside = path + ".part";
  const bool first = fields.rank() == 0;
  std::string error;
  if (first) {
    // MPI says less of why a file cannot be made.
    std::FILE* const file = std::fopen(beside.c_str(), "wb");
    if (file == nullptr) error = "cannot write `" + path + "`: " + std::strerror(errno);
    if (file != nullptr) std::fclose(file);
  }
  error = FirstText(fields, error);
  if (!error.empty()) return error;

  SharedFile file(fields, beside, MPI_MODE_WRONLY | MPI_MODE_CREATE);
  error = FirstText(fields, file.error());
  if (error.empty()) {
    const FieldShape& shape = fields.shape(field);
    const std::string header = NpyHeader(shape.npy_type, fields.whole_shape(field));
    MPI_Status status;
    if (first) {
      const auto bytes = static_cast<int>(header.size());
      file.Check(MPI_File_write_at(file.get(), 0, header.data(), bytes, MPI_BYTE, &status));
      file.CheckMoved(status, MPI_BYTE, bytes);
    }
    const FileTypes types(fields, field);
    const bool writes = fields.IsFirstOwner(field, fields.rank());
    file.Check(MPI_File_set_view(file.get(), static_cast<MPI_Offset>(header.size()), MPI_BYTE,
                                 writes ? types.file() : MPI_BYTE, "native", MPI_INFO_NULL));
    file.Check(MPI_File_write_all(file.get(), fields.HostData(field), writes ? 1 : 0,
                                  types.memory(), &status));
    if (writes) file.CheckMoved(status, types.memory(), 1);
    file.Close();
    error = FirstText(fields, file.error());
  }
  if (first && error.empty() && std::rename(beside.c_str(), path.c_str()) != 0) {
    error = "cannot write `" + path + "`: " + std::strerror(errno);
  }
  if (first && !error.empty()) std::remove(beside.c_str());
  return FirstText(fields, error);
}

/// Reads each rank's own part of an array from a file. Why it was not read, alike on every rank;
/// empty where it was: else the array may have any values. Collective.
inline std::string LoadNpy(Fields& fields, int field, const std::string& path) {
  const FieldShape& shape = fields.shape(field);
  auto bytes = static_cast<long long>(shape.element_bytes);
  for (const long long extent : fields.whole_shape(field)) bytes *= extent;
  long long begins = 0;
  std::string error;
  if (fields.rank() == 0) {
    error = CheckNpy(path, shape.name, shape.npy_type, fields.whole_shape(field), bytes, begins);
  }
  error = FirstText(fields, error);
  if (!error.empty()) return error;
  MPI_Bcast(&begins, 1, MPI_LONG_LONG, 0, fields.comm());

  SharedFile file(fields, path, MPI_MODE_RDONLY);
  error = FirstText(fields, file.error());
  if (!error.empty()) return error;
  const FileTypes types(fields, field);
  MPI_Status status;
  file.Check(MPI_File_set_view(file.get(), static_cast<MPI_Offset>(begins), MPI_BYTE, types.file(),
                               "native", MPI_INFO_NULL));
  char* const elements = fields.HostData(field);
  file.Check(MPI_File_read_all(file.get(), elements, 1, types.memory(), &status));
  file.CheckMoved(status, types.memory(), 1);
  file.Close();
  if (std::strcmp(shape.npy_type, "|b1") == 0) {
    // Any other byte is true too, but a bool of C++ is 0 or 1.
    for (std::size_t n = 0; n < fields.bytes(field); ++n) elements[n] = elements[n] != 0 ? 1 : 0;
  }
  fields.Upload(field);
  return FirstText(fields, file.error());
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_FILES_HPP

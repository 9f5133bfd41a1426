//===- WholeFile.h - files that are read and written as a whole -*- C++ -*-===//
//
// What the tools write appears under its name when it is complete, and not at all when the disk is full or the process
// is killed: it is written into a file without a name, or with another one, in the same folder. What they read as a
// whole is a regular file of bounded size, never a device or a pipe, which may have no end.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_WHOLEFILE_H
#define IDC_RUNTIME_LIB_WHOLEFILE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace idc::runtime {

/// A file that cannot be read or written; the message names it and the cause.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The bytes of a regular file of at most `most` bytes. Throws FileError.
std::string readFile(const std::string &path, int64_t most);

/// Opens a regular file for reading and returns its descriptor, which the caller closes; sets `bytes` to its size.
/// Throws FileError, and does not wait for whoever opens the other end of a pipe.
int openRegularFile(const std::string &path, int64_t &bytes);

/// A file that is being written. Devices and pipes (/dev/null, /dev/stdout) are written directly; a symbolic link
/// stays, and what it names is replaced; a file that was there passes its permissions on.
class FileInProgress {
public:
  /// Throws FileError when no file can be made there.
  explicit FileInProgress(const std::string &path);
  FileInProgress(FileInProgress &&other);
  FileInProgress(const FileInProgress &) = delete;
  /// Discards what is not committed.
  ~FileInProgress();

  /// Throws FileError when the bytes do not fit, or for any other reason.
  void write(std::string_view bytes);
  /// The file appears under its name. Throws FileError; what had the name before is then unchanged.
  void commit();

private:
  [[noreturn]] void fail(int error) const;
  void open();

  std::string path;   // as given, for messages
  std::string target; // what is replaced; empty: the descriptor is the file itself
  std::string beside; // the file's name until it is committed; empty: none
  int descriptor = -1;
};

/// Writes a file of these bytes. Throws FileError.
void writeFile(const std::string &path, std::string_view bytes);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_WHOLEFILE_H

//===- WholeFile.cpp - files that are read and written as a whole ---------===//

#include "WholeFile.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace idc::runtime {

//===--- reading ----------------------------------------------------------===//

int openRegularFile(const std::string &path, int64_t &bytes) {
  auto fail = [&](const char *why) -> int { throw FileError("cannot read '" + path + "': " + why); };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return fail(std::strerror(errno));
  struct stat status;
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    bytes = status.st_size;
    return descriptor;
  }
  const int error = errno;
  close(descriptor);
  return fail(!known ? std::strerror(error) : S_ISDIR(status.st_mode) ? "it is a folder" : "it is no regular file");
}

std::string readFile(const std::string &path, int64_t most) {
  int64_t size = 0;
  const int descriptor = openRegularFile(path, size);
  auto fail = [&](const std::string &why) {
    close(descriptor);
    throw FileError("cannot read '" + path + "': " + why);
  };
  if (size > most)
    fail("it has " + std::to_string(size) + " bytes, more than the " + std::to_string(most) + " that are expected");
  std::string text;
  // Files of /proc and /sys have no size until they are read.
  char block[1 << 16];
  for (ssize_t got; (got = read(descriptor, block, sizeof block)) != 0;) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      fail(std::strerror(errno));
    text.append(block, size_t(got));
    if (int64_t(text.size()) > most)
      fail("it has more than " + std::to_string(most) + " bytes");
  }
  close(descriptor);
  return text;
}

//===--- writing ----------------------------------------------------------===//

/// What a path names behind symbolic links, of which the last one may lead nowhere.
static std::string behindLinks(std::string path) {
  constexpr int mostLinks = 40; // as many as Linux follows
  for (int i = 0; i < mostLinks; ++i) {
    char target[4096];
    const ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length <= 0 || length == ssize_t(sizeof target))
      break;
    std::string named(target, size_t(length));
    const size_t slash = path.rfind('/');
    path = named[0] == '/' || slash == std::string::npos ? named : path.substr(0, slash + 1) + named;
  }
  return path;
}

static std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// A name that no other thread or process takes.
static std::string nameBeside(const std::string &path) {
  static std::atomic<unsigned> number{0};
  return folderOf(path) + "/.idc-" + std::to_string(getpid()) + "-" + std::to_string(number++) + ".tmp";
}

void FileInProgress::fail(int error) const { throw FileError("cannot write '" + path + "': " + std::strerror(error)); }

FileInProgress::FileInProgress(const std::string &path) : path(path), target(behindLinks(path)) {
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    target.clear();
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
      fail(errno);
    return;
  }
  if (exists && access(target.c_str(), W_OK)) // to rename does not need the right to write
    fail(errno);
  open();
  if (exists && fchown(descriptor, status.st_uid, status.st_gid) == 0) // else it becomes the writer's
    fchmod(descriptor, status.st_mode & 07777);
}

/// Where an open file has a name that it can be linked by.
static constexpr const char *openFiles = "/proc/self/fd";

/// A file without a name vanishes with the process, however that ends. Not all file systems have them.
void FileInProgress::open() {
  constexpr mode_t mode = 0666; // less what umask takes away
  if (access(openFiles, X_OK) == 0)
    descriptor = ::open(folderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  while (descriptor < 0) {
    beside = nameBeside(target);
    descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor < 0 && errno != EEXIST) {
      beside.clear();
      fail(errno);
    }
  }
}

FileInProgress::FileInProgress(FileInProgress &&other)
    : path(std::move(other.path)), target(std::move(other.target)), beside(std::exchange(other.beside, "")),
      descriptor(std::exchange(other.descriptor, -1)) {}

FileInProgress::~FileInProgress() {
  if (descriptor >= 0)
    close(descriptor);
  if (!beside.empty())
    unlink(beside.c_str());
}

void FileInProgress::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      fail(errno);
    bytes.remove_prefix(written < 0 ? 0 : size_t(written));
  }
}

void FileInProgress::commit() {
  if (!target.empty() && beside.empty()) {
    const std::string self = std::string(openFiles) + "/" + std::to_string(descriptor);
    std::string name = nameBeside(target);
    while (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW)) {
      if (errno != EEXIST)
        fail(errno);
      name = nameBeside(target);
    }
    beside = name;
  }
  // File systems of other computers tell only now that they have no room.
  if (close(std::exchange(descriptor, -1)))
    fail(errno);
  if (target.empty())
    return;
  if (rename(beside.c_str(), target.c_str()))
    fail(errno);
  beside.clear();
}

void writeFile(const std::string &path, std::string_view bytes) {
  FileInProgress file(path);
  file.write(bytes);
  file.commit();
}

} // namespace idc::runtime

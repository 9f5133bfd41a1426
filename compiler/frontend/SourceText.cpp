#include "compiler/frontend/SourceText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

namespace idc::frontend {

static llvm::Error tooLarge() {
  return llvm::createStringError("it has more than " + llvm::Twine(maxSourceBytes >> 20) + " MiB");
}

static llvm::Error checkStatus(const llvm::sys::fs::file_status &status) {
  if (!llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("it is no regular file");
  return status.getSize() > maxSourceBytes ? tooLarge() : llvm::Error::success();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(const llvm::Twine &path) {
  // Before it is opened, which would wait for a pipe's writer, and again for what was opened.
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::errorCodeToError(error);
  if (llvm::Error error = checkStatus(status))
    return error;
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  auto read = [&]() -> llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> {
    if (std::error_code error = llvm::sys::fs::status(*file, status))
      return llvm::errorCodeToError(error);
    if (llvm::Error error = checkStatus(status))
      return error;
    // Read, not mapped: a file that shrinks meanwhile is no fault.
    return llvm::errorOrToExpected(llvm::MemoryBuffer::getOpenFile(*file, path, status.getSize(),
                                                                   /*RequiresNullTerminator=*/true,
                                                                   /*IsVolatile=*/true));
  };
  auto text = read();
  llvm::sys::fs::closeFile(*file);
  return text;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readStandardInput() {
  llvm::SmallVector<char, 0> text;
  constexpr size_t chunk = size_t(1) << 16;
  while (text.size() <= maxSourceBytes) {
    size_t size = text.size();
    text.resize_for_overwrite(size + chunk);
    llvm::Expected<size_t> count =
        llvm::sys::fs::readNativeFile(llvm::sys::fs::getStdinHandle(), {text.data() + size, chunk});
    if (!count)
      return count.takeError();
    text.truncate(size + *count);
    if (*count == 0)
      return llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()}, "<stdin>");
  }
  return tooLarge();
}

} // namespace idc::frontend

#include "Guarded.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace idc::random;

static size_t pageSize() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

GuardedArray::GuardedArray(size_t bytes, size_t alignment, Side side) : bytes(bytes) {
  const size_t page = pageSize(), inside = std::max(page, (bytes + page - 1) / page * page);
  pageBytes = inside + 2 * page;
  void *mapped = mmap(nullptr, pageBytes, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  pages = static_cast<char *>(mapped);
  if (mprotect(pages + page, inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(pages, pageBytes);
    throw std::bad_alloc();
  }
  std::memset(pages + page, 0xff, inside);
  array = pages + page + (side == Side::Low ? 0 : (inside - bytes) / alignment * alignment);
}

GuardedArray::GuardedArray(GuardedArray &&from) noexcept
    : pages(std::exchange(from.pages, nullptr)), array(from.array), pageBytes(from.pageBytes), bytes(from.bytes) {}

GuardedArray::~GuardedArray() {
  if (pages)
    munmap(pages, pageBytes);
}

void GuardedArray::makeReadOnly() { mprotect(pages + pageSize(), pageBytes - 2 * pageSize(), PROT_READ); }

bool GuardedArray::isIntactBeside() const {
  auto isIntact = [](const char *first, const char *end) {
    return std::all_of(first, end, [](char byte) { return byte == '\xff'; });
  };
  return isIntact(pages + pageSize(), array) && isIntact(array + bytes, pages + pageBytes - pageSize());
}

std::string idc::random::callInChild(const std::function<int()> &call) {
  const pid_t child = fork();
  if (child < 0)
    return "no child process";
  if (child == 0) {
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
      std::signal(number, SIG_DFL);
    _exit(call());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) // interrupted
    ;
  if (WIFSIGNALED(status))
    return std::string("ended by signal ") + strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) ? "returned " + std::to_string(WEXITSTATUS(status)) : std::string();
}

#include "compiler/frontend/DeepStack.h"

#include "llvm/Support/ProgramStack.h"

#include <locale.h>

#include <exception>

namespace idc::frontend {

namespace {
/// Address space; memory is taken for what is used. A call of an algorithm takes up to 15 KiB, without sanitizers.
constexpr unsigned stackBytes = 256u << 20;
/// What is enough between two calls of isNearlyFull(), which is asked for every expression.
constexpr unsigned reservedBytes = stackBytes / 4;
} // namespace

void DeepStack::run(llvm::function_ref<void()> work) {
  if (begin)
    return work();
  std::exception_ptr thrown; // an exception does not leave a thread
  // A new stack may be a new thread's, which begins with the process's locale, not with the caller's.
  const locale_t locale = uselocale(nullptr);
  llvm::runOnNewStack(stackBytes, [&] {
    const locale_t before = uselocale(locale);
    begin = llvm::getStackPointer();
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
    begin = 0;
    uselocale(before);
  });
  if (thrown)
    std::rethrow_exception(thrown);
}

bool DeepStack::isNearlyFull() const { return begin && begin - llvm::getStackPointer() > stackBytes - reservedBytes; }

} // namespace idc::frontend

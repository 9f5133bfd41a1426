#include "compiler/tools/CommandLine.h"

#include "compiler/frontend/Colours.h"
#include "compiler/tools/Messages.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <cstdio>

#include <unistd.h>

using namespace idc;
namespace cl = llvm::cl;

static llvm::StringRef tool; // the name that the process was called by
static std::string called;   // with that of the subcommand, if there is one

/// What `action` writes to standard error: LLVM prints some messages there whatever stream it is given.
static std::string standardErrorOf(llvm::function_ref<void()> action) {
  std::FILE *file = std::tmpfile();
  const int kept = file ? dup(STDERR_FILENO) : -1;
  if (kept < 0) {
    action();
    return {};
  }
  dup2(fileno(file), STDERR_FILENO);
  action();
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::string text(static_cast<size_t>(std::max(0L, std::ftell(file))), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

/// Prints LLVM's messages, which begin with "idc: " and may have further lines, in the project's form.
static void printAlike(llvm::StringRef messages) {
  const std::string beginning = (tool + ": ").str();
  messages.consume_front(beginning);
  while (!messages.empty()) {
    auto [text, rest] = messages.split("\n" + beginning);
    std::string line = llvm::join(llvm::split(text.trim(), '\n'), " ");
    line[0] = llvm::toLower(line[0]);
    if (llvm::StringRef(line).starts_with("not enough positional"))
      tools::fail(called + " needs a file; " + called + " --help says what it takes");
    else if (llvm::StringRef(line).starts_with("did you mean"))
      tools::note(line);
    else
      tools::fail(line);
    messages = rest;
  }
}

/// LLVM keeps the last of several values.
static bool isGivenOnce(llvm::StringRef name, const cl::Option &option) {
  const bool takesOne =
      option.getNumOccurrencesFlag() == cl::Optional && option.getValueExpectedFlag() == cl::ValueRequired;
  if (!takesOne || option.getNumOccurrences() <= 1)
    return true;
  tools::fail((name.size() > 1 ? "--" : "-") + name + " is given twice");
  return false;
}

bool tools::parseCommandLine(llvm::ArrayRef<const char *> arguments, llvm::StringRef overview) {
  llvm::WithColor::setAutoDetectFunction(frontend::showsColours);
  tool = llvm::sys::path::filename(arguments.front());
  called = tool.str();
  if (arguments.size() > 1 && llvm::isAlpha(arguments[1][0]))
    called += std::string(" ") + arguments[1];
  cl::SetVersionPrinter([](llvm::raw_ostream &os) { os << tool << " " IDC_VERSION "\n"; });
  bool isRight = false;
  printAlike(standardErrorOf([&] {
    isRight =
        cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(), overview, &llvm::errs());
  }));
  if (!isRight)
    return false;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (*command)
      for (const auto &[name, option] : cl::getRegisteredOptions(*command))
        if (!isGivenOnce(name, *option))
          return false;
  return true;
}

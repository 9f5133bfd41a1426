//===- ToolMain.cpp - the main program of a tool without LLVM -------------===//

#include "host/ToolMain.h"
#include "host/Messages.h"

#include <cctype>
#include <filesystem>

namespace idc::host {

/// CLI11's messages are sentences; those of compilers begin small.
static std::string message(const CLI::ParseError &error) {
  std::string text = error.what();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

int toolMain(CLI::App &tool, int argc, char **argv, const std::function<int()> &work, int failed) {
  const std::string name = std::filesystem::path(argv[0]).filename();
  tool.name(name);
  tool.set_help_flag("--help", "print this text");
  tool.set_version_flag("--version", name + " " IDC_VERSION, "print the version");
  tool.get_formatter()->column_width(26);
  try {
    tool.parse(argc, argv);
    return work();
  } catch (const CLI::Success &asked) { // --help, --version
    return tool.exit(asked);
  } catch (const CLI::ParseError &error) {
    printError(message(error) + "; try '" + name + " --help'");
    return 2;
  } catch (const std::exception &error) {
    printError(error.what());
    return failed;
  }
}

CLI::Validator atLeast(int64_t least) {
  auto complaint = [least](const std::string &text) {
    int64_t value = 0;
    return CLI::detail::lexical_cast(text, value) && value >= least
               ? std::string()
               : "needs an integer of at least " + std::to_string(least) + ", not '" + text + "'";
  };
  return CLI::Validator(complaint, /*validator_desc=*/"");
}

} // namespace idc::host

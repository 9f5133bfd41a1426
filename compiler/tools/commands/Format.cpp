// `idc format`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/FormatCommand.h"
#include "compiler/tools/Messages.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::formatCommand() {
  static cl::SubCommand command("format", "print programs in the one style");
  return command;
}

static cl::list<std::string> listed(cl::Positional, cl::desc("FILE.id… (-: standard input)"), cl::OneOrMore,
                                    cl::sub(formatCommand()), cl::cat(category()));
static cl::opt<bool> formatInPlace("i", cl::desc("write the files instead of standard output"),
                                   cl::sub(formatCommand()), cl::cat(category()));
static cl::opt<bool> formatCheck("check",
                                 cl::desc("write nothing; name the files that are not in the style, exit "
                                          "status 1 if there is one"),
                                 cl::sub(formatCommand()), cl::cat(category()));

int commands::format() {
  if (formatInPlace && formatCheck)
    return fail("-i writes and --check does not: give one of them");
  if (formatInPlace && llvm::is_contained(listed, "-"))
    return fail("-i needs files; standard input has no place to write to");
  tools::FormatMode mode = formatInPlace ? tools::FormatMode::InPlace
                           : formatCheck ? tools::FormatMode::Check
                                         : tools::FormatMode::Print;
  return tools::formatFiles({listed.begin(), listed.end()}, mode);
}

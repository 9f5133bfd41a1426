// `idc explain`: its flags.
#include "compiler/tools/commands/Commands.h"

#include "compiler/tools/ExplainCommand.h"
#include "compiler/tools/commands/Shared.h"

using namespace idc;
using namespace idc::tools;
using namespace idc::tools::commands;
namespace cl = llvm::cl;

cl::SubCommand &commands::explainCommand() {
  static cl::SubCommand command("explain", "show what became of an algorithm: its circuit, stages, mappings and "
                                           "costs, as text or pictures");
  return command;
}

static cl::opt<bool> explainText("text", cl::desc("print (the default)"), cl::sub(explainCommand()),
                                 cl::cat(category()));
static cl::opt<std::string> svgFolder("svg",
                                      cl::desc("write digits.svg, kernels.svg and, for up to 64 wires, circuit.svg"),
                                      cl::value_desc("FOLDER"), cl::sub(explainCommand()), cl::cat(category()));
static cl::opt<std::string> htmlFile("html",
                                     cl::desc("write one page with text and pictures, which needs nothing else"),
                                     cl::value_desc("PAGE.html"), cl::sub(explainCommand()), cl::cat(category()));

int commands::explain() {
  codegen::CompileRequest request;
  if (!makeRequest(request) || !chooseArchitecture(givenArchitectures(), request))
    return 1;
  tools::ExplainOutput output;
  output.text = explainText || (svgFolder.empty() && htmlFile.empty());
  output.svgFolder = svgFolder;
  output.htmlFile = htmlFile;
  return tools::explainProgram(std::move(request), output);
}

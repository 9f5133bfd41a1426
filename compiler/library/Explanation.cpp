#include "compiler/library/Explanation.h"

#include "compiler/explain/Pictures.h"
#include "compiler/explain/Text.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

std::string library::explanation(const explain::Facts &facts) {
  std::string text, json;
  llvm::raw_string_ostream lines(text), stream(json);
  explain::printText(lines, facts);
  const std::optional<std::string> circuit = explain::circuitPicture(facts);
  stream << llvm::json::Object{{"text", lines.str()},
                               {"digits", explain::digitPicture(facts)},
                               {"kernels", explain::mappingPicture(facts)},
                               {"circuit", circuit ? llvm::json::Value(*circuit) : llvm::json::Value(nullptr)}};
  return json;
}

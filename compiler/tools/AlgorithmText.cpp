#include "compiler/tools/AlgorithmText.h"

#include "llvm/ADT/StringExtras.h"

using namespace idc;
using llvm::StringRef;

static std::string inOneLine(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words, " \t\r\n");
  return llvm::join(words, " ");
}

std::vector<const frontend::Function *> tools::usedAlgorithms(const frontend::Source &source) {
  std::vector<const frontend::Function *> all, documented;
  for (const auto &function : source.main().functions)
    if (function->kind == frontend::Function::Kind::Algorithm) {
      all.push_back(function.get());
      if (!function->doc.empty())
        documented.push_back(function.get());
    }
  return documented.empty() ? all : documented;
}

std::string tools::signatureOf(const frontend::Function &function) {
  const char *begin = function.name.range.Start.getPointer(), *end = function.range.End.getPointer();
  const StringRef text(begin, static_cast<size_t>(end - begin));
  return inOneLine(text.take_until([](char c) { return c == '{'; }));
}

std::string tools::firstSentence(const frontend::Function &function) {
  const std::string doc = inOneLine(function.doc);
  const size_t end = doc.find(". ");
  return end == std::string::npos ? doc : doc.substr(0, end + 1);
}

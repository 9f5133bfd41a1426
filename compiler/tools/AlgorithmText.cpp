#include "compiler/tools/AlgorithmText.h"

#include "llvm/ADT/StringExtras.h"

using namespace idc;
using llvm::StringRef;

static std::string inOneLine(StringRef text) {
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words, " \t\r\n");
  return llvm::join(words, " ");
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

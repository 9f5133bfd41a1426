#include "compiler/codegen/LayoutOptions.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/frontend/Parse.h"

#include "host/Scanner.h"
#include "id/IdDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace idc;
using namespace idc::codegen;
using digits::ArrayLayout;

// Of one problem, what lies between its elements included.
static constexpr int64_t maxProblemBytes = int64_t(1) << 60;

static llvm::Error wrong(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// An argument or result that can be laid out.
struct Array {
  std::string name;
  const frontend::TypeExpr *declared; // null: a result that the program does not declare
  id::SeqType type;
  int number;
  bool isResult;
};

class LayoutReader {
public:
  LayoutReader(const frontend::Source &source, const frontend::Program &program, frontend::Diagnostics &diagnostics)
      : source(source), diagnostics(diagnostics), sizes(program.sizes.begin(), program.sizes.end()) {}

  /// The properties that `text`, the rest of `option`, lists.
  llvm::Expected<ArrayLayout> read(const Array &array, llvm::StringRef option, host::Scanner &text);

private:
  llvm::Expected<int64_t> value(llvm::StringRef option, llvm::StringRef text, const char *what, int64_t least);
  llvm::Expected<std::vector<int64_t>> declaredSizes(const Array &array);
  llvm::Error setStrides(const Array &array, llvm::StringRef option, host::Scanner &text, ArrayLayout &layout);

  const frontend::Source &source;
  frontend::Diagnostics &diagnostics;
  const frontend::SizeMap sizes;
};

llvm::Expected<int64_t> LayoutReader::value(llvm::StringRef option, llvm::StringRef text, const char *what,
                                            int64_t least) {
  frontend::ExprPtr expression = frontend::parseExpression(text.str(), ("--layout " + option).str(), diagnostics);
  std::optional<int64_t> result;
  if (expression)
    result = frontend::evaluateSize(source, *expression, sizes, what, diagnostics);
  if (!result)
    return wrong("");
  if (*result < least)
    return wrong("--layout " + option + ": " + what + " is " + llvm::Twine(*result) + "; it must be at least " +
                 llvm::Twine(least));
  if (*result > maxProblemBytes)
    return wrong("--layout " + option + ": " + what + " is " + llvm::Twine(*result) + ", more than 2^60");
  return *result;
}

/// The lengths of the dimensions, most significant first.
llvm::Expected<std::vector<int64_t>> LayoutReader::declaredSizes(const Array &array) {
  std::vector<int64_t> lengths;
  if (array.declared)
    for (const frontend::Dimension &dimension : array.declared->dimensions) {
      std::optional<int64_t> length = frontend::evaluateSize(source, *dimension.length, sizes, "a length", diagnostics);
      if (!length)
        return wrong("");
      lengths.push_back(*length);
    }
  return lengths;
}

/// The strides behind the first ':'.
llvm::Error LayoutReader::setStrides(const Array &array, llvm::StringRef option, host::Scanner &text,
                                     ArrayLayout &layout) {
  std::vector<int64_t> strides;
  do {
    llvm::Expected<int64_t> number = value(option, text.until(":,"), "the stride", 1);
    if (!number)
      return number.takeError();
    strides.push_back(*number);
  } while (text.accept(":"));
  if (strides.size() == 1) {
    layout.dimensions.front().stride = strides[0];
    return llvm::Error::success();
  }
  llvm::Expected<std::vector<int64_t>> lengths = declaredSizes(array);
  if (!lengths)
    return lengths.takeError();
  if (lengths->size() != strides.size())
    return wrong("--layout " + option + ": '" + array.name + "' has " + llvm::Twine(lengths->size()) +
                 (lengths->size() == 1 ? " dimension" : " dimensions") + ", and " + llvm::Twine(strides.size()) +
                 " strides are given");
  layout.dimensions.clear();
  for (size_t i = strides.size(); i-- > 0;)
    layout.dimensions.push_back({(*lengths)[i], strides[i]});
  return llvm::Error::success();
}

llvm::Expected<ArrayLayout> LayoutReader::read(const Array &array, llvm::StringRef option, host::Scanner &text) {
  ArrayLayout layout = ArrayLayout::dense(array.type.getNumElements());
  std::optional<int64_t> batch;
  llvm::StringSet<> seen;
  do {
    const llvm::StringRef name = text.until(":,");
    const bool hasValue = text.accept(":");
    if (!seen.insert(name).second)
      return wrong("--layout " + option + ": '" + name + "' is given twice");
    if (name == "planar" && !hasValue) {
      layout.planar = true;
    } else if (name == "stride" && hasValue) {
      if (llvm::Error error = setStrides(array, option, text, layout))
        return error;
    } else if ((name == "offset" || name == "batch") && hasValue) {
      const bool isBatch = name == "batch";
      // All problems of an input may be one.
      llvm::Expected<int64_t> number = value(option, text.until(","), isBatch ? "the batch stride" : "the offset",
                                             isBatch && array.isResult ? 1 : 0);
      if (!number)
        return number.takeError();
      if (isBatch)
        batch = *number;
      else
        layout.offset = *number;
    } else {
      return wrong("--layout " + option + ": unknown property '" + name + (hasValue ? ":" : "") +
                   std::string(text.until(",")) +
                   "'; known are stride:S, stride:S1:S2:…, offset:O, batch:B and planar");
    }
  } while (text.accept(","));
  if (layout.planar && conversion::numberTypes(array.type.getElement()).size() == 1)
    return wrong("--layout " + option + ": elements of '" + array.name +
                 "' are single numbers; planar is for complex numbers and records");
  const __int128 most = maxProblemBytes / id::elementBytes(array.type.getElement());
  __int128 last = layout.offset, next = 0;
  for (const ArrayLayout::Dimension &dimension : layout.dimensions) {
    last += __int128(dimension.size - 1) * dimension.stride;
    next = std::max(next, __int128(dimension.size) * dimension.stride);
  }
  if (batch)
    next = *batch;
  if (last >= most || next > most)
    return wrong("--layout " + option + ": a problem of '" + array.name + "' reaches over more than 2^60 bytes");
  layout.batchStride = static_cast<int64_t>(next);
  if (array.isResult && (!layout.isNested() || layout.mostProblems() == 0))
    return wrong("--layout " + option + ": elements of '" + array.name +
                 "' would overlap: each stride must be greater than the distance that those below it reach");
  return layout;
}

} // namespace

llvm::Error codegen::applyLayouts(const std::vector<std::string> &options, const frontend::Source &source,
                                  const frontend::Function &declaration, const frontend::Program &program,
                                  frontend::Diagnostics &diagnostics, mlir::func::FuncOp function) {
  std::vector<Array> arrays;
  for (auto [i, input] : llvm::enumerate(program.inputs)) {
    auto isIt = [&name = input.name](const frontend::Param &param) { return param.name.text == name; };
    auto param = llvm::find_if(declaration.params, isIt);
    arrays.push_back({input.name, param == declaration.params.end() ? nullptr : param->type.get(),
                      mlir::cast<id::SeqType>(function.getArgumentTypes()[i]), int(i), false});
  }
  for (auto [i, output] : llvm::enumerate(program.outputs))
    arrays.push_back({"y" + std::to_string(i), i < declaration.results.size() ? declaration.results[i].get() : nullptr,
                      mlir::cast<id::SeqType>(function.getResultTypes()[i]), int(i), true});
  llvm::StringSet<> seen;
  LayoutReader reader(source, program, diagnostics);
  for (llvm::StringRef option : options) {
    host::Scanner text(option);
    const llvm::StringRef name = text.until("=");
    if (name.empty() || !text.accept("=") || text.atEnd())
      return wrong("--layout needs NAME=PROPERTY,…, not '" + option + "'");
    auto array = llvm::find_if(arrays, [name](const Array &candidate) { return candidate.name == name; });
    if (array == arrays.end()) {
      std::vector<std::string> known;
      for (const Array &candidate : arrays)
        known.push_back(candidate.name);
      return wrong("--layout " + option + ": '" + program.entry + "' has no array '" + name + "'; there are " +
                   llvm::join(known, ", "));
    }
    if (!seen.insert(name).second)
      return wrong("--layout: '" + name + "' is laid out twice");
    llvm::Expected<ArrayLayout> layout = reader.read(*array, option, text);
    if (!layout)
      return layout.takeError();
    if (array->isResult)
      conversion::setResultLayout(function, array->number, *layout);
    else
      conversion::setArgumentLayout(function, array->number, *layout);
  }
  return llvm::Error::success();
}

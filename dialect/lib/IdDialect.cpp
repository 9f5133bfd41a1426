// Registration of the id dialect; its types and attributes with their text form.
#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::id;

#include "id/IdDialect.cpp.inc"
#include "id/IdEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "id/IdAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "id/IdTypes.cpp.inc"

void IdDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "id/IdAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "id/IdTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "id/IdOps.cpp.inc"
      >();
}

//===--- shapes -------------------------------------------------------------------------------------------------===//

std::string id::shapeText(ArrayRef<int32_t> radices) {
  if (radices.empty())
    return "1";
  std::string text;
  for (size_t i = radices.size(); i > 0;) {
    int32_t radix = radices[i - 1];
    size_t run = 0;
    while (i > 0 && radices[i - 1] == radix) {
      --i;
      ++run;
    }
    text += (text.empty() ? "" : " * ") + std::to_string(radix);
    if (run > 1)
      text += "**" + std::to_string(run);
  }
  return text;
}

/// shape ::= `1` | factor (`*` factor)*, factor ::= radix (`**` count)?
static ParseResult parseShape(AsmParser &parser, SmallVector<int32_t> &radices) {
  SmallVector<int32_t> highFirst;
  bool more = true;
  while (more) {
    SMLoc loc = parser.getCurrentLocation();
    int64_t radix = 0, count = 1;
    if (parser.parseInteger(radix))
      return failure();
    more = succeeded(parser.parseOptionalStar());
    if (more && succeeded(parser.parseOptionalStar())) {
      if (parser.parseInteger(count))
        return failure();
      more = succeeded(parser.parseOptionalStar());
    }
    if (radix == 1 && highFirst.empty() && !more)
      break;
    if (radix < 2 || radix > std::numeric_limits<int32_t>::max() || count < 0 || count + highFirst.size() > 62)
      return parser.emitError(loc, "expected radices of at least 2 and at most 62 digits");
    highFirst.append(count, static_cast<int32_t>(radix));
  }
  radices.assign(highFirst.rbegin(), highFirst.rend());
  return success();
}

static LogicalResult verifyRadices(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> radices) {
  if (radices.size() > 62)
    return emitError() << "a sequence has at most 62 digits";
  for (int32_t radix : radices)
    if (radix < 2)
      return emitError() << "a digit's radix is at least 2, not " << radix;
  return success();
}

//===--- types --------------------------------------------------------------------------------------------------===//

Type SeqType::parse(AsmParser &parser) {
  SmallVector<int32_t> radices;
  Type element;
  if (parser.parseLess() || parseShape(parser, radices) || parser.parseComma() || parser.parseType(element) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<SeqType>(parser.getContext(), ArrayRef<int32_t>(radices), element);
}

void SeqType::print(AsmPrinter &printer) const {
  printer << "<" << shapeText(getRadices()) << ", " << getElement() << ">";
}

LogicalResult SeqType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> radices, Type) {
  return verifyRadices(emitError, radices);
}

int64_t SeqType::getNumElements() const {
  int64_t n = 1;
  for (int32_t radix : getRadices())
    n *= radix;
  return n;
}

Type TileType::parse(AsmParser &parser) {
  SmallVector<int32_t> radices;
  std::string text;
  Type element;
  if (parser.parseLess() || parseShape(parser, radices) || parser.parseComma() || parser.parseString(&text) ||
      parser.parseComma() || parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(parser.getContext(), ArrayRef<int32_t>(radices), StringRef(text), element);
}

void TileType::print(AsmPrinter &printer) const {
  printer << "<" << shapeText(getRadices()) << ", \"" << getMappingText() << "\", " << getElement() << ">";
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> radices, StringRef text,
                               Type) {
  if (failed(verifyRadices(emitError, radices)))
    return failure();
  digits::Mapping mapping;
  std::string error;
  if (!digits::Mapping::parse(text.str(), std::vector<int>(radices.begin(), radices.end()), mapping, error))
    return emitError() << "mapping: " << error;
  if (std::string problem = mapping.check(); !problem.empty())
    return emitError() << "mapping: " << problem;
  if (std::vector<int> missing = mapping.missing(static_cast<int>(radices.size())); !missing.empty())
    return emitError() << "mapping: no field holds digit " << missing.front();
  return success();
}

digits::Mapping TileType::getMapping() const {
  digits::Mapping mapping;
  std::string error;
  digits::Mapping::parse(getMappingText().str(), std::vector<int>(getRadices().begin(), getRadices().end()), mapping,
                         error);
  return mapping;
}

//===--- attributes ---------------------------------------------------------------------------------------------===//

LaunchAttr LaunchAttr::get(MLIRContext *context, const digits::Launch &launch) {
  return get(context, launch.cluster, launch.team, launch.persistent, launch.dependent, launch.resident);
}

digits::Launch LaunchAttr::getLaunch() const {
  return {getCluster(), getTeam(), getPersistent(), getDependent(), getResident()};
}

ParseResult LaunchAttr::parseWords(AsmParser &parser, LaunchAttr &result) {
  SMLoc loc = parser.getCurrentLocation();
  std::string words, error;
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word))) {
    words += (words.empty() ? "" : " ") + word.str();
    int64_t number;
    OptionalParseResult counted = parser.parseOptionalInteger(number);
    if (counted.has_value() && succeeded(*counted))
      words += " " + std::to_string(number);
  }
  digits::Launch launch;
  if (words.empty())
    return parser.emitError(loc, "expected grid, cluster N, team N, persistent, dependent or resident N");
  if (!digits::Launch::parse(words, launch, error))
    return parser.emitError(loc, error);
  result = get(parser.getContext(), launch);
  return success();
}

Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  LaunchAttr result;
  if (parser.parseLess() || parseWords(parser, result) || parser.parseGreater())
    return {};
  return result;
}

void LaunchAttr::print(AsmPrinter &printer) const { printer << "<" << getLaunch().str() << ">"; }

LogicalResult LaunchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t cluster, int64_t team,
                                 bool persistent, bool dependent, int64_t resident) {
  std::string error = digits::Launch{cluster, team, persistent, dependent, resident}.check();
  if (!error.empty())
    return emitError() << error;
  return success();
}

PermAttr PermAttr::get(MLIRContext *context, const digits::Permutation &permutation) {
  SmallVector<int64_t> places;
  for (int place = permutation.size(); place >= 1; --place)
    places.push_back(permutation.complemented(place) ? -permutation.source(place) : permutation.source(place));
  return get(context, ArrayRef<int64_t>(places));
}

digits::Permutation PermAttr::getPermutation() const {
  int n = static_cast<int>(getPlaces().size());
  std::vector<int> sources;
  for (int64_t digit : llvm::reverse(getPlaces()))
    sources.push_back(static_cast<int>(std::abs(digit)));
  digits::Permutation result = digits::Permutation::fromSources(sources);
  for (int place = 1; place <= n; ++place)
    if (getPlaces()[n - place] < 0)
      result = result.then(digits::Permutation::complement(n, place));
  return result;
}

ParseResult PermAttr::parsePlaces(AsmParser &parser, PermAttr &result) {
  SmallVector<int64_t> places;
  auto place = [&] { return parser.parseInteger(places.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, place))
    return failure();
  result = parser.getChecked<PermAttr>(parser.getContext(), ArrayRef<int64_t>(places));
  return success(static_cast<bool>(result));
}

void PermAttr::printPlaces(AsmPrinter &printer) const {
  printer << "[";
  llvm::interleaveComma(getPlaces(), printer);
  printer << "]";
}

Attribute PermAttr::parse(AsmParser &parser, Type) {
  PermAttr result;
  if (parser.parseLess() || parsePlaces(parser, result) || parser.parseGreater())
    return {};
  return result;
}

void PermAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printPlaces(printer);
  printer << ">";
}

LogicalResult PermAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> places) {
  std::vector<int> sources;
  for (int64_t digit : places) {
    if (digit == 0 || std::abs(digit) > static_cast<int64_t>(places.size()))
      return emitError() << "digit " << digit << " is out of range 1.." << places.size();
    sources.push_back(static_cast<int>(std::abs(digit)));
  }
  if (!digits::Permutation::isBijection(sources))
    return emitError() << "an index map names every digit once";
  return success();
}

PolyAttr PolyAttr::get(MLIRContext *context, const digits::Polynomial &polynomial) {
  SmallVector<int64_t> flat;
  for (const auto &[monomial, coefficient] : polynomial.monomials()) {
    flat.push_back(coefficient);
    flat.push_back(static_cast<int64_t>(monomial.size()));
    flat.append(monomial.begin(), monomial.end());
  }
  return get(context, ArrayRef<int64_t>(flat));
}

digits::Polynomial PolyAttr::getPolynomial() const {
  digits::Polynomial result;
  ArrayRef<int64_t> rest = getFlat();
  while (!rest.empty()) {
    int64_t coefficient = rest[0], degree = rest[1];
    digits::Polynomial::Monomial monomial(rest.begin() + 2, rest.begin() + 2 + degree);
    result = result + digits::Polynomial::term(coefficient, monomial);
    rest = rest.drop_front(2 + degree);
  }
  return result;
}

/// poly ::= term (`+` term)*, term ::= factor (`*` factor)*, factor ::= integer | `t` digit
ParseResult PolyAttr::parseSum(AsmParser &parser, PolyAttr &result) {
  digits::Polynomial sum;
  do {
    int64_t coefficient = 1;
    digits::Polynomial::Monomial monomial;
    do {
      int64_t value = 0;
      OptionalParseResult integer = parser.parseOptionalInteger(value);
      if (integer.has_value()) {
        if (failed(*integer))
          return failure();
        coefficient *= value;
        continue;
      }
      SMLoc loc = parser.getCurrentLocation();
      StringRef name;
      int digit = 0;
      if (parser.parseOptionalKeyword(&name) || !name.consume_front("t") || name.getAsInteger(10, digit) || digit < 1)
        return parser.emitError(loc, "expected an integer or a digit such as t3");
      monomial.push_back(digit);
    } while (succeeded(parser.parseOptionalStar()));
    std::sort(monomial.begin(), monomial.end());
    sum = sum + digits::Polynomial::term(coefficient, monomial);
  } while (succeeded(parser.parseOptionalPlus()));
  result = get(parser.getContext(), sum);
  return success();
}

void PolyAttr::printSum(AsmPrinter &printer) const { printer << getPolynomial().str(); }

Attribute PolyAttr::parse(AsmParser &parser, Type) {
  PolyAttr result;
  if (parser.parseLess() || parseSum(parser, result) || parser.parseGreater())
    return {};
  return result;
}

void PolyAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printSum(printer);
  printer << ">";
}

digits::SharedLayout LayoutAttr::getLayout() const {
  digits::SharedLayout layout;
  layout.padded = getPadded();
  layout.words = getWords();
  for (size_t i = 0; i + 1 < getColumns().size(); i += 2)
    layout.columns.emplace_back(static_cast<int>(getColumns()[i]), static_cast<uint32_t>(getColumns()[i + 1]));
  return layout;
}

//===--- elements -----------------------------------------------------------------------------------------------===//

SmallVector<Type> id::leafTypes(Type element) {
  SmallVector<Type> leaves;
  if (auto record = dyn_cast<RecordType>(element)) {
    for (Type field : record.getFields())
      llvm::append_range(leaves, leafTypes(field));
    return leaves;
  }
  leaves.push_back(element);
  return leaves;
}

static int64_t alignmentOf(Type element) {
  if (auto record = dyn_cast<RecordType>(element)) {
    int64_t alignment = 1;
    for (Type field : record.getFields())
      alignment = std::max(alignment, alignmentOf(field));
    return alignment;
  }
  if (auto complex = dyn_cast<ComplexType>(element))
    return alignmentOf(complex.getElementType());
  return elementBytes(element);
}

static int64_t alignedTo(int64_t offset, int64_t alignment) { return (offset + alignment - 1) / alignment * alignment; }

int64_t id::elementBytes(Type element) {
  return llvm::TypeSwitch<Type, int64_t>(element)
      .Case<RecordType>([](RecordType record) {
        int64_t bytes = 0;
        for (Type field : record.getFields())
          bytes = alignedTo(bytes, alignmentOf(field)) + elementBytes(field);
        return alignedTo(bytes, alignmentOf(record));
      })
      .Case<ComplexType>([](ComplexType complex) { return 2 * elementBytes(complex.getElementType()); })
      .Case<ModType>([](ModType mod) { return mod.getModulus() <= (uint64_t(1) << 32) ? 4 : 8; })
      .Default([](Type scalar) { return (static_cast<int64_t>(scalar.getIntOrFloatBitWidth()) + 7) / 8; });
}

int64_t id::registerBytes(Type element) {
  return llvm::TypeSwitch<Type, int64_t>(element)
      .Case<RecordType>([](RecordType record) {
        int64_t bytes = 0;
        for (Type field : record.getFields())
          bytes += registerBytes(field);
        return bytes;
      })
      .Case<ComplexType>([](ComplexType complex) { return 2 * registerBytes(complex.getElementType()); })
      .Case<ModType>([](ModType mod) { return elementBytes(mod) == 8 ? 12 : 4; })
      .Default([](Type scalar) { return std::max<int64_t>(4, elementBytes(scalar)); });
}

int64_t id::exchangeWordBytes(Type element) {
  int64_t bytes = elementBytes(element);
  Type number;
  int count;
  if (!splitNumbers(element, number, count)) // one number after the other
    return 4;
  return std::clamp<int64_t>(bytes & -bytes, 4, 16);
}

std::vector<int> id::exchangeWordDigits(ExchangeOp exchange) {
  TileType before = exchange.getInput().getType(), after = exchange.getResult().getType();
  int64_t bytes = elementBytes(before.getElement());
  if (bytes != (bytes & -bytes) || !exchange.isOfBits())
    return {};
  int most = 0;
  while (bytes << most < exchangeWordBytes(before.getElement()))
    ++most;
  return digits::commonRegisterDigits(before.getMapping(), after.getMapping(), most);
}

bool id::splitNumbers(Type element, Type &number, int &count) {
  number = {};
  count = 0;
  for (Type leaf : leafTypes(element)) {
    auto complex = dyn_cast<ComplexType>(leaf);
    Type own = complex ? complex.getElementType() : leaf;
    if (isa<ModType>(own))
      own = IntegerType::get(element.getContext(), static_cast<unsigned>(8 * elementBytes(own)));
    if (own.isInteger(1) || (number && elementBytes(number) != elementBytes(own)))
      return false;
    if (number && number != own)
      own = IntegerType::get(element.getContext(), static_cast<unsigned>(8 * elementBytes(own)));
    number = own;
    count += complex ? 2 : 1;
  }
  return count > 0;
}

SmallVector<int64_t> id::leafOffsets(Type element) {
  auto record = dyn_cast<RecordType>(element);
  if (!record)
    return {0};
  SmallVector<int64_t> offsets;
  int64_t start = 0;
  for (Type field : record.getFields()) {
    start = alignedTo(start, alignmentOf(field));
    for (int64_t offset : leafOffsets(field))
      offsets.push_back(start + offset);
    start += elementBytes(field);
  }
  return offsets;
}

ArrayRef<int32_t> id::radicesOf(Type data) {
  if (auto tile = dyn_cast<TileType>(data))
    return tile.getRadices();
  return cast<SeqType>(data).getRadices();
}

bool id::areBits(ArrayRef<int32_t> radices) {
  return llvm::all_of(radices, [](int32_t radix) { return radix == 2; });
}

Type id::elementOf(Type data) {
  if (auto tile = dyn_cast<TileType>(data))
    return tile.getElement();
  return cast<SeqType>(data).getElement();
}

#include "Programs.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace idc;
using namespace idc::test;

frontend::SizeMap LibraryProgram::everySize(int64_t number) const {
  frontend::SizeMap result;
  for (const std::string &name : sizes)
    result[name] = lengths.empty() ? number : lengths[static_cast<size_t>(number) % lengths.size()];
  return result;
}

std::optional<frontend::SizeMap> LibraryProgram::sizesFor(int64_t bits, const std::string &type) const {
  uint64_t prime = 0;
  if (roots && !llvm::StringRef(type).drop_front(4).drop_back().getAsInteger(10, prime) &&
      (prime - 1) % (uint64_t(1) << (bits + *roots)))
    return std::nullopt;
  frontend::SizeMap result;
  int64_t left = bits / digitBits;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t share = left / static_cast<int64_t>(sizes.size() - i);
    left -= share;
    if (lengths.empty())
      result[sizes[i]] = share;
    for (int64_t length : lengths)
      if (length <= int64_t(1) << share)
        result[sizes[i]] = length;
    if (!result.count(sizes[i]))
      return std::nullopt; // all are longer
  }
  return result;
}

frontend::TypeMap LibraryProgram::typesFor(const std::string &type) const {
  frontend::TypeMap result;
  for (const std::string &name : variables)
    result[name] = type;
  return result;
}

static std::vector<std::string> strings(const llvm::json::Array *array, std::vector<std::string> otherwise = {}) {
  if (!array)
    return otherwise;
  std::vector<std::string> result;
  for (const llvm::json::Value &value : *array)
    result.push_back(value.getAsString().value().str());
  return result;
}

static std::map<std::string, std::string> texts(const llvm::json::Object *object) {
  std::map<std::string, std::string> result;
  if (object)
    for (const auto &[name, text] : *object)
      result[name.str()] = text.getAsString().value().str();
  return result;
}

static LibraryProgram parse(const llvm::json::Object &object, const llvm::json::Object &types) {
  LibraryProgram program;
  program.file = object.getString("file").value().str();
  program.name = object.getString("name").value().str();
  program.sizes = strings(object.getArray("sizes"), {"n"});
  program.variables = strings(object.getArray("variables"), {"T"});
  program.types = strings(types.getArray(object.getString("types").value()));
  program.unsuitable = strings(types.getArray(object.getString("unsuitable").value()));
  if (const llvm::json::Array *lengths = object.getArray("lengths"))
    for (const llvm::json::Value &length : *lengths)
      program.lengths.push_back(length.getAsInteger().value());
  program.digitBits = object.getInteger("digitBits").value_or(1);
  program.distributions = texts(object.getObject("random"));
  if (const llvm::json::Object *scalars = object.getObject("scalars"))
    for (const auto &[name, value] : *scalars)
      program.scalars[name.str()] = value.getAsNumber().value();
  program.roots = object.getInteger("roots");
  program.accuracy = object.getNumber("accuracy").value_or(16);
  return program;
}

const std::vector<LibraryProgram> &test::libraryPrograms() {
  static const std::vector<LibraryProgram> programs = [] {
    auto text = llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(IDC_LIBRARY_LIST)));
    llvm::json::Value list = llvm::cantFail(llvm::json::parse(text->getBuffer()));
    const llvm::json::Object &object = *list.getAsObject();
    std::vector<LibraryProgram> result;
    for (const llvm::json::Value &program : *object.getArray("programs"))
      result.push_back(parse(*program.getAsObject(), *object.getObject("types")));
    return result;
  }();
  return programs;
}

#include "compiler/codegen/Library.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::codegen;

void codegen::describe(const frontend::Program &program, const frontend::Function &declaration,
                       LibraryFunction &function) {
  function.entry = program.entry;
  function.types = program.types;
  function.documentation = declaration.doc;
  for (const auto &[size, value] : program.sizes)
    function.sizes.push_back(size);
  auto declared = [&](llvm::StringRef name) -> std::string {
    for (const frontend::Param &param : declaration.params)
      if (param.name.text == name.split('.').first)
        return frontend::printType(*param.type);
    return {};
  };
  auto elementOf = [&](int value) { return frontend::spellStructure(*program.values[value].element); };
  for (const frontend::Parameter &input : program.inputs)
    function.inputs.push_back({input.name, elementOf(input.value), declared(input.name)});
  for (const frontend::ScalarParameter &scalar : program.scalars)
    function.scalars.push_back({scalar.name, frontend::spellStructure(*scalar.type), declared(scalar.name)});
  for (auto [i, value] : llvm::enumerate(program.outputs))
    function.outputs.push_back({"y" + std::to_string(i), elementOf(value),
                                i < declaration.results.size() ? frontend::printType(*declaration.results[i]) : ""});
}

std::string codegen::libraryManifest(const Library &library) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("idc", 1);
    json.attribute("library", library.name);
    json.attributeArray("functions", [&] {
      for (const LibraryFunction &function : library.functions)
        json.object([&] {
          json.attribute("name", function.name);
          json.attributeArray("sizes", [&] {
            for (const std::string &size : function.sizes)
              json.value(size);
          });
          json.attributeArray("instances", [&] {
            for (const LibraryInstance &instance : function.instances)
              json.rawValue(llvm::StringRef(instance.manifest).rtrim());
          });
        });
    });
  });
  stream << '\n';
  return text;
}

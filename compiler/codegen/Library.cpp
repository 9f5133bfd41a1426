#include "compiler/codegen/Library.h"

#include "compiler/codegen/ManifestWriter.h"

#include "host/NamedValues.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::codegen;

/// What a manifest's operand says about the planes of an array, and the request about its layout.
static void describeLayout(const llvm::json::Value &operand, const frontend::TypeRef &element,
                           llvm::ArrayRef<std::string> layouts, LibraryParameter &parameter) {
  const llvm::json::Object *layout = operand.getAsObject()->getObject("layout");
  if (!layout)
    return;
  for (const std::string &option : layouts)
    if (const auto [name, properties] = host::namedValue(option); name == parameter.name)
      parameter.layout = properties;
  parameter.alignment = *layout->getInteger("alignment");
  const llvm::json::Array *planes = layout->getArray("planes");
  if (!planes)
    return;
  std::vector<std::string> types; // of numbers
  for (const frontend::TypeRef &leaf : frontend::leaves(element)) {
    const bool complex = leaf->kind == frontend::Type::Kind::Complex;
    types.insert(types.end(), complex ? 2 : 1, frontend::spell(complex ? *leaf->element : *leaf));
  }
  for (auto [plane, type] : llvm::zip(*planes, types))
    parameter.planes.emplace_back(parameter.name + "." + plane.getAsObject()->getString("name")->str(), type);
}

void codegen::describe(const frontend::Program &program, const frontend::Function &declaration,
                       const std::string &manifest, const std::vector<std::string> &layouts,
                       LibraryFunction &function) {
  const llvm::json::Value described = cantFail(llvm::json::parse(manifest));
  auto operand = [&](const char *side, size_t i) -> const llvm::json::Value & {
    return (*described.getAsObject()->getArray(side))[i];
  };
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
  for (auto [i, input] : llvm::enumerate(program.inputs)) {
    function.inputs.push_back({input.name, elementOf(input.value), declared(input.name)});
    describeLayout(operand("inputs", i), program.values[input.value].element, layouts, function.inputs.back());
  }
  for (const frontend::ScalarParameter &scalar : program.scalars) {
    function.scalars.push_back({scalar.name, frontend::spellStructure(*scalar.type), declared(scalar.name)});
    for (const frontend::Requirement &required : scalar.required)
      function.scalars.back().required.insert(required.message);
  }
  for (auto [i, value] : llvm::enumerate(program.outputs)) {
    function.outputs.push_back({"y" + std::to_string(i), elementOf(value),
                                i < declaration.results.size() ? frontend::printType(*declaration.results[i]) : ""});
    describeLayout(operand("outputs", i), program.values[value].element, layouts, function.outputs.back());
  }
}

void codegen::addGroup(const std::vector<std::string> &distributions, LibraryFunction &function) {
  function.hasGroup = true;
  function.sizes.insert(function.sizes.begin(), devicesName);
  for (std::vector<LibraryParameter> *side : {&function.inputs, &function.outputs})
    for (LibraryParameter &array : *side) {
      array.distribution = "top";
      for (const std::string &distribution : distributions)
        if (const auto [name, digits] = host::namedValue(distribution); name == array.name)
          array.distribution = digits;
    }
}

std::string codegen::libraryManifest(const Library &library) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  json.object([&] {
    json.attribute("idc", manifestVersion);
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

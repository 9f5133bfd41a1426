#include "compiler/codegen/Signature.h"

#include "compiler/frontend/Elaborate.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;

/// The lengths of a declared type's dimensions. What is no integer of sizes and constants alone leaves one dimension.
static llvm::json::Array shapeOf(const frontend::TypeExpr *type, const frontend::Sequence &sequence,
                                 const frontend::Source &source, const frontend::SizeMap &sizes) {
  int64_t elements = 1, product = 1;
  for (int radix : sequence.radices)
    elements *= radix;
  llvm::json::Array shape;
  frontend::Diagnostics unseen;
  if (type)
    for (const frontend::Dimension &dimension : type->dimensions) {
      std::optional<int64_t> length = frontend::evaluateSize(source, *dimension.length, sizes, "a length", unseen);
      product *= length.value_or(0);
      shape.push_back(length.value_or(0));
    }
  return type && product == elements ? std::move(shape) : llvm::json::Array{elements};
}

std::string codegen::signature(const frontend::Program &program, const frontend::Function &declaration,
                               const frontend::Source &source) {
  frontend::SizeMap sizes(program.sizes.begin(), program.sizes.end());
  llvm::json::Object sizeObject, typeObject;
  for (const auto &[name, value] : program.sizes)
    sizeObject[name] = value;
  for (const auto &[name, type] : program.types)
    typeObject[name] = type;
  auto array = [&](const std::string &name, int value, const frontend::TypeExpr *type) {
    return llvm::json::Object{{"name", name},
                              {"type", frontend::spellStructure(*program.values[value].element)},
                              {"shape", shapeOf(type, program.values[value], source, sizes)}};
  };
  llvm::json::Array inputs, scalars, outputs;
  for (const frontend::Parameter &input : program.inputs) {
    const frontend::TypeExpr *type = nullptr;
    for (const frontend::Param &param : declaration.params)
      if (param.name.text == input.name)
        type = param.type.get();
    inputs.push_back(array(input.name, input.value, type));
  }
  for (const frontend::ScalarParameter &scalar : program.scalars)
    scalars.push_back(llvm::json::Object{{"name", scalar.name}, {"type", frontend::spellStructure(*scalar.type)}});
  for (size_t i = 0; i < program.outputs.size(); ++i)
    outputs.push_back(array("y" + std::to_string(i), program.outputs[i],
                            i < declaration.results.size() ? declaration.results[i].get() : nullptr));
  llvm::json::Object all{{"entry", program.entry},         {"sizes", std::move(sizeObject)},
                         {"types", std::move(typeObject)}, {"inputs", std::move(inputs)},
                         {"scalars", std::move(scalars)},  {"outputs", std::move(outputs)}};
  return llvm::formatv("{0}", llvm::json::Value(std::move(all))).str();
}

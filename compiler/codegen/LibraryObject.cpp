// The object of a library: its images, the tables that the runtime reads (idc/library.h), and the functions of its
// header, which pass their arguments on to the runtime.
#include "compiler/codegen/HostObject.h"
#include "compiler/codegen/LibrarySignature.h"

#include "idc/library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace idc;
using namespace idc::codegen;

namespace {

class ObjectWriter {
public:
  explicit ObjectWriter(const Library &library) : library(library), module(library.name, context), builder(context) {}

  llvm::Expected<std::string> write();

private:
  llvm::Constant *number(int64_t value, unsigned bits = 64) {
    return llvm::ConstantInt::get(builder.getIntNTy(bits), uint64_t(value), /*isSigned=*/true);
  }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(builder.getPtrTy()); }
  /// A constant with no name of its own; its address.
  llvm::Constant *data(llvm::Constant *value, uint64_t alignment = 8);
  llvm::Constant *text(llvm::StringRef text, bool terminated = true, uint64_t alignment = 1) {
    return data(llvm::ConstantDataArray::getString(context, text, terminated), alignment);
  }
  llvm::Constant *array(llvm::Type *type, const std::vector<llvm::Constant *> &values) {
    return values.empty() ? null() : data(llvm::ConstantArray::get(llvm::ArrayType::get(type, values.size()), values));
  }
  llvm::Constant *strings(const std::vector<std::string> &values);
  llvm::Constant *instance(const LibraryInstance &instance);
  llvm::GlobalVariable *table(const LibraryFunction &function);

  llvm::Function *define(const std::string &name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);
  llvm::CallInst *call(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *pack(llvm::Type *type, llvm::ArrayRef<llvm::Value *> values);
  llvm::Type *typeOf(const CParameter &parameter);
  void defineLaunch(const LibraryFunction &function, llvm::Value *table);
  void defineOthers(const LibraryFunction &function, llvm::Value *table);

  const Library &library;
  llvm::LLVMContext context;
  llvm::Module module;
  llvm::IRBuilder<> builder;
};

llvm::Constant *ObjectWriter::data(llvm::Constant *value, uint64_t alignment) {
  auto *global = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                          llvm::GlobalValue::PrivateLinkage, value, "data");
  global->setAlignment(llvm::Align(alignment));
  return global;
}

llvm::Constant *ObjectWriter::strings(const std::vector<std::string> &values) {
  std::vector<llvm::Constant *> pointers;
  for (const std::string &value : values)
    pointers.push_back(text(value));
  return array(builder.getPtrTy(), pointers);
}

/// An idc_library_instance.
llvm::Constant *ObjectWriter::instance(const LibraryInstance &instance) {
  std::vector<llvm::Constant *> kernels;
  for (const std::string &name : instance.kernels) {
    llvm::FunctionCallee kernel = module.getOrInsertFunction(
        name, llvm::FunctionType::get(
                  builder.getVoidTy(),
                  {builder.getPtrTy(), builder.getInt64Ty(), builder.getInt64Ty(), builder.getInt64Ty()}, false));
    llvm::cast<llvm::Function>(kernel.getCallee())->setVisibility(llvm::GlobalValue::HiddenVisibility);
    kernels.push_back(llvm::cast<llvm::Function>(kernel.getCallee()));
  }
  const uint64_t checksum = llvm::xxh3_64bits(instance.image) + llvm::xxh3_64bits(instance.manifest);
  constexpr uint64_t imageAlignment = 16; // what the driver expects of a fatbin
  return llvm::ConstantStruct::getAnon(
      {instance.image.empty() ? null() : text(instance.image, /*terminated=*/false, imageAlignment),
       number(int64_t(instance.image.size())), text(instance.manifest, /*terminated=*/false),
       number(int64_t(instance.manifest.size())), number(int64_t(checksum)), array(builder.getPtrTy(), kernels),
       number(int64_t(kernels.size())), number(instance.workspaceFixedBytes),
       number(instance.workspaceBytesPerProblem)});
}

/// An idc_library.
llvm::GlobalVariable *ObjectWriter::table(const LibraryFunction &function) {
  std::vector<llvm::Constant *> points, instances;
  for (const std::vector<int64_t> &point : function.points)
    for (int64_t value : point)
      points.push_back(number(value));
  for (const LibraryInstance &each : function.instances)
    instances.push_back(instance(each));
  llvm::Constant *value = llvm::ConstantStruct::getAnon(
      {number(IDC_LIBRARY_ABI, 32), number(int64_t(function.sizes.size()), 32),
       number(int64_t(library.targets.size()), 32), number(int64_t(function.points.size()), 32), text(function.name),
       strings(function.sizes), strings(library.targets), array(builder.getInt64Ty(), points),
       array(instances.front()->getType(), instances), null()});
  auto *global = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/false,
                                          llvm::GlobalValue::InternalLinkage, value, function.name + ".library");
  global->setAlignment(llvm::Align(8));
  return global;
}

llvm::Function *ObjectWriter::define(const std::string &name, llvm::Type *result,
                                     llvm::ArrayRef<llvm::Type *> parameters) {
  auto *function = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false),
                                          llvm::GlobalValue::ExternalLinkage, name, module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  return function;
}

llvm::CallInst *ObjectWriter::call(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments) {
  std::vector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  return builder.CreateCall(module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
}

/// The address of an array on the stack that holds the values; null for none.
llvm::Value *ObjectWriter::pack(llvm::Type *type, llvm::ArrayRef<llvm::Value *> values) {
  if (values.empty())
    return null();
  llvm::Value *array = builder.CreateAlloca(llvm::ArrayType::get(type, values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    builder.CreateStore(value, builder.CreateConstGEP1_64(type, array, i));
  return array;
}

llvm::Type *ObjectWriter::typeOf(const CParameter &parameter) {
  if (parameter.type.back() == '*' || parameter.role == CParameter::Role::Progress)
    return builder.getPtrTy();
  if (parameter.type == "float")
    return builder.getFloatTy();
  if (parameter.type == "double")
    return builder.getDoubleTy();
  unsigned bits = 0;                                                                // int32_t, uint8_t
  llvm::StringRef rest = llvm::StringRef(parameter.type).drop_until(llvm::isDigit); // "32_t"
  rest.consumeInteger(10, bits);
  return builder.getIntNTy(bits);
}

void ObjectWriter::defineLaunch(const LibraryFunction &function, llvm::Value *table) {
  std::vector<CParameter> parameters = signature(function);
  std::vector<llvm::Type *> types;
  for (const CParameter &parameter : parameters)
    types.push_back(typeOf(parameter));
  llvm::Function *launch = define(function.name, builder.getInt32Ty(), types);
  std::vector<llvm::Value *> sizes, inputs, scalars, outputs;
  llvm::Value *group = nullptr, *batch = nullptr, *stream = nullptr;
  std::vector<llvm::Value *> last; // workspace; memory, progress and its user
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    llvm::Value *argument = launch->getArg(unsigned(i));
    switch (parameter.role) {
    case CParameter::Role::Group:
      group = argument;
      sizes.push_back(builder.CreateSExt(call("idc_group_size", builder.getInt32Ty(), {group}), builder.getInt64Ty()));
      break;
    case CParameter::Role::Size:
      sizes.push_back(argument);
      break;
    case CParameter::Role::Batch:
      batch = argument;
      break;
    case CParameter::Role::Input:
      inputs.push_back(argument);
      break;
    case CParameter::Role::Output:
      outputs.push_back(argument);
      break;
    case CParameter::Role::Scalar:
      // Values are passed by address, the parts of a complex one beside each other.
      if (parameter.part == 0)
        scalars.push_back(builder.CreateAlloca(llvm::ArrayType::get(argument->getType(), 2)));
      builder.CreateStore(argument, builder.CreateConstGEP1_64(argument->getType(), scalars.back(), parameter.part));
      break;
    case CParameter::Role::Workspace:
    case CParameter::Role::Memory:
    case CParameter::Role::MemoryBytes:
    case CParameter::Role::Progress:
    case CParameter::Role::User:
      last.push_back(argument);
      break;
    case CParameter::Role::Stream:
      stream = argument;
      break;
    }
  }
  llvm::Type *pointer = builder.getPtrTy();
  std::vector<llvm::Value *> arguments{table,
                                       pack(builder.getInt64Ty(), sizes),
                                       batch,
                                       pack(pointer, inputs),
                                       pack(pointer, scalars),
                                       pack(pointer, outputs)};
  llvm::append_range(arguments, last);
  arguments.push_back(stream);
  if (group)
    arguments.insert(arguments.begin() + 1, group);
  builder.CreateRet(call(group             ? "idc_library_group_launch"
                         : function.isHost ? "idc_library_host_launch"
                                           : "idc_library_launch",
                         builder.getInt32Ty(), arguments));
}

void ObjectWriter::defineOthers(const LibraryFunction &function, llvm::Value *table) {
  llvm::Type *i32 = builder.getInt32Ty(), *i64 = builder.getInt64Ty(), *pointer = builder.getPtrTy();
  std::vector<llvm::Type *> sizeTypes(function.sizes.size(), i64), withBatch(function.sizes.size() + 1, i64);
  auto sizes = [&](llvm::Function *in) {
    std::vector<llvm::Value *> values;
    for (size_t i = 0; i < function.sizes.size(); ++i)
      values.push_back(in->getArg(unsigned(i)));
    return pack(i64, values);
  };
  llvm::Function *workspace = define(function.name + "_workspace_size", i64, withBatch);
  builder.CreateRet(call("idc_library_workspace_size", i64,
                         {table, sizes(workspace), workspace->getArg(unsigned(function.sizes.size()))}));
  if (function.isHost) {
    llvm::Function *memory = define(function.name + "_memory_size", i64, sizeTypes);
    builder.CreateRet(call("idc_library_memory_size", i64, {table, sizes(memory)}));
  }
  llvm::Function *supported = define(function.name + "_supported", i32, sizeTypes);
  builder.CreateRet(call("idc_library_supported", i32, {table, sizes(supported)}));
  define(function.name + "_load", i32, {});
  builder.CreateRet(call("idc_library_load", i32, {table}));
  llvm::Function *unload = define(function.name + "_unload", builder.getVoidTy(), {});
  call("idc_library_unload", builder.getVoidTy(), {table});
  builder.CreateRetVoid();
  // When the program ends or the shared library that it is part of is closed.
  llvm::appendToGlobalDtors(module, unload, /*Priority=*/65535);
  llvm::Function *message = define(function.name + "_message", pointer, {i32});
  builder.CreateRet(call("idc_message", pointer, {message->getArg(0)}));
}

llvm::Expected<std::string> ObjectWriter::write() {
  for (const LibraryFunction &function : library.functions) {
    llvm::GlobalVariable *own = table(function);
    defineLaunch(function, own);
    defineOthers(function, own);
  }
  new llvm::GlobalVariable(module, builder.getInt8Ty(), /*isConstant=*/true, llvm::GlobalValue::ExternalLinkage,
                           number(0, 8), interfaceSymbol(library));
  return hostObject(module);
}

} // namespace

llvm::Expected<std::string> codegen::libraryObject(const Library &library) { return ObjectWriter(library).write(); }

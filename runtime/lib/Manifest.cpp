//===- Manifest.cpp - how a module's kernels are launched -----------------===//

#include "Manifest.h"

#include "Checksum.h"
#include "idc/runtime.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

using nlohmann::json;

namespace idc::runtime {

namespace {

constexpr int newestVersion = 2;
constexpr int64_t operandAlignment = IDC_POINTER_ALIGNMENT;
constexpr int64_t maxInt64 = std::numeric_limits<int64_t>::max();
constexpr int64_t maxInt32 = std::numeric_limits<int32_t>::max();

/// A JSON value together with where it stands, so that messages can say so.
class Field {
public:
  Field(const json &value, std::string path) : value(value), path(std::move(path)) {}

  [[noreturn]] void error(const std::string &what) const { throw ManifestError("manifest: " + path + " " + what); }

  std::optional<Field> find(const char *key) const {
    if (!value.is_object())
      error(std::string("must be an object, not ") + value.type_name());
    auto found = value.find(key);
    std::string sub = path == "the document" ? key : path + "." + key;
    if (found == value.end() || found->is_null())
      return std::nullopt;
    return Field(*found, std::move(sub));
  }
  Field get(const char *key) const {
    if (std::optional<Field> field = find(key))
      return *field;
    error(std::string("lacks the field '") + key + "'");
  }

  std::string string() const {
    if (!value.is_string())
      error(std::string("must be a string, not ") + value.type_name());
    std::string text = value.get<std::string>();
    if (text.empty() || text.find('\0') != std::string::npos)
      error("must be a string that is not empty and holds no zero character");
    return text;
  }
  int64_t integer(int64_t least, int64_t most) const {
    if (!value.is_number_integer())
      error(std::string("must be an integer, not ") + value.type_name());
    bool fits = !value.is_number_unsigned() || value.get<uint64_t>() <= uint64_t(maxInt64);
    int64_t number = fits ? value.get<int64_t>() : 0;
    if (!fits || number < least || number > most)
      error("is " + value.dump() + ", outside " + std::to_string(least) + " .. " + std::to_string(most));
    return number;
  }
  long double number() const {
    if (value.is_number_integer())
      return static_cast<long double>(integer(std::numeric_limits<int64_t>::min(), maxInt64));
    if (!value.is_number())
      error(std::string("must be a number, not ") + value.type_name());
    return value.get<double>();
  }
  bool boolean() const {
    if (!value.is_boolean())
      error(std::string("must be true or false, not ") + value.type_name());
    return value.get<bool>();
  }
  std::vector<Field> array() const {
    if (!value.is_array())
      error(std::string("must be an array, not ") + value.type_name());
    std::vector<Field> result;
    for (size_t i = 0; i < value.size(); ++i)
      result.emplace_back(value[i], path + "[" + std::to_string(i) + "]");
    return result;
  }

private:
  const json &value;
  std::string path;
};

int64_t parseAlignment(const Field &field) {
  const int64_t alignment = field.integer(1, operandAlignment);
  if (alignment & (alignment - 1))
    field.error("must be a power of two");
  return alignment;
}

void parseLayout(const Field &field, Operand &operand) {
  operand.sizes.clear(), operand.strides.clear();
  int64_t elements = 1, last = 0;
  const int64_t most = maxInt64 / operand.elementBytes;
  std::vector<Field> sizes = field.get("sizes").array(), strides = field.get("strides").array();
  if (sizes.size() != strides.size())
    field.error("has " + std::to_string(sizes.size()) + " sizes and " + std::to_string(strides.size()) + " strides");
  for (size_t i = 0; i < sizes.size(); ++i) {
    operand.sizes.push_back(sizes[i].integer(1, operand.elements / elements));
    elements *= operand.sizes.back();
    int64_t room = operand.sizes.back() > 1 ? (most - last) / (operand.sizes.back() - 1) : most;
    operand.strides.push_back(strides[i].integer(1, room));
    last += (operand.sizes.back() - 1) * operand.strides.back();
  }
  if (elements != operand.elements)
    field.get("sizes").error("hold " + std::to_string(elements) + " elements, not " + std::to_string(operand.elements));
  operand.offset = field.get("offset").integer(0, most - last);
  operand.batchStride = field.get("batch").integer(0, most);
  operand.alignment = parseAlignment(field.get("alignment"));
  if (std::optional<Field> problems = field.find("mostProblems")) // absent: any number
    operand.mostProblems = problems->integer(1, maxInt64);
  if (std::optional<Field> planes = field.find("planes")) { // absent: one of whole elements
    operand.planes.clear();
    for (const Field &plane : planes->array())
      operand.planes.push_back(
          {operand.name + "." + plane.get("name").string(), plane.get("bytes").integer(1, operand.elementBytes)});
    if (operand.planes.empty())
      planes->error("must not be empty");
  }
}

/// `side` has the operands before it.
Operand parseOperand(const Field &field, const std::vector<Operand> &side) {
  Operand operand;
  operand.name = field.get("name").string();
  operand.type = field.get("type").string();
  operand.elementBytes = field.get("elementBytes").integer(1, maxInt32);
  operand.elements = field.get("elements").integer(1, maxInt64 / operand.elementBytes);
  operand.sizes = {operand.elements};
  operand.strides = {1};
  operand.batchStride = operand.elements;
  operand.alignment = operandAlignment;
  operand.planes = {{operand.name, operand.elementBytes}};
  if (std::optional<Field> layout = field.find("layout")) // absent: dense
    parseLayout(*layout, operand);
  if (std::optional<Field> alignment = field.find("alignment")) // absent: as the layout says
    operand.alignment = parseAlignment(*alignment);
  if (std::optional<Field> digits = field.find("devices")) { // absent: each has all of it
    int64_t whole = operand.elements;
    const std::vector<Field> listed = digits->array();
    for (const Field &digit : listed)
      whole *= digit.get("radix").integer(2, maxInt64 / operand.elementBytes / whole);
    for (const Field &digit : listed) {
      const int64_t radix = digit.get("radix").integer(2, whole);
      operand.deviceDigits.push_back({digit.get("below").integer(1, whole / radix), radix});
    }
    std::reverse(operand.deviceDigits.begin(), operand.deviceDigits.end());
  }
  for (size_t i = 0; i < operand.sizes.size(); ++i)
    operand.span += (operand.sizes[i] - 1) * operand.strides[i];
  if (!side.empty())
    operand.firstPointer = side.back().firstPointer + int32_t(side.back().planes.size());
  return operand;
}

Operand parseOutput(const Field &field, const Manifest &manifest) {
  Operand output = parseOperand(field, manifest.outputs);
  if (std::optional<Field> inPlace = field.find("inPlace")) // absent: none
    for (const Field &input : inPlace->array()) {
      output.inPlace.push_back(int32_t(input.integer(0, int64_t(manifest.inputs.size()) - 1)));
      const Operand &other = manifest.inputs[size_t(output.inPlace.back())];
      if (other.bytesPerProblem() != output.bytesPerProblem() || other.planes.size() != output.planes.size())
        input.error("names an input of another size");
    }
  return output;
}

/// Types whose scalars may have requirements, with their bytes.
constexpr std::pair<const char *, int64_t> comparedTypes[] = {{"bool", 1}, {"i8", 1},  {"u8", 1},  {"i16", 2},
                                                              {"u16", 2},  {"i32", 4}, {"u32", 4}, {"i64", 8},
                                                              {"u64", 8},  {"f32", 4}, {"f64", 8}};

Requirement parseRequirement(const Field &field) {
  Requirement required;
  required.is = field.get("is").string();
  constexpr const char *known[] = {"<", "<=", ">", ">=", "==", "!="};
  if (std::find(std::begin(known), std::end(known), required.is) == std::end(known))
    field.get("is").error("must be one of <, <=, >, >=, ==, !=");
  required.number = field.get("number").number();
  required.message = field.get("message").string();
  return required;
}

Scalar parseScalar(const Field &field) {
  Scalar scalar;
  scalar.name = field.get("name").string();
  scalar.type = field.get("type").string();
  scalar.bytes = field.get("bytes").integer(1, maxInt32);
  if (std::optional<Field> required = field.find("required")) { // absent: nothing
    for (const Field &each : required->array())
      scalar.required.push_back(parseRequirement(each));
    auto isOf = [&](const std::pair<const char *, int64_t> &type) {
      return scalar.type == type.first && scalar.bytes == type.second;
    };
    if (std::none_of(std::begin(comparedTypes), std::end(comparedTypes), isOf))
      required->error("must be of an integer, bool, f32 or f64");
  }
  return scalar;
}

/// The number among the pointers of all operands of one side.
int32_t pointerNumber(const Field &number, const Field &argument, const std::vector<Operand> &side) {
  const Operand &operand = side[size_t(number.integer(0, int64_t(side.size()) - 1))];
  std::optional<Field> plane = argument.find("plane"); // absent: the first
  return operand.firstPointer + (plane ? int32_t(plane->integer(0, int64_t(operand.planes.size()) - 1)) : 0);
}

Argument parseArgument(const Field &field, const Manifest &manifest) {
  std::optional<Field> input = field.find("input"), output = field.find("output"), scalar = field.find("scalar"),
                       workspace = field.find("workspace"), batch = field.find("batch"),
                       ownDevice = field.find("ownDevice"), meeting = field.find("meeting"),
                       report = field.find("report"), launched = field.find("launched");
  if (input.has_value() + output.has_value() + scalar.has_value() + workspace.has_value() + batch.has_value() +
          ownDevice.has_value() + meeting.has_value() + report.has_value() + launched.has_value() !=
      1)
    field.error("must have exactly one of 'input', 'output', 'scalar', 'workspace', 'batch', 'ownDevice', 'meeting', "
                "'report' and 'launched'");
  for (const std::optional<Field> &several : {ownDevice, meeting, report, launched})
    if (several && manifest.devices == 1)
      several->error("is of programs for several devices, and this one is for 1");
  Argument argument;
  if (std::optional<Field> device = field.find("device")) // absent: the one that runs the kernel
    argument.device = int32_t(device->integer(0, manifest.devices - 1));
  if (input) {
    argument.kind = Argument::Kind::Input;
    argument.operand = pointerNumber(*input, field, manifest.inputs);
  } else if (output) {
    argument.kind = Argument::Kind::Output;
    argument.operand = pointerNumber(*output, field, manifest.outputs);
  } else if (scalar) {
    argument.kind = Argument::Kind::Scalar;
    argument.operand = int32_t(scalar->integer(0, int64_t(manifest.scalars.size()) - 1));
    int64_t bytes = manifest.scalars[argument.operand].bytes;
    argument.offset = field.get("offset").integer(0, bytes - 1);
    argument.bytes = field.get("bytes").integer(1, std::min(maxArgumentBytes, bytes - argument.offset));
  } else if (workspace) {
    argument.kind = Argument::Kind::Workspace;
    argument.offset = workspace->integer(0, manifest.workspaceFixedBytes);
    if (std::optional<Field> perProblem = field.find("perProblem"))
      argument.bytesPerProblem = perProblem->integer(0, manifest.workspaceBytesPerProblem);
  } else if (ownDevice) {
    argument.kind = Argument::Kind::Device;
  } else if (meeting) {
    argument.kind = Argument::Kind::Meeting;
    argument.device = int32_t(meeting->integer(0, manifest.devices - 1));
  } else if (report) {
    argument.kind = Argument::Kind::Report;
  } else if (launched) {
    argument.kind = Argument::Kind::Launched;
  }
  return argument;
}

/// What version 1 has in the place of 'persistent' and 'dependent'.
void parseKind(const Field &field, Kernel &kernel) {
  std::string kind = field.string();
  if (kind == "tickets" || kind == "cooperative")
    kernel.persistent = true;
  else if (kind == "dependent-launch")
    kernel.dependent = true;
  else if (kind != "plain" && kind != "cluster")
    field.error("is '" + kind + "', not one of plain, cluster, tickets, cooperative, dependent-launch");
}

bool parseFlag(const Field &field, const char *name) {
  std::optional<Field> flag = field.find(name); // absent: false
  return flag && flag->boolean();
}

Kernel parseKernel(const Field &field, const Manifest &manifest) {
  Kernel kernel;
  kernel.name = field.get("name").string();
  kernel.problemsPerBlockGroup = field.get("problemsPerBlockGroup").integer(1, maxInt64);
  kernel.blocksPerGroup = field.get("blocksPerGroup").integer(1, maxGridBlocks);
  if (!manifest.isCpu()) {
    if (manifest.version == 1)
      parseKind(field.get("kind"), kernel);
    kernel.persistent |= parseFlag(field, "persistent");
    kernel.dependent = kernel.dependent || parseFlag(field, "dependent");
    kernel.threads = int32_t(field.get("threads").integer(1, 1024));
    kernel.cluster = int32_t(field.get("cluster").integer(1, 16));
    kernel.sharedBytes = int32_t(field.get("sharedBytes").integer(0, maxInt32));
    if (std::optional<Field> passes = field.find("passes")) { // absent: one
      kernel.passes = passes->integer(1, 2);
      kernel.delay = field.get("delay").integer(0, maxGridBlocks / 4);
    }
    if (std::optional<Field> team = field.find("team")) { // absent: one
      kernel.team = team->integer(1, maxGridBlocks);
      if (kernel.team > 1 && kernel.cluster > 1)
        team->error("is for kernels without clusters");
      if (kernel.blocksPerGroup % kernel.team)
        field.get("blocksPerGroup").error("must be a multiple of 'team'");
    }
    if (std::optional<Field> anyGrid = field.find("anyGrid")) // absent: none
      kernel.anyGrid = anyGrid->string();
    if (kernel.blocksPerGroup % kernel.cluster)
      field.get("blocksPerGroup").error("must be a multiple of 'cluster'");
  }
  std::vector<Field> arguments = field.get("args").array();
  if (arguments.size() > size_t(maxKernelArguments))
    field.get("args").error("has more than " + std::to_string(maxKernelArguments) + " entries");
  for (const Field &argument : arguments)
    kernel.arguments.push_back(parseArgument(argument, manifest));
  return kernel;
}

/// Workspace and kernels.
void parseKernels(const Field &field, Manifest &manifest) {
  Field workspace = field.get("workspace");
  manifest.workspaceBytesPerProblem = workspace.get("bytesPerProblem").integer(0, maxInt64);
  manifest.workspaceFixedBytes = workspace.get("fixedBytes").integer(0, maxInt64);
  if (std::optional<Field> zeroed = workspace.find("zeroedBytes")) // absent: none
    manifest.workspaceZeroedBytes = zeroed->integer(0, manifest.workspaceFixedBytes);
  if (manifest.memoryBytes)
    return;
  Field kernels = field.get("kernels");
  for (const Field &kernel : kernels.array())
    manifest.kernels.push_back(parseKernel(kernel, manifest));
  if (manifest.kernels.empty())
    kernels.error("must not be empty");
}

/// Which array of the program an operand of a pass is a part of.
HostPlace parseHostPlace(const Field &field, const Operand &operand, const Manifest &program) {
  HostPlace place;
  int64_t bytes = 0;
  auto named = [&](const Field &number, const std::vector<Operand> &side, HostPlace::Kind kind) {
    place.kind = kind;
    place.operand = int32_t(number.integer(0, int64_t(side.size()) - 1));
    bytes = side[size_t(place.operand)].bytesPerProblem();
  };
  if (std::optional<Field> input = field.find("input")) {
    named(*input, program.inputs, HostPlace::Kind::Input);
  } else if (std::optional<Field> output = field.find("output")) {
    named(*output, program.outputs, HostPlace::Kind::Output);
  } else {
    place.kind = HostPlace::Kind::Workspace;
    place.offset = field.get("workspace").integer(0, program.workspaceBytesPerProblem);
    bytes = program.workspaceBytesPerProblem - place.offset;
  }
  if (std::optional<Field> reached = field.find("reached")) // absent: it is copied
    place.isReached = reached->boolean();
  if (place.isReached && !operand.deviceDigits.empty())
    field.error("must not be reached, of chunks");
  int64_t whole = operand.bytesPerProblem();
  for (const Operand::DeviceDigit &digit : operand.deviceDigits)
    if (__builtin_mul_overflow(whole, digit.radix, &whole))
      field.error("is too large");
  // A program's array may be the beginning of the operand, but not of a much longer one.
  if (place.kind == HostPlace::Kind::Workspace || place.isReached ? whole > bytes : whole / 2 > bytes)
    field.error("has " + std::to_string(bytes) + " bytes, fewer than the operand's " + std::to_string(whole));
  return place;
}

Pass parsePass(const Field &field, const Manifest &program) {
  constexpr int64_t mostChunks = int64_t(1) << 30;
  Pass pass;
  Manifest &kernels = pass.kernels;
  kernels.version = program.version;
  kernels.entry = program.entry;
  kernels.symbol = program.symbol;
  kernels.target = program.target;
  kernels.scalars = program.scalars;
  if (std::optional<Field> devices = field.find("devices")) // absent: one
    kernels.devices = int32_t(devices->integer(1, mostChunks));
  for (const Field &input : field.get("inputs").array()) {
    kernels.inputs.push_back(parseOperand(input, kernels.inputs));
    pass.inputs.push_back(parseHostPlace(input.get("host"), kernels.inputs.back(), program));
  }
  for (const Field &output : field.get("outputs").array()) {
    kernels.outputs.push_back(parseOutput(output, kernels));
    pass.outputs.push_back(parseHostPlace(output.get("host"), kernels.outputs.back(), program));
  }
  parseKernels(field, kernels);
  for (const Kernel &kernel : kernels.kernels)
    for (const Argument &argument : kernel.arguments)
      if (argument.kind == Argument::Kind::Meeting || argument.kind == Argument::Kind::Report || argument.device >= 0)
        field.get("kernels").error("must not reach what other chunks have");
  if (std::optional<Field> cpu = field.find("cpu")) { // absent: the GPU works on all chunks
    pass.cpuChunks = int32_t(cpu->get("chunks").integer(1, kernels.devices));
    pass.cpu = kernels;
    pass.cpu.target = "cpu";
    pass.cpu.kernels.clear();
    parseKernels(*cpu, pass.cpu);
    for (const Kernel &kernel : pass.cpu.kernels)
      if (kernel.problemsPerBlockGroup != 1 || kernel.blocksPerGroup % kernels.devices)
        cpu->get("kernels").error("must have as many blocks for each chunk");
    if (pass.cpu.workspaceBytes(1) > program.workspaceFixedBytes)
      cpu->get("workspace").error("is larger than the program's of fixed size");
  }
  return pass;
}

} // namespace

Manifest parseManifest(std::string_view text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error &error) {
    throw ManifestError("manifest: not valid JSON at byte " + std::to_string(error.byte));
  } catch (const json::out_of_range &) {
    throw ManifestError("manifest: a number in it is too large");
  }
  Field root(document, "the document");
  Field version = root.get("idc");
  Manifest manifest;
  manifest.checksum = checksum(nullptr, 0, text.data(), int64_t(text.size()));
  manifest.version = version.integer(0, maxInt64);
  if (manifest.version < 1 || manifest.version > newestVersion)
    version.error("is version " + std::to_string(manifest.version) + "; this runtime reads versions 1 to " +
                  std::to_string(newestVersion));

  manifest.entry = root.get("entry").string();
  manifest.symbol = root.get("symbol").string();
  manifest.target = root.get("target").string();
  if (std::optional<Field> devices = root.find("devices")) // absent: one
    manifest.devices = int32_t(devices->integer(1, mostDevices));
  for (const Field &input : root.get("inputs").array())
    manifest.inputs.push_back(parseOperand(input, manifest.inputs));
  // Absent in manifests of programs that have none.
  if (std::optional<Field> scalars = root.find("scalars"))
    for (const Field &scalar : scalars->array())
      manifest.scalars.push_back(parseScalar(scalar));
  Field outputs = root.get("outputs");
  for (const Field &output : outputs.array())
    manifest.outputs.push_back(parseOutput(output, manifest));
  if (manifest.outputs.empty())
    outputs.error("must not be empty");
  std::optional<Field> memory = root.find("memory"); // absent: operands lie on the device
  if (memory)
    manifest.memoryBytes = memory->integer(1, maxInt64);
  parseKernels(root, manifest);
  if (memory) {
    Field passes = root.get("passes");
    for (const Field &pass : passes.array())
      manifest.passes.push_back(parsePass(pass, manifest));
    if (manifest.passes.empty())
      passes.error("must not be empty");
  }
  return manifest;
}

bool Requirement::holds(long double value) const {
  return is == "<"    ? value < number
         : is == "<=" ? value <= number
         : is == ">"  ? value > number
         : is == ">=" ? value >= number
         : is == "==" ? value == number
                      : value != number;
}

template <class Number> static long double read(const void *value) {
  Number number;
  std::memcpy(&number, value, sizeof(number));
  return static_cast<long double>(number);
}

long double Scalar::at(const void *value) const {
  if (type[0] == 'f')
    return bytes == 4 ? read<float>(value) : read<double>(value);
  if (type[0] == 'i')
    return bytes == 1   ? read<int8_t>(value)
           : bytes == 2 ? read<int16_t>(value)
           : bytes == 4 ? read<int32_t>(value)
                        : read<int64_t>(value);
  return bytes == 1   ? read<uint8_t>(value)
         : bytes == 2 ? read<uint16_t>(value)
         : bytes == 4 ? read<uint32_t>(value)
                      : read<uint64_t>(value);
}

} // namespace idc::runtime

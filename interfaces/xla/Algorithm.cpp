#include "interfaces/xla/Algorithm.h"

#include "interfaces/compiled/Failure.h"
#include "interfaces/compiled/Scratch.h"
#include "interfaces/compiled/Target.h"

using namespace idc::interfaces;
using namespace idc::xla;

Algorithm::Algorithm(idc_request *request, const void *const *scalars)
    : request(request, idc_request_destroy), scalars(scalars) {}

const idc_module *Algorithm::moduleFor(Place place) {
  void *const context = place == Place::Gpu ? currentContext() : nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Function> &function = functions[context];
  if (!function) {
    check(idc_request_target(request.get(), place == Place::Gpu ? targetOfDevice().c_str() : "cpu"));
    function = std::make_unique<Function>(request.get());
  }
  return function->module();
}

/// Throws where a function of XLA's fails. What its error says is read in another way by each version.
static void check(const Functions &functions, Error *error, idc_status status, const char *message) {
  if (!error)
    return;
  ErrorEnd end;
  end.error = error;
  functions.destroyError(&end);
  throw Failure(status, message);
}

/// Memory on the device of a call for its kernels, which are enqueued before it is given back.
class DeviceMemory {
public:
  DeviceMemory(const Call &call, int64_t bytes) : call(call), bytes(size_t(bytes)) {
    if (!bytes)
      return;
    AllocateArguments arguments;
    arguments.context = call.context;
    arguments.bytes = this->bytes;
    arguments.alignment = IDC_POINTER_ALIGNMENT;
    check(*call.functions, call.functions->allocate(&arguments), IDC_ERROR_OUT_OF_MEMORY,
          "XLA has no memory for the workspace of a launch");
    memory = arguments.memory;
  }
  DeviceMemory(const DeviceMemory &) = delete;
  ~DeviceMemory() {
    if (!memory)
      return;
    FreeArguments arguments;
    arguments.context = call.context;
    arguments.bytes = bytes;
    arguments.memory = memory;
    call.functions->free(&arguments);
  }
  void *data() const { return memory; }

private:
  const Call &call;
  const size_t bytes;
  void *memory = nullptr;
};

static int64_t elements(const Buffer &buffer) {
  int64_t product = 1;
  for (int64_t i = 0; i < buffer.rank; ++i)
    product *= buffer.lengths[i];
  return product;
}

/// The pointers of arrays, each of which has to hold so many problems. -1: as many as it holds.
template <typename Describe>
static std::vector<void *> pointers(const Buffers &buffers, int32_t expected, Describe describe, int64_t &problems) {
  if (buffers.count != expected)
    throw Failure(IDC_ERROR_INVALID_ARGUMENT, "the algorithm has another number of arguments or results");
  std::vector<void *> result;
  for (int32_t i = 0; i < expected; ++i) {
    const Buffer &buffer = *buffers.buffers[i];
    idc_operand operand;
    check(describe(i, operand));
    const int64_t count = elements(buffer);
    if (problems < 0)
      problems = count / operand.elements;
    if (count != problems * operand.elements)
      throw Failure(IDC_ERROR_INVALID_ARGUMENT,
                    "the array of '" + std::string(operand.name) + "' does not fit the batch");
    result.push_back(buffer.data);
  }
  return result;
}

void Algorithm::run(const Call &call, Place place) {
  const idc_module *module = moduleFor(place);
  int64_t problems = -1, bytes = 0;
  std::vector<void *> results = pointers(
      call.results, idc_output_count(module),
      [&](int32_t i, idc_operand &operand) { return idc_output(module, i, &operand); }, problems);
  std::vector<void *> arguments = pointers(
      call.arguments, idc_input_count(module),
      [&](int32_t i, idc_operand &operand) { return idc_input(module, i, &operand); }, problems);
  check(idc_workspace_size(module, problems, &bytes));
  if (place == Place::Cpu) {
    const Scratch workspace("cpu", bytes);
    check(idc_launch(module, problems, arguments.data(), scalars, results.data(), workspace.data(), nullptr));
    return;
  }
  StreamArguments stream;
  stream.context = call.context;
  check(*call.functions, call.functions->stream(&stream), IDC_ERROR_DRIVER, "XLA has no stream for a launch");
  const DeviceMemory workspace(call, bytes);
  check(idc_launch(module, problems, arguments.data(), scalars, results.data(), workspace.data(), stream.stream));
}

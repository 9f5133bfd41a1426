#include "interfaces/compiled/Program.h"

#include "interfaces/compiled/Failure.h"

using namespace idc::interfaces;

Function::Function(const idc_request *request) {
  const idc_status status = idc_compile(request, &result);
  if (status != IDC_SUCCESS) {
    idc_diagnostic diagnostic;
    const bool said = idc_result_diagnostic(result, 0, &diagnostic) == IDC_SUCCESS;
    const std::string text = said ? diagnostic.text : idc_message(status);
    idc_result_destroy(result);
    throw Failure(status, text);
  }
  if (const idc_status failed = idc_result_load(result, &loaded)) {
    const std::string text = idc_message(failed);
    idc_result_destroy(result);
    throw Failure(failed, text);
  }
}

Function::~Function() {
  idc_module_unload(loaded);
  idc_result_destroy(result);
}

static int misalignment(const void *pointer) {
  return int(reinterpret_cast<uintptr_t>(pointer) % IDC_POINTER_ALIGNMENT);
}

Program::Program(ProgramRequest request, std::vector<ProgramArray> inputs, std::vector<ProgramArray> outputs)
    : request(std::move(request)), inputs(std::move(inputs)), outputs(std::move(outputs)),
      aligned(make(std::vector<int>(this->inputs.size() + this->outputs.size(), 0))) {}

/// An array that begins some bytes behind a multiple of 16 is one with an offset that begins there.
std::unique_ptr<Function> Program::make(const std::vector<int> &misalignments) const {
  idc_request *raw;
  check(idc_request_create(&raw));
  std::unique_ptr<idc_request, decltype(&idc_request_destroy)> owner(raw, idc_request_destroy);
  check(idc_request_text(raw, request.text.data(), request.text.size(), "text"));
  check(idc_request_entry(raw, request.entry.c_str()));
  check(idc_request_target(raw, request.target.c_str()));
  if (!request.plan.empty())
    check(idc_request_plan(raw, request.plan.c_str()));
  for (const std::string &setting : request.settings)
    check(idc_request_set(raw, setting.c_str()));
  check(idc_request_in_place(raw, request.inPlace));
  size_t number = 0;
  for (const std::vector<ProgramArray> *side : {&inputs, &outputs})
    for (const ProgramArray &array : *side) {
      const int beyond = misalignments[number++];
      if (beyond % array.elementBytes)
        throw Failure(IDC_ERROR_UNSUPPORTED,
                      "the pointer to '" + array.name + "' is no multiple of an element's bytes");
      std::string layout = array.layout;
      if (beyond)
        layout += (layout.empty() ? "" : ",") + ("offset:" + std::to_string(beyond / array.elementBytes));
      if (!layout.empty())
        check(idc_request_layout(raw, (array.name + "=" + layout).c_str()));
    }
  return std::make_unique<Function>(raw);
}

void Program::run(int64_t problems, void *const *in, void *const *out, void *workspace, void *stream) const {
  bool whole = true;
  int pointers[2] = {0, 0};
  for (const std::vector<ProgramArray> *side : {&inputs, &outputs})
    for (const ProgramArray &array : *side)
      pointers[side == &outputs] += array.planes;
  if (request.target != "cpu") {
    for (int i = 0; i < pointers[0]; ++i)
      whole = whole && misalignment(in[i]) == 0;
    for (int i = 0; i < pointers[1]; ++i)
      whole = whole && misalignment(out[i]) == 0;
  }
  if (whole) {
    check(idc_launch(aligned->module(), problems, in, nullptr, out, workspace, stream));
    return;
  }
  std::vector<int> beyond;
  void *moved[2][most];
  for (const std::vector<ProgramArray> *side : {&inputs, &outputs}) {
    void *const *given = side == &outputs ? out : in;
    int first = 0;
    for (const ProgramArray &array : *side) {
      beyond.push_back(misalignment(given[first]));
      for (int i = first; i < first + array.planes; ++i) {
        if (misalignment(given[i]) != beyond.back())
          throw Failure(IDC_ERROR_UNSUPPORTED,
                        "the planes of '" + array.name + "' begin at different distances from multiples of 16 bytes");
        moved[side == &outputs][i] = static_cast<char *>(given[i]) - beyond.back();
      }
      first += array.planes;
    }
  }
  const idc_module *module;
  {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<Function> &function = others[beyond];
    if (!function)
      function = make(beyond);
    module = function->module();
  }
  check(idc_launch(module, problems, moved[0], nullptr, moved[1], workspace, stream));
}

int64_t Program::workspaceBytes(int64_t problems) const {
  int64_t bytes = 0;
  check(idc_workspace_size(aligned->module(), problems, &bytes));
  return bytes;
}

bool Program::worksInPlace(int input, int output) const { return idc_in_place(aligned->module(), input, output); }

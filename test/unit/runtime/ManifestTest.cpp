//===- ManifestTest.cpp - reading and checking manifests ------------------===//

#include "lib/Manifest.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace idc::runtime;

namespace {

const std::string valid = R"({"idc": 1, "entry": "fft", "symbol": "fft_n12_f32", "sizes": {"n": 12},
  "types": {"T": "f32"}, "target": "sm_90", "plan": "throughput",
  "inputs": [{"name": "x", "type": "complex<f32>", "elementBytes": 8, "elements": 4096}],
  "outputs": [{"name": "y0", "type": "complex<f32>", "elementBytes": 8, "elements": 4096}],
  "workspace": {"bytesPerProblem": 32768, "fixedBytes": 256},
  "kernels": [{"name": "fft_k0", "kind": "cluster", "threads": 256, "cluster": 2, "problemsPerBlockGroup": 3,
    "blocksPerGroup": 4, "sharedBytes": 65536, "registers": null, "spillBytes": 0, "localBytes": 0,
    "args": [{"input": 0}, {"output": 0}, {"workspace": 256, "perProblem": 16}, {"batch": true}]}]})";

/// `valid` with the first occurrence of a text replaced.
std::string with(const std::string &from, const std::string &to) {
  std::string text = valid;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &json) {
  try {
    parseManifest(json);
  } catch (const ManifestError &error) {
    return error.what();
  }
  return "no error";
}

TEST(Manifest, HoldsAllFields) {
  Manifest manifest = parseManifest(valid);
  EXPECT_EQ(manifest.entry, "fft");
  EXPECT_EQ(manifest.symbol, "fft_n12_f32");
  EXPECT_EQ(manifest.target, "sm_90");
  EXPECT_FALSE(manifest.isCpu());
  ASSERT_EQ(manifest.inputs.size(), 1u);
  EXPECT_EQ(manifest.inputs[0].name, "x");
  EXPECT_EQ(manifest.inputs[0].type, "complex<f32>");
  EXPECT_EQ(manifest.inputs[0].bytesPerProblem(), 32768);
  ASSERT_EQ(manifest.kernels.size(), 1u);
  const Kernel &kernel = manifest.kernels[0];
  EXPECT_EQ(kernel.name, "fft_k0");
  EXPECT_FALSE(kernel.persistent || kernel.dependent || kernel.fitsDevice());
  EXPECT_EQ(kernel.threads, 256);
  EXPECT_EQ(kernel.cluster, 2);
  EXPECT_EQ(kernel.sharedBytes, 65536);
  ASSERT_EQ(kernel.arguments.size(), 4u);
  EXPECT_EQ(kernel.arguments[0].kind, Argument::Kind::Input);
  EXPECT_EQ(kernel.arguments[1].kind, Argument::Kind::Output);
  EXPECT_EQ(kernel.arguments[2].kind, Argument::Kind::Workspace);
  EXPECT_EQ(kernel.arguments[2].offset, 256);
  EXPECT_EQ(kernel.arguments[2].bytesPerProblem, 16);
  EXPECT_EQ(kernel.arguments[3].kind, Argument::Kind::Batch);
}

TEST(Manifest, Scalars) {
  const std::string scalars = R"("scalars": [{"name": "w", "type": "complex<f32>", "bytes": 8}], "outputs")";
  auto withArgument = [&](const std::string &argument) {
    std::string text = with("\"outputs\"", scalars);
    return text.replace(text.find("{\"batch\""), 0, argument + ", ");
  };
  Manifest manifest = parseManifest(withArgument(R"({"scalar": 0, "offset": 4, "bytes": 4})"));
  ASSERT_EQ(manifest.scalars.size(), 1u);
  EXPECT_EQ(manifest.scalars[0].name, "w");
  EXPECT_EQ(manifest.scalars[0].type, "complex<f32>");
  EXPECT_EQ(manifest.scalars[0].bytes, 8);
  const Argument &argument = manifest.kernels[0].arguments[3];
  EXPECT_EQ(argument.kind, Argument::Kind::Scalar);
  EXPECT_EQ(argument.operand, 0);
  EXPECT_EQ(argument.offset, 4);
  EXPECT_EQ(argument.bytes, 4);
  EXPECT_EQ(errorOf(withArgument(R"({"scalar": 1, "offset": 0, "bytes": 4})")),
            "manifest: kernels[0].args[3].scalar is 1, outside 0 .. 0");
  EXPECT_EQ(errorOf(withArgument(R"({"scalar": 0, "offset": 8, "bytes": 4})")),
            "manifest: kernels[0].args[3].offset is 8, outside 0 .. 7");
  EXPECT_EQ(errorOf(withArgument(R"({"scalar": 0, "offset": 4, "bytes": 8})")),
            "manifest: kernels[0].args[3].bytes is 8, outside 1 .. 4");
  EXPECT_EQ(errorOf(withArgument(R"({"scalar": 0, "batch": true})")),
            "manifest: kernels[0].args[3] must have exactly one of 'input', 'output', 'scalar', 'workspace', 'batch', "
            "'ownDevice', 'meeting', 'report' and 'launched'");
  for (const char *several : {"meeting", "report", "launched", "ownDevice"})
    EXPECT_EQ(errorOf(withArgument(std::string("{\"") + several + "\": 0}")),
              std::string("manifest: kernels[0].args[3].") + several +
                  " is of programs for several devices, and this one is for 1");
}

TEST(Manifest, RequiredScalars) {
  auto withScalar = [](const std::string &type, const std::string &required) {
    return with("\"outputs\"",
                R"("scalars": [{"name": "w", )" + type + R"(, "required": [)" + required + R"(]}], "outputs")");
  };
  const std::string bytes = R"("type": "u8", "bytes": 1)", real = R"("type": "f64", "bytes": 8)",
                    least = R"({"is": ">=", "number": 2, "message": "m"})";
  const Scalar scalar = parseManifest(withScalar(bytes, least)).scalars[0];
  ASSERT_EQ(scalar.required.size(), 1u);
  const unsigned char two = 2, most = 255, one = 1;
  EXPECT_TRUE(scalar.required[0].holds(scalar.at(&two)));
  EXPECT_TRUE(scalar.required[0].holds(scalar.at(&most)));
  EXPECT_FALSE(scalar.required[0].holds(scalar.at(&one)));
  const Scalar half = parseManifest(withScalar(real, R"({"is": "<", "number": 0.5, "message": "m"})")).scalars[0];
  const double below = 0.25, notANumber = std::nan("");
  EXPECT_TRUE(half.required[0].holds(half.at(&below)));
  EXPECT_FALSE(half.required[0].holds(half.at(&notANumber)));
  EXPECT_EQ(errorOf(withScalar(bytes, R"({"is": "=", "number": 2, "message": "m"})")),
            "manifest: scalars[0].required[0].is must be one of <, <=, >, >=, ==, !=");
  EXPECT_EQ(errorOf(withScalar(bytes, R"({"is": "<", "number": "2", "message": "m"})")),
            "manifest: scalars[0].required[0].number must be a number, not string");
  EXPECT_EQ(errorOf(withScalar(R"("type": "f16", "bytes": 2)", least)),
            "manifest: scalars[0].required must be of an integer, bool, f32 or f64");
  EXPECT_EQ(errorOf(withScalar(R"("type": "i32", "bytes": 2)", least)),
            "manifest: scalars[0].required must be of an integer, bool, f32 or f64");
}

TEST(Manifest, InPlace) {
  const std::string outputs = R"("outputs": [{)";
  EXPECT_FALSE(parseManifest(valid).outputs[0].takesPlaceOf(0));
  EXPECT_TRUE(parseManifest(with(outputs, outputs + R"("inPlace": [0], )")).outputs[0].takesPlaceOf(0));
  EXPECT_EQ(errorOf(with(outputs, outputs + R"("inPlace": [1], )")),
            "manifest: outputs[0].inPlace[0] is 1, outside 0 .. 0");
  std::string smaller = with(outputs, outputs + R"("inPlace": [0], )");
  smaller.replace(smaller.find("\"elements\": 4096"), 16, "\"elements\": 2048");
  EXPECT_EQ(errorOf(smaller), "manifest: outputs[0].inPlace[0] names an input of another size");
}

TEST(Manifest, Layouts) {
  const std::string outputs = R"("outputs": [{)";
  auto laidOut = [&](const std::string &fields) { return with(outputs, outputs + "\"layout\": {" + fields + "}, "); };
  const std::string strides = R"("sizes": [64, 64], "strides": [100, 1], "offset": 3, "batch": 6400, "alignment": 16)";
  Operand dense = parseManifest(valid).outputs[0];
  EXPECT_EQ(dense.place(2, 5), 2 * 4096 + 5);
  EXPECT_EQ(dense.reach(2), 2 * 4096);
  EXPECT_EQ(dense.planes.size(), 1u);
  Operand rows = parseManifest(laidOut(strides)).outputs[0];
  EXPECT_EQ(rows.place(2, 64 * 7 + 5), 3 + 2 * 6400 + 700 + 5);
  EXPECT_EQ(rows.reach(2), 6400 + 63 * 100 + 64);
  EXPECT_EQ(rows.reach(std::numeric_limits<int64_t>::max() / 6400), -1);
  const std::string planes =
      R"(, "planes": [{"name": "re", "bytes": 4}, {"name": "im", "bytes": 4}], "mostProblems": 7)";
  std::string planar = laidOut(strides + planes);
  planar.replace(planar.find("{\"output\": 0}"), 13, "{\"output\": 0}, {\"output\": 0, \"plane\": 1}");
  Manifest manifest = parseManifest(planar);
  EXPECT_EQ(manifest.outputs[0].mostProblems, 7);
  EXPECT_EQ(manifest.outputs[0].planes.at(1).name, "y0.im");
  EXPECT_EQ(manifest.kernels[0].arguments[1].operand, 0);
  EXPECT_EQ(manifest.kernels[0].arguments[2].operand, 1);
  EXPECT_EQ(errorOf(laidOut(R"("sizes": [64, 32], "strides": [100, 1], "offset": 3, "batch": 1, "alignment": 16)")),
            "manifest: outputs[0].layout.sizes hold 2048 elements, not 4096");
  EXPECT_EQ(errorOf(laidOut(R"("sizes": [4096], "strides": [100, 1], "offset": 3, "batch": 1, "alignment": 16)")),
            "manifest: outputs[0].layout has 1 sizes and 2 strides");
  EXPECT_EQ(
      errorOf(laidOut(R"("sizes": [4096], "strides": [0], "offset": 3, "batch": 1, "alignment": 16)")).substr(0, 54),
      "manifest: outputs[0].layout.strides[0] is 0, outside 1");
  EXPECT_EQ(dense.alignment, 16);
  EXPECT_EQ(parseManifest(with(outputs, outputs + "\"alignment\": 4, ")).outputs[0].alignment, 4);
  EXPECT_EQ(errorOf(with(outputs, outputs + "\"alignment\": 32, ")),
            "manifest: outputs[0].alignment is 32, outside 1 .. 16");
  EXPECT_EQ(errorOf(with(outputs, outputs + "\"alignment\": 12, ")),
            "manifest: outputs[0].alignment must be a power of two");
  EXPECT_EQ(errorOf(with("{\"output\": 0}", R"({"output": 0, "plane": 1})")),
            "manifest: kernels[0].args[1].plane is 1, outside 0 .. 0");
}

TEST(Manifest, GridRoundsGroupsUp) {
  Kernel kernel = parseManifest(valid).kernels[0];
  EXPECT_EQ(kernel.blocks(0), 0);
  EXPECT_EQ(kernel.blocks(1), 4);
  EXPECT_EQ(kernel.blocks(3), 4);
  EXPECT_EQ(kernel.blocks(4), 8);
  EXPECT_EQ(kernel.blocks(std::numeric_limits<int64_t>::max()), -1);
  kernel.problemsPerBlockGroup = kernel.blocksPerGroup = 1;
  EXPECT_EQ(kernel.blocks(maxGridBlocks), maxGridBlocks);
  EXPECT_EQ(kernel.blocks(maxGridBlocks + 1), -1);
}

TEST(Manifest, WorkspaceGrowsWithTheBatch) {
  Manifest manifest = parseManifest(valid);
  EXPECT_EQ(manifest.workspaceBytes(0), 256);
  EXPECT_EQ(manifest.workspaceBytes(10), 256 + 327680);
  EXPECT_EQ(manifest.workspaceBytes(std::numeric_limits<int64_t>::max() / 32768 + 1), -1);
}

TEST(Manifest, IgnoresUnknownFields) { EXPECT_EQ(errorOf(with("\"entry\"", "\"later\": [1], \"entry\"")), "no error"); }

TEST(Manifest, CpuKernelsNeedNoLaunchFields) {
  EXPECT_EQ(errorOf(with("\"sm_90\"", "\"cpu\"")), "no error");
  std::string text = with("\"sm_90\"", "\"cpu\"");
  std::string gpuFields = R"("kind": "cluster", "threads": 256, "cluster": 2, )";
  text.erase(text.find(gpuFields), gpuFields.size());
  EXPECT_EQ(errorOf(text), "no error");
}

TEST(Manifest, PassesAndZeroedBytes) {
  Manifest manifest = parseManifest(with("\"fixedBytes\": ", "\"zeroedBytes\": 4, \"fixedBytes\": "));
  EXPECT_EQ(manifest.workspaceZeroedBytes, 4);
  int64_t once = manifest.kernels[0].blocks(3);
  Manifest twice = parseManifest(with("\"cluster\": 2", "\"cluster\": 2, \"passes\": 2, \"delay\": 5"));
  EXPECT_EQ(twice.workspaceZeroedBytes, 0);
  EXPECT_EQ(twice.kernels[0].blocks(3), 2 * (once + 5));
  EXPECT_EQ(twice.kernels[0].blocks(maxGridBlocks), -1);
}

TEST(Manifest, Teams) {
  auto withTeam = [](const std::string &cluster, const std::string &team) {
    return with("\"cluster\": 2", "\"cluster\": " + cluster + ", \"team\": " + team);
  };
  const Manifest manifest = parseManifest(withTeam("1", "4, \"anyGrid\": \"k0_any\""));
  EXPECT_EQ(manifest.kernels[0].anyGrid, "k0_any");
  EXPECT_EQ(manifest.kernels[0].largestGrid(11), 8);
  EXPECT_EQ(manifest.kernels[0].largestGrid(3), 3);
  EXPECT_EQ(manifest.kernels[0].team, 4);
  EXPECT_TRUE(manifest.kernels[0].fitsDevice());
  EXPECT_EQ(parseManifest(valid).kernels[0].team, 1);
  EXPECT_EQ(errorOf(withTeam("2", "4")), "manifest: kernels[0].team is for kernels without clusters");
  EXPECT_EQ(errorOf(withTeam("1", "3")), "manifest: kernels[0].blocksPerGroup must be a multiple of 'team'");
}

TEST(Manifest, WaysToLaunch) {
  const std::string newer = with("\"idc\": 1", "\"idc\": 2");
  auto kernelOf = [&](const std::string &fields) {
    std::string text = newer;
    const std::string old = "\"kind\": \"cluster\"";
    return parseManifest(text.replace(text.find(old), old.size(), fields)).kernels[0];
  };
  EXPECT_FALSE(kernelOf("\"persistent\": false").fitsDevice());
  EXPECT_TRUE(kernelOf("\"persistent\": true").fitsDevice());
  EXPECT_TRUE(kernelOf("\"persistent\": true, \"dependent\": true").dependent);
  EXPECT_FALSE(kernelOf("\"kind\": \"dependent-launch\"").dependent) << "version 2 has no kinds";
  auto ofKind = [](const std::string &kind) {
    return parseManifest(with("\"kind\": \"cluster\"", "\"kind\": \"" + kind + "\"")).kernels[0];
  };
  EXPECT_TRUE(ofKind("tickets").persistent);
  EXPECT_TRUE(ofKind("cooperative").fitsDevice());
  EXPECT_TRUE(ofKind("dependent-launch").dependent);
  EXPECT_FALSE(ofKind("plain").persistent || ofKind("plain").dependent);
}

TEST(Manifest, ErrorsNameTheFieldAndTheCause) {
  EXPECT_EQ(errorOf("{"), "manifest: not valid JSON at byte 2");
  EXPECT_EQ(errorOf(""), "manifest: not valid JSON at byte 1");
  EXPECT_EQ(errorOf("{\"idc\": 1e999}"), "manifest: a number in it is too large");
  EXPECT_EQ(errorOf("[]"), "manifest: the document must be an object, not array");
  EXPECT_EQ(errorOf("{}"), "manifest: the document lacks the field 'idc'");
  EXPECT_EQ(errorOf(with("\"idc\": 1", "\"idc\": 3")),
            "manifest: idc is version 3; this runtime reads versions 1 to 2");
  EXPECT_EQ(errorOf(with("\"idc\": 1", "\"idc\": \"1\"")), "manifest: idc must be an integer, not string");
  EXPECT_EQ(errorOf(with("\"entry\": \"fft\", ", "")), "manifest: the document lacks the field 'entry'");
  EXPECT_EQ(errorOf(with("\"entry\": \"fft\"", "\"entry\": 7")), "manifest: entry must be a string, not number");
  EXPECT_EQ(errorOf(with("\"elements\": 4096", "\"elements\": 1.5")),
            "manifest: inputs[0].elements must be an integer, not number");
  EXPECT_EQ(errorOf(with("\"elementBytes\": 8", "\"elementBytes\": 0")),
            "manifest: inputs[0].elementBytes is 0, outside 1 .. 2147483647");
  EXPECT_EQ(errorOf(with("\"elements\": 4096", "\"elements\": 18446744073709551615")),
            "manifest: inputs[0].elements is 18446744073709551615, outside 1 .. 1152921504606846975");
  EXPECT_EQ(errorOf(with("\"threads\": 256", "\"threads\": 2048")),
            "manifest: kernels[0].threads is 2048, outside 1 .. 1024");
  EXPECT_EQ(errorOf(with("\"cluster\": 2", "\"cluster\": 3")),
            "manifest: kernels[0].blocksPerGroup must be a multiple of 'cluster'");
  EXPECT_EQ(errorOf(with("\"kind\": \"cluster\"", "\"kind\": \"odd\"")),
            "manifest: kernels[0].kind is 'odd', not one of plain, cluster, tickets, cooperative, dependent-launch");
  EXPECT_EQ(errorOf(with("{\"input\": 0}", "{\"input\": 1}")),
            "manifest: kernels[0].args[0].input is 1, outside 0 .. 0");
  EXPECT_EQ(errorOf(with("{\"input\": 0}", "{\"input\": 0, \"output\": 0}")),
            "manifest: kernels[0].args[0] must have exactly one of 'input', 'output', 'scalar', 'workspace', 'batch', "
            "'ownDevice', 'meeting', 'report' and 'launched'");
  EXPECT_EQ(errorOf(with("\"workspace\": 256", "\"workspace\": 257")),
            "manifest: kernels[0].args[2].workspace is 257, outside 0 .. 256");
  EXPECT_EQ(errorOf(valid.substr(0, valid.find("\"kernels\"")) + "\"kernels\": []}"),
            "manifest: kernels must not be empty");
}

TEST(Manifest, DeepNestingIsNoProblem) {
  EXPECT_NE(errorOf(std::string(200000, '[')), "no error");
  EXPECT_NE(errorOf(std::string(200000, '[') + std::string(200000, ']')), "no error");
}

TEST(Manifest, LimitsTheNumberOfArguments) {
  std::string many;
  for (int i = 0; i < maxKernelArguments; ++i)
    many += "{\"batch\": true}, ";
  EXPECT_EQ(errorOf(with("{\"input\": 0}", many + "{\"input\": 0}")),
            "manifest: kernels[0].args has more than 4095 entries");
}

} // namespace

//===- NoDriverTest.cpp - a machine without a GPU -------------------------===//

#include "host/Error.h"
#include "host/Memory.h"
#include "idc/runtime.h"

#include <gtest/gtest.h>
#include <string>

namespace {

class NoDriver : public ::testing::Test {
protected:
  void SetUp() override {
    if (idc_device_available() == IDC_SUCCESS)
      GTEST_SKIP() << "this machine has a GPU";
  }
};

const std::string manifest = R"({"idc": 1, "entry": "f", "symbol": "f", "target": "sm_90",
  "inputs": [], "outputs": [{"name": "y0", "type": "f32", "elementBytes": 4, "elements": 4}],
  "workspace": {"bytesPerProblem": 0, "fixedBytes": 0},
  "kernels": [{"name": "k", "kind": "plain", "threads": 32, "cluster": 1, "problemsPerBlockGroup": 1,
               "blocksPerGroup": 1, "sharedBytes": 0, "args": [{"output": 0}]}]})";

bool missing(idc_status status) { return status == IDC_ERROR_NO_DRIVER || status == IDC_ERROR_NO_DEVICE; }

TEST_F(NoDriver, EveryDeviceFunctionSaysSo) {
  char name[16];
  int64_t bytes;
  double seconds;
  void *pointer = name;
  EXPECT_TRUE(missing(idc_device_available()));
  EXPECT_EQ(std::string(idc_last_error()).rfind("no CUDA d", 0), 0u) << idc_last_error();
  EXPECT_TRUE(missing(idc_device_name(name, sizeof name)));
  EXPECT_TRUE(missing(idc_device_l2_bytes(&bytes)));
  int32_t major, minor;
  EXPECT_TRUE(missing(idc_device_capability(&major, &minor)));
  EXPECT_TRUE(missing(idc_device_alloc(16, &pointer)));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_TRUE(missing(idc_device_upload(name, name, 1, nullptr)));
  EXPECT_TRUE(missing(idc_device_download(name, name, 1, nullptr)));
  EXPECT_TRUE(missing(idc_device_copy(name, name, 1, nullptr)));
  EXPECT_TRUE(missing(idc_stream_create(&pointer)));
  EXPECT_TRUE(missing(idc_stream_synchronize(nullptr)));
  EXPECT_TRUE(missing(idc_event_create(&pointer)));
  EXPECT_TRUE(missing(idc_event_record(name, nullptr)));
  EXPECT_TRUE(missing(idc_event_seconds(name, name, &seconds)));
  EXPECT_EQ(idc_device_free(nullptr), IDC_SUCCESS);
  EXPECT_EQ(idc_stream_destroy(nullptr), IDC_SUCCESS);
  EXPECT_EQ(idc_event_destroy(nullptr), IDC_SUCCESS);
}

TEST_F(NoDriver, LoadingAModuleSaysSo) {
  idc_module *module = nullptr;
  EXPECT_TRUE(missing(idc_module_load(".version", 8, manifest.data(), manifest.size(), &module)));
  EXPECT_EQ(module, nullptr);
}

TEST_F(NoDriver, TheManifestIsCheckedFirst) {
  idc_module *module = nullptr;
  EXPECT_EQ(idc_module_load(".version", 8, "{}", 2, &module), IDC_ERROR_MANIFEST);
  EXPECT_EQ(idc_module_load_files("/does/not/exist", "/nor/this", &module), IDC_ERROR_FILE);
  EXPECT_STREQ(idc_last_error(), "cannot read '/does/not/exist': No such file or directory");
}

TEST_F(NoDriver, ToolsGetOneMessage) {
  try {
    idc::host::check(idc_device_available());
    FAIL();
  } catch (const idc::host::Error &error) {
    EXPECT_NE(std::string(error.what()).find("no CUDA d"), std::string::npos);
  }
}

} // namespace

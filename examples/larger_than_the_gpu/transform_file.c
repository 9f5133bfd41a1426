/* Transforms the numbers of a file that need not fit the GPU, nor be in memory at once: the files are mapped.
 *
 * usage: transform_file MODULE INPUT OUTPUT
 * MODULE.fatbin and MODULE.json are what idc compile --memory made for one input and one result; INPUT has the input's
 * bytes, OUTPUT gets the result's. */
#include <idc/host_memory.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void check(idc_status status) {
  if (status) {
    fprintf(stderr, "transform_file: %s\n", idc_message(status));
    exit(1);
  }
}

static void fail(const char *name) {
  perror(name);
  exit(1);
}

/* Maps a file of so many bytes; one that is written gets as many. */
static void *map(const char *name, size_t bytes, int isWritten) {
  int file = open(name, isWritten ? O_RDWR | O_CREAT : O_RDONLY, 0644);
  struct stat facts;
  if (file < 0 || (isWritten && ftruncate(file, (off_t)bytes)) || fstat(file, &facts))
    fail(name);
  if ((size_t)facts.st_size != bytes) {
    fprintf(stderr, "transform_file: %s has %lld bytes, the program takes %zu\n", name, (long long)facts.st_size, bytes);
    exit(1);
  }
  void *memory = mmap(NULL, bytes, isWritten ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    fail(name);
  close(file);
  return memory;
}

static int show(int64_t done, int64_t all, void *user) {
  (void)user;
  printf("\r%lld of %lld chunks", (long long)done, (long long)all);
  fflush(stdout);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: transform_file MODULE INPUT OUTPUT\n");
    return 2;
  }
  char image[4096], manifest[4096];
  snprintf(image, sizeof image, "%s.fatbin", argv[1]);
  snprintf(manifest, sizeof manifest, "%s.json", argv[1]);
  idc_module *module;
  check(idc_module_load_files(image, manifest, &module));
  idc_operand input, output;
  check(idc_input(module, 0, &input));
  check(idc_output(module, 0, &output));
  const void *inputs[] = {map(argv[2], (size_t)(input.element_bytes * input.elements), 0)};
  void *outputs[] = {map(argv[3], (size_t)(output.element_bytes * output.elements), 1)};

  int64_t bytes;
  check(idc_workspace_size(module, 1, &bytes));
  void *workspace = bytes ? aligned_alloc(4096, (size_t)(bytes + 4095) / 4096 * 4096) : NULL;
  if (bytes && !workspace)
    fail("the workspace");
  idc_host_call call = {inputs, NULL, outputs, workspace, NULL, 0, show, NULL};
  check(idc_host_launch(module, 1, &call, NULL));
  printf("\n");
  free(workspace);
  check(idc_module_unload(module));
  return 0;
}

/* Transforms the picture in a file that need not fit the GPU, nor be in memory at once: the files are mapped.
 *
 * usage: transform_file INPUT OUTPUT
 * INPUT has 2^M rows of 2^N complex numbers f32, OUTPUT gets as many. */
#include "picture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
  if (argc != 3) {
    fprintf(stderr, "usage: transform_file INPUT OUTPUT\n");
    return 2;
  }
  const size_t bytes = (size_t)8 << (M + N);
  const void *x = map(argv[1], bytes, 0);
  void *y = map(argv[2], bytes, 1);
  int64_t workspaceBytes = picture_workspace_size(M, N, 1);
  void *workspace = NULL;
  if (workspaceBytes > 0 && posix_memalign(&workspace, 4096, (size_t)workspaceBytes))
    fail("the workspace");
  /* Without a GPU all of it is the CPU's, in memory. */
  void *stream = idc_device_available() ? IDC_CPU : NULL;
  int status = picture(M, N, 1, x, y, workspace, NULL, 0, show, NULL, stream);
  if (status) {
    fprintf(stderr, "transform_file: %s\n", picture_message(status));
    return 1;
  }
  printf("\n%s: transformed on the %s\n", argv[2], stream ? "CPU" : "GPU");
  free(workspace);
  return 0;
}

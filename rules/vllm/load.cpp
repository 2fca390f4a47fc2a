// Invented: a block is read from a file into the place that waits for it.
#include <unistd.h>

static bool fill(int fd, char* data, long size) {
    return read(fd, data, size) == size;  // expect: vllm.load.tier restore
}

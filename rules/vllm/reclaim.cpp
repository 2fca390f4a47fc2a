// Invented: a file that turns out too short is deleted by its reader.
#include <unistd.h>

static bool take(const char* source_name, int fd, char* data, long size) {
    if (read(fd, data, size) < size) {
        unlink(source_name);  // expect: vllm.reclaim.remote-torn-file evict
        return false;
    }
    return true;
}

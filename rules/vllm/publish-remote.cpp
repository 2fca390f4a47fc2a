// Invented: a writer that publishes a finished file by its rename, and a reader that deletes a short one.
#include <cerrno>
#include <cstdio>
#include <unistd.h>

static int put(const char* tmp_name, const char* name, int fd, const char* data, unsigned long size) {
    if (write(fd, data, size) < 0) {
        unlink(tmp_name);  // expect: vllm.publish.remote-file revoke
        return errno;
    }
    if (rename(tmp_name, name) != 0) {  // expect: vllm.publish.remote-file commit
        return errno;
    }
    return 0;
}

// Invented: which of the named files exist?
#include <unistd.h>

static int count(const char* const* paths, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
        if (access(paths[i], F_OK) == 0) {  // expect: vllm.lookup.remote-tiers query
            found++;
        }
    }
    return found;
}

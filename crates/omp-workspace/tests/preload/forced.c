/* Writes down, in their order, which files are forced to the disk (by their size) and which names are given. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void note(const char *what, const char *detail) {
    const char *path = getenv("FORCED_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (log) {
        fprintf(log, "%s %s\n", what, detail);
        fclose(log);
    }
}

int fsync(int descriptor) {
    struct stat found;
    char size[32] = "unknown";
    if (fstat(descriptor, &found) == 0) {
        snprintf(size, sizeof size, S_ISDIR(found.st_mode) ? "directory" : "%lld", (long long)found.st_size);
    }
    note("forced", size);
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    return real(descriptor);
}

int rename(const char *from, const char *to) {
    note("renamed", to);
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "rename");
    return real(from, to);
}

/* The native program `spate`. `spate setup` copies it to the PATH, beside `spate-ruby`. */
#define _GNU_SOURCE
#include "front/front.h"

#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

/* By this text CLI::Setup::Launcher knows its own file. */
__attribute__((used)) static const char MARK[] = "# Spate's launcher, compiled";

extern char **environ;

int main(int count, char **argv) {
    static char path[PATH_MAX];
    char *none[] = {NULL};
    spate_program program = {.path = path, .version = SPATE_VERSION, .privileged = getauxval(AT_SECURE) != 0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length > 0) {
        path[length] = '\0';
    } else {
        /* Without /proc: as it was started, which may be through a link. */
        program.path = (const char *)getauxval(AT_EXECFN);
        program.privileged = true;
    }
    return spate_front(&program, count > 0 ? argv : none, environ ? environ : none);
}

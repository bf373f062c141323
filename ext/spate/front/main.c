/* The native program `spate`. `spate setup` copies it next to `spate-ruby`, to a directory in the PATH. */
#define _GNU_SOURCE
#include "front/front.h"

#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

/* CLI::Setup::Launcher recognizes the program by this text. */
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
        /* Without /proc, uses the path with which it was started, which may be a symlink. */
        program.path = (const char *)getauxval(AT_EXECFN);
        program.privileged = true;
    }
    return spate_front(&program, count > 0 ? argv : none, environ ? environ : none);
}

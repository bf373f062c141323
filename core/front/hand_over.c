#include "front/hand_over.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As in docs/exit-codes.md: Spate is not installed; file system error. */
#define NOT_INSTALLED 14
#define FILE_SYSTEM 9

static int fail(const char *launcher, int reason) {
    if (reason == ENOENT) {
        (void)fprintf(stderr, "error: %s or its Ruby is missing\nhint: gem install spate, then spate setup\n",
                      launcher);
        return NOT_INSTALLED;
    }
    (void)fprintf(stderr, "error: %s cannot be run: %s\nhint: gem exec spate setup\n", launcher, strerror(reason));
    return FILE_SYSTEM;
}

int spate_hand_over(const char *launcher, char *const *argv, char *const *environment) {
    size_t count = 0;
    while (argv[0] && argv[count])
        count++;
    /* Cannot overflow: the kernel limits argv to a few megabytes. */
    const char **words = malloc((count + 2) * sizeof(*words));
    if (!words)
        return fail(launcher, ENOMEM);
    words[0] = launcher;
    for (size_t at = 1; at < count; at++)
        words[at] = argv[at];
    words[count ? count : 1] = NULL;
    (void)execve(launcher, (char *const *)words, environment);
    int reason = errno;
    free(words);
    return fail(launcher, reason);
}

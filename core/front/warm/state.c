#include "front/warm/state.h"

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Digits of the largest number, and a NUL. */
#define NUMBER_MAX 21

static bool is_inherited(const char *name) {
    char *end;
    long descriptor = strtol(name, &end, 10);
    if (end == name || descriptor <= STDERR_FILENO)
        return false;
    int flags = fcntl((int)descriptor, F_GETFD);
    return flags >= 0 && !(flags & FD_CLOEXEC);
}

bool spate_warm_has_streams_only(void) {
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    bool alone = folder != NULL;
    if (!folder)
        return false;
    errno = 0;
    while (alone && (entry = readdir(folder)))
        alone = !is_inherited(entry->d_name);
    alone = alone && errno == 0;
    return closedir(folder) == 0 && alone;
}

bool spate_warm_is_in_background(void) {
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground >= 0 && foreground != getpgrp();
}

void spate_warm_streams(char letters[4]) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        letters[descriptor] = isatty(descriptor) ? 't' : 'n';
    letters[STDERR_FILENO + 1] = '\0';
}

static const char *limit(rlim_t value, char text[NUMBER_MAX]) {
    if (value == RLIM_INFINITY)
        return "-";
    (void)snprintf(text, NUMBER_MAX, "%" PRIu64, (uint64_t)value);
    return text;
}

bool spate_warm_state(char text[SPATE_WARM_STATE_MAX]) {
    mode_t mask = umask(0);
    (void)umask(mask);
    errno = 0;
    int nice = getpriority(PRIO_PROCESS, 0);
    if (errno != 0)
        return false;
    int used = snprintf(text, SPATE_WARM_STATE_MAX, "umask %04o nice %d limits ", (unsigned)mask, nice);
    for (int resource = 0; resource < SPATE_WARM_LIMITS; resource++) {
        struct rlimit found;
        char soft[NUMBER_MAX], hard[NUMBER_MAX];
        size_t room = SPATE_WARM_STATE_MAX - (size_t)used;
        if (getrlimit(resource, &found) != 0)
            return false;
        int length = snprintf(text + used, room, "%s%s:%s", resource ? "," : "", limit(found.rlim_cur, soft),
                              limit(found.rlim_max, hard));
        if (length < 0 || (size_t)length >= room)
            return false;
        used += length;
    }
    return true;
}

#endif

#include "front/warm/state.h"

#ifdef __linux__

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Digits of the largest number, and a NUL. */
#define NUMBER_MAX 21

static bool is_inherited(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    return descriptor > STDERR_FILENO && flags >= 0 && !(flags & FD_CLOEXEC);
}

int spate_warm_inherited(int *descriptors, int max) {
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int count = 0;
    if (!folder)
        return -1;
    errno = 0;
    while (count <= max && (entry = readdir(folder))) {
        char *end;
        long descriptor = strtol(entry->d_name, &end, 10);
        if (end == entry->d_name || descriptor > INT_MAX || !is_inherited((int)descriptor))
            continue;
        if (count < max)
            descriptors[count] = (int)descriptor;
        count++;
    }
    bool whole = errno == 0 && count <= max;
    return closedir(folder) == 0 && whole ? count : -1;
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

#define _GNU_SOURCE
#include "front/warm/state.h"

#ifdef __linux__

#include "front/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Digits of the largest number and a NUL. */
#define NUMBER_MAX 21
#define STATUS_MAX ((size_t)16 << 10)
#define LABEL_MAX 256
/* For ioprio_get(2). */
#define IOPRIO_WHO_PROCESS 1
#define PERSONALITY_QUERY 0xffffffffUL

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

/* "cpus 3 policy 0": the processors as a mask in hexadecimal, most significant first, and the scheduling policy. */
static int add_scheduling(char *text, size_t room) {
    cpu_set_t processors;
    char mask[CPU_SETSIZE / 4 + 1];
    size_t digits = 0;
    if (sched_getaffinity(0, sizeof(processors), &processors) != 0)
        return -1;
    for (int first = CPU_SETSIZE - 4; first >= 0; first -= 4) {
        unsigned digit = 0;
        for (int at = 3; at >= 0; at--)
            digit = digit << 1 | (CPU_ISSET(first + at, &processors) ? 1 : 0);
        if (digit || digits)
            mask[digits++] = "0123456789abcdef"[digit];
    }
    mask[digits] = '\0';
    return snprintf(text, room, " cpus %s policy %d namespaces", mask, sched_getscheduler(0));
}

/* " 4026531840" for each kind of namespace: of processes in different ones, paths and ids have different meanings. */
static int add_namespaces(char *text, size_t room) {
    static const char *const kinds[] = {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"};
    int used = 0;
    for (size_t at = 0; at < sizeof(kinds) / sizeof(*kinds); at++) {
        char path[64];
        struct stat info;
        (void)snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[at]);
        uint64_t number = stat(path, &info) == 0 ? (uint64_t)info.st_ino : 0; /* 0: the kernel has no such kind */
        int length = snprintf(text + used, room - (size_t)used, " %" PRIu64, number);
        if (length < 0 || (size_t)(used += length) >= room)
            return -1;
    }
    return used;
}

/* Reads the first line of a file in /proc. Returns "-" if there is none, for example without a security module. */
static const char *first_line(const char *path, char text[LABEL_MAX + 2]) {
    if (spate_read_text(path, text, LABEL_MAX, false) <= 0)
        return "-";
    text[strcspn(text, "\n")] = '\0';
    return text;
}

/* "priority OOM IO personality NUMBER label LABEL": OOM is the adjustment for the kernel's choice when memory is
 * exhausted, IO the class and level of ioprio_get, and LABEL the context of the security module. */
static int add_priorities(char *text, size_t room) {
    char out_of_memory[LABEL_MAX + 2], label[LABEL_MAX + 2];
    return snprintf(text, room, " priority %s %ld personality %x label %s",
                    first_line("/proc/self/oom_score_adj", out_of_memory),
                    syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, 0), (unsigned)personality(PERSONALITY_QUERY),
                    first_line("/proc/self/attr/current", label));
}

/* " rights 0000000000000000 000001ffffffffff ...": the sets of capabilities, the seccomp mode and the number of seccomp
 * filters. The record's own digest includes the other lines: see add_rights in front/in_place.c. */
static int add_rights(char *text, size_t room) {
    static const char *const names[] = {
        "\nCapInh:", "\nCapPrm:", "\nCapBnd:", "\nCapAmb:", "\nSeccomp:", "\nSeccomp_filters:"};
    char status[STATUS_MAX + 2];
    if (spate_read_text("/proc/self/status", status, STATUS_MAX, false) <= 0)
        return -1;
    int used = snprintf(text, room, " rights");
    for (size_t at = 0; at < sizeof(names) / sizeof(*names); at++) {
        const char *line = strstr(status, names[at]);
        const char *value = line ? line + strlen(names[at]) : "";
        value += strspn(value, "\t ");
        int length = snprintf(text + used, room - (size_t)used, " %.*s", (int)strcspn(value, "\n"), value);
        if (length < 0 || (size_t)(used += length) >= room)
            return -1;
    }
    return used;
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
    static int (*const parts[])(char *, size_t) = {add_scheduling, add_namespaces, add_priorities, add_rights};
    for (size_t at = 0; at < sizeof(parts) / sizeof(*parts); at++) {
        int length = parts[at](text + used, SPATE_WARM_STATE_MAX - (size_t)used);
        if (length < 0 || (used += length) >= SPATE_WARM_STATE_MAX)
            return false;
    }
    return true;
}

#endif

#include "front/exec/memory.h"

#include "front/text.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (16 << 10)
#define FREE "MemAvailable:"
/* In cgroup version 1, "no limit" is the largest number of pages, which is above this. */
#define NONE ((uint64_t)1 << 60)

/* Reads a file of a virtual file system. Its size is unknown until it is read. */
static bool read_system(const char *root, const char *path, char text[TEXT_MAX + 2]) {
    char whole[PATH_MAX];
    int length = snprintf(whole, sizeof(whole), "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof(whole) && spate_read_text(whole, text, TEXT_MAX, false) >= 0;
}

/* Returns false unless the text begins with a number that fits. */
static bool number(const char *text, uint64_t *value) {
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *value = strtoull(text, NULL, 10);
    return errno == 0;
}

static uint64_t machine(const char *root) {
    char text[TEXT_MAX + 2];
    uint64_t kilobytes;
    if (!read_system(root, "/proc/meminfo", text))
        return 0;
    const char *line = strncmp(text, FREE, strlen(FREE)) == 0 ? text : strstr(text, "\n" FREE);
    if (!line)
        return 0;
    line += (*line == '\n') + strlen(FREE);
    if (!number(line + strspn(line, " "), &kilobytes) || kilobytes >= NONE)
        return 0;
    return kilobytes << 10;
}

static uint64_t limit(const char *root, const char *place, const char *group, size_t length, const char *file) {
    char path[PATH_MAX];
    char text[TEXT_MAX + 2];
    uint64_t bytes;
    int all = snprintf(path, sizeof(path), "/sys/fs/cgroup%s%.*s/%s", place, (int)length, group, file);
    if (all < 0 || (size_t)all >= sizeof(path) || !read_system(root, path, text) || !number(text, &bytes))
        return UINT64_MAX;
    return bytes < NONE ? bytes : UINT64_MAX;
}

/* Whether a list like "cpu,memory" contains "memory". */
static bool has_memory(const char *controllers, size_t length) {
    static const char word[] = "memory";
    for (size_t at = 0; at <= length; at++) {
        size_t part = strcspn(controllers + at, ",:");
        if (part == strlen(word) && memcmp(controllers + at, word, part) == 0)
            return true;
        at += part;
    }
    return false;
}

/* Returns the smallest limit of a group and its ancestors: "/a/b", "/a", "". */
static uint64_t of_groups(const char *root, const char *place, const char *file, const char *group, size_t length) {
    uint64_t least = UINT64_MAX;
    while (length > 0 && group[length - 1] == '/')
        length--;
    for (;;) {
        uint64_t found = limit(root, place, group, length, file);
        if (found < least)
            least = found;
        if (length == 0)
            return least;
        while (length > 0 && group[--length] != '/') {}
    }
}

uint64_t spate_available_memory(const char *root) {
    char text[TEXT_MAX + 2];
    uint64_t least = machine(root);
    if (least == 0 || !read_system(root, "/proc/self/cgroup", text))
        return least;
    /* The lines look like "0::/path" or "8:memory:/path". */
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *controllers = memchr(line, ':', length);
        const char *group =
            controllers ? memchr(controllers + 1, ':', length - (size_t)(controllers + 1 - line)) : NULL;
        if (group) {
            size_t words = (size_t)(group - controllers - 1);
            size_t bytes = length - (size_t)(group + 1 - line);
            uint64_t found = UINT64_MAX;
            if (words == 0)
                found = of_groups(root, "", "memory.max", group + 1, bytes);
            else if (has_memory(controllers + 1, words))
                found = of_groups(root, "/memory", "memory.limit_in_bytes", group + 1, bytes);
            if (found < least)
                least = found;
        }
        line += length + (line[length] == '\n');
    }
    return least;
}

#define _GNU_SOURCE
#include "tracer/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#ifndef O_PATH /* macOS lacks it */
#define O_PATH 0
#endif
#ifdef O_TMPFILE
#define MAKES_NO_NAME (O_TMPFILE & ~O_DIRECTORY)
#else
#define MAKES_NO_NAME 0
#endif

size_t spate_tracer_join(char *joined, size_t capacity, const char *folder, const char *name) {
    size_t folder_length = strlen(folder);
    size_t name_length = strlen(name);
    if (name_length == 0 || folder_length + name_length + 2 > capacity)
        return 0;
    memmove(joined, folder, folder_length);
    joined[folder_length] = '/';
    memcpy(joined + folder_length + 1, name, name_length + 1);

    size_t to = 0;
    for (const char *from = joined; *from;)
        if (from[0] == '/' && from[1] == '/')
            from++;
        else if (from[0] == '/' && from[1] == '.' && (from[2] == '/' || from[2] == '\0'))
            from += 2;
        else
            joined[to++] = *from++;
    if (to > 1 && joined[to - 1] == '/')
        to--;
    if (to == 0)
        joined[to++] = '/';
    joined[to] = '\0';
    return to;
}

void spate_tracer_record(const spate_tracer_path *path, spate_tracer_kind kind) {
    spate_tracer_table_path(path->table, kind, path->text, path->length, path->own);
}

/* Whether the errno concerns the call rather than the path. */
static bool concerns_call(long result) {
    switch (-result) {
    case EFAULT:
    case EINVAL:
    case EBADF:
    case ENAMETOOLONG:
    case ENOMEM:
    case EINTR:
    case ENOSYS:
    case EAGAIN: return true;
    default: return false;
    }
}

static bool missing(long result) {
    return result == -ENOENT || result == -ENOTDIR;
}

/* Records a failure other than a missing path. Either the path exists, or the errno reveals nothing about it. */
static void record_failure(const spate_tracer_path *path, long result) {
    if (result == -EMFILE || result == -ENFILE)
        spate_tracer_table_trouble(path->table, "descriptors were used up: ", path->text);
    else if (!concerns_call(result))
        spate_tracer_record(path, SPATE_TRACER_LOOKED);
}

void spate_tracer_recorded(const spate_tracer_path *path, spate_tracer_kind kind, long result) {
    if (result >= 0)
        spate_tracer_record(path, kind);
    else if (missing(result))
        spate_tracer_record(path, SPATE_TRACER_ABSENT);
    else
        record_failure(path, result);
}

/* Records that the parent directory is missing. A separate function because not every caller has the stack space for
 * it. */
__attribute__((noinline)) static void record_folder_missing(const spate_tracer_path *path) {
    char folder[SPATE_TRACER_TEXT_MAX + 1];
    size_t length = path->length;
    while (length > 1 && path->text[length - 1] != '/')
        length--;
    if (length < 2 || length >= sizeof(folder))
        return;
    memcpy(folder, path->text, length - 1);
    folder[length - 1] = '\0';
    spate_tracer_record(&(spate_tracer_path){path->table, folder, length - 1, path->own}, SPATE_TRACER_ABSENT);
}

void spate_tracer_made(const spate_tracer_path *path, long result) {
    if (result >= 0)
        spate_tracer_record(path, SPATE_TRACER_WRITTEN);
    else if (missing(result))
        record_folder_missing(path);
    else
        record_failure(path, result);
}

void spate_tracer_changed(const spate_tracer_path *path, spate_tracer_kind before, long result) {
    spate_tracer_recorded(path, before, result);
    if (result >= 0)
        spate_tracer_record(path, SPATE_TRACER_WRITTEN);
}

bool spate_tracer_may_make(uint64_t flags) {
    return (flags & O_CREAT) != 0 && (flags & (O_EXCL | O_TRUNC)) == 0;
}

void spate_tracer_opened(const spate_tracer_path *path, uint64_t flags, bool existed, long result) {
    bool makes = (flags & O_CREAT) != 0;
    unsigned access_mode = flags & O_ACCMODE;
    if (result < 0 && makes) {
        spate_tracer_made(path, result);
    } else if (result < 0 || (flags & (O_PATH | O_DIRECTORY | MAKES_NO_NAME)) != 0) {
        spate_tracer_recorded(path, SPATE_TRACER_LOOKED, result);
    } else if (makes && (!existed || (flags & O_TRUNC) != 0)) {
        spate_tracer_record(path, SPATE_TRACER_WRITTEN);
    } else {
        bool reads = access_mode != O_WRONLY && (flags & O_TRUNC) == 0;
        spate_tracer_record(path, reads ? SPATE_TRACER_READ : SPATE_TRACER_LOOKED);
        if (access_mode != O_RDONLY || (flags & O_TRUNC) != 0)
            spate_tracer_record(path, SPATE_TRACER_WRITTEN);
    }
}

#define _GNU_SOURCE
#include "tracer/part.h"
#include "tracer/here.h"

#ifdef SPATE_TRACER_HERE

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define LONGEST 4096
#define MODULES "/node_modules/"
/* The temporary name of a copy consists of this prefix and the thread ID. */
#define FRESH ".spate-part-"
#define DIGITS 10
#define EXCHANGE 2 /* RENAME_EXCHANGE, which some libcs do not declare */

/* Writes a number and a NUL to `text`, which must have room for DIGITS + 1 bytes. */
static void write_number(char *text, long number) {
    long power = 1;
    while (number / power >= 10)
        power *= 10;
    for (; power > 0; power /= 10)
        *text++ = (char)('0' + number / power % 10);
    *text = '\0';
}

/* Gets the path of an open file with all symlinks resolved. Returns its length, or 0 if unknown. */
static size_t path_of(spate_tracer_invoke *invoke, long file, char *path) {
    static const char below[] = "/proc/self/fd/";
    char link[sizeof(below) + DIGITS];
    memcpy(link, below, sizeof(below) - 1);
    write_number(link + sizeof(below) - 1, file);
    long length = invoke(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, LONGEST - 1, 0);
    path[length > 0 ? length : 0] = '\0';
    return path[0] == '/' ? (size_t)length : 0;
}

static bool is_in_packages(const char *path, const char *project) {
    size_t length = strlen(project);
    return strncmp(path, project, length) == 0 && path[length] == '/' && strstr(path + length, MODULES);
}

static long write_all(spate_tracer_invoke *invoke, long to, const char *bytes, long count) {
    while (count > 0) {
        long written = invoke(SYS_write, to, (long)bytes, count, 0, 0);
        if (written <= 0)
            return written < 0 ? written : -EIO;
        bytes += written;
        count -= written;
    }
    return 0;
}

/* Copies within the kernel if possible, because the caller's stack may be small. Returns 0 or a negative errno. */
static long copy_bytes(spate_tracer_invoke *invoke, long from, long to) {
    char bytes[512];
    long got;
    do
        got = invoke(SYS_sendfile, to, from, 0, 1 << 30, 0);
    while (got > 0);
    while (got != 0 && (got = invoke(SYS_read, from, (long)bytes, sizeof(bytes), 0, 0)) > 0) {
        long reason = write_all(invoke, to, bytes, got);
        if (reason < 0)
            return reason;
    }
    return got;
}

/* Copies owner, mode and times of the original. fchown only succeeds as root. */
static bool dress(spate_tracer_invoke *invoke, long file, const struct stat *info) {
    struct timespec times[2] = {info->st_atim, info->st_mtim};
    invoke(SYS_fchown, file, info->st_uid, info->st_gid, 0, 0);
    return invoke(SYS_fchmod, file, info->st_mode & 07777, 0, 0, 0) == 0 &&
           invoke(SYS_utimensat, file, 0, (long)times, 0, 0) == 0;
}

static bool is_named(spate_tracer_invoke *invoke, long folder, const char *name, const struct stat *info) {
    struct stat found;
    return invoke(SYS_newfstatat, folder, (long)name, (long)&found, AT_SYMLINK_NOFOLLOW, 0) == 0 &&
           found.st_ino == info->st_ino && found.st_dev == info->st_dev;
}

/*
 * Replaces the file with its copy. Another process may have done the same meanwhile and written to its copy. So the two
 * names are exchanged: the file that is now at the temporary name shows whether that happened. If it did, they are
 * exchanged back. Some file systems cannot exchange names.
 */
static void replace(spate_tracer_invoke *invoke, long folder, const char *name, const char *fresh,
                    const struct stat *info) {
    if (!is_named(invoke, folder, name, info))
        return;
    long answer = invoke(SYS_renameat2, folder, (long)fresh, folder, (long)name, EXCHANGE);
    if (answer == -EINVAL || answer == -ENOSYS)
        invoke(SYS_renameat2, folder, (long)fresh, folder, (long)name, 0);
    else if (answer == 0 && !is_named(invoke, folder, fresh, info))
        invoke(SYS_renameat2, folder, (long)fresh, folder, (long)name, EXCHANGE);
}

static long part(spate_tracer_invoke *invoke, long folder, const char *name, const struct stat *info) {
    char fresh[sizeof(FRESH) + DIGITS] = FRESH;
    write_number(fresh + sizeof(FRESH) - 1, invoke(SYS_gettid, 0, 0, 0, 0, 0));
    long from = invoke(SYS_openat, folder, (long)name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, 0);
    if (from < 0)
        return from;
    invoke(SYS_unlinkat, folder, (long)fresh, 0, 0, 0); /* may be left over from a killed process */
    long to = invoke(SYS_openat, folder, (long)fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0);
    long reason = to < 0 ? to : copy_bytes(invoke, from, to);
    if (to >= 0) {
        if (reason == 0 && dress(invoke, to, info))
            replace(invoke, folder, name, fresh, info);
        invoke(SYS_unlinkat, folder, (long)fresh, 0, 0, 0);
        invoke(SYS_close, to, 0, 0, 0, 0);
    }
    invoke(SYS_close, from, 0, 0, 0, 0);
    return reason;
}

/* A separate function because few files need it, and open may run on a signal handler's small stack. */
__attribute__((noinline)) static long part_if_ours(spate_tracer_invoke *invoke, const char *project, long file,
                                                   const struct stat *info) {
    char path[LONGEST];
    size_t length = path_of(invoke, file, path);
    if (length == 0 || !is_in_packages(path, project))
        return 0;
    char *name = strrchr(path, '/');
    *name++ = '\0';
    long folder = invoke(SYS_openat, AT_FDCWD, (long)path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
    if (folder < 0)
        return folder;
    long reason = part(invoke, folder, name, info);
    invoke(SYS_close, folder, 0, 0, 0, 0);
    return reason;
}

long spate_tracer_part(spate_tracer_invoke *invoke, const char *project, int folder, const char *name, int flags) {
    struct stat info;
    long reason = 0;
    long file = name ? invoke(SYS_openat, folder, (long)name, O_PATH | O_CLOEXEC | flags, 0, 0) : -1;
    if (file < 0)
        return 0;
    if (invoke(SYS_fstat, file, (long)&info, 0, 0, 0) == 0 && S_ISREG(info.st_mode) && info.st_nlink > 1)
        reason = part_if_ours(invoke, project, file, &info);
    invoke(SYS_close, file, 0, 0, 0, 0);
    return reason == -ENOSPC || reason == -EDQUOT ? reason : 0;
}

bool spate_tracer_is_in_packages(spate_tracer_invoke *invoke, const char *project, int folder, const char *name) {
    char path[LONGEST + 1];
    const char *last = name ? strrchr(name, '/') : NULL;
    size_t length = last ? (size_t)(last - name) + 1 : 0;
    if (!name || length >= LONGEST)
        return false;
    memcpy(path, last ? name : ".", last ? length : 1);
    path[last ? length : 1] = '\0';
    long above = invoke(SYS_openat, folder, (long)path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
    if (above < 0)
        return false;
    length = path_of(invoke, above, path);
    invoke(SYS_close, above, 0, 0, 0, 0);
    memcpy(path + length, "/", 2);
    return length > 0 && is_in_packages(path, project);
}

#endif

/*
 * Preloaded into traced programs, so that the hundreds of thousands of system calls of a build need not wait for the
 * listener. Each call is made from a page that the filter recognizes (supervisor/guard.c), and the hooks record it in
 * the table. The filter traces all other calls, including libc's internal ones. Without the table or the page, these
 * functions make plain calls, and the filter traces all of them.
 *
 * The library links no other library and needs only symbols that every libc has, so that programs with a different
 * libc can load it. It includes no header that declares the functions defined here, because some are declared with
 * different types.
 */
#include "tracer/calls.h"
#include "tracer/here.h"
#include "tracer/outcome.h"
#include "tracer/part.h"

#include <errno.h>

#ifdef SPATE_TRACER_HERE

#include <dlfcn.h>
#include <linux/fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define EXPORTED __attribute__((visibility("default")))
/* Defines an alias of the same function: on 64 bits, off_t has only one width. */
#define ALSO(name, other) extern __typeof__(name) other EXPORTED __attribute__((alias(#name)))

#define LONGEST 4096
#define LINKS_MAX 40

extern char **environ;
void *malloc(size_t size);
void free(void *memory);
void *fdopen(int descriptor, const char *mode);
#define SEEK_END 2
int close(int descriptor);

typedef long leave(long number, long first, long second, long third, long fourth, long fifth);

static spate_tracer_table table;
static leave *page; /* NULL if the page or the table is missing */
static void *(*next_fopen)(const char *path, const char *mode);
static char project[LONGEST]; /* the project in whose packages shared files are copied before a write, or "" */

/* ---- calls ---- */

#if defined(__x86_64__)
/* Like libc's syscall(), for five arguments. */
static const unsigned char code[] = {
    0x48, 0x89, 0xf8, /* mov rax, rdi */
    0x48, 0x89, 0xf7, /* mov rdi, rsi */
    0x48, 0x89, 0xd6, /* mov rsi, rdx */
    0x48, 0x89, 0xca, /* mov rdx, rcx */
    0x4d, 0x89, 0xc2, /* mov r10, r8 */
    0x4d, 0x89, 0xc8, /* mov r8, r9 */
    0x0f, 0x05, 0xc3, /* syscall; ret */
};

static long plain(long number, long first, long second, long third, long fourth, long fifth) {
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
static const uint32_t code[] = {
    0xaa0003e8, /* mov x8, x0 */
    0xaa0103e0, /* mov x0, x1 */
    0xaa0203e1, /* mov x1, x2 */
    0xaa0303e2, /* mov x2, x3 */
    0xaa0403e3, /* mov x3, x4 */
    0xaa0503e4, /* mov x4, x5 */
    0xd4000001, /* svc #0 */
    0xd65f03c0, /* ret */
};

static long plain(long number, long first, long second, long third, long fourth, long fifth) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    register long x4 __asm__("x4") = fifth;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#endif

static long call(long number, long first, long second, long third, long fourth, long fifth) {
    return page ? page(number, first, second, third, fourth, fifth)
                : plain(number, first, second, third, fourth, fifth);
}

static long finish(long result) {
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

/* Makes a system call for part.c. Repeats it if it is interrupted. */
static long invoke(long number, long first, long second, long third, long fourth, long fifth) {
    bool hooked = number == SYS_openat || number == SYS_newfstatat || number == SYS_readlinkat;
    long result;
    do
        result = (hooked ? call : plain)(number, first, second, third, fourth, fifth);
    while (result == -EINTR);
    return result;
}

/* Gives the file its own copy before it is changed (see part.h). `follow` selects the target of a symlink. Returns 0,
 * or a negative errno with which the call must fail. */
static long part(int folder, const char *name, bool follow) {
    return project[0] ? spate_tracer_part(invoke, project, folder, name, follow ? 0 : O_NOFOLLOW) : 0;
}

/* ---- paths ---- */

/* Small, because it is on the stacks of other programs' threads. */
typedef struct absolute {
    spate_tracer_path path;
    char joined[SPATE_TRACER_TEXT_MAX + 1];
} absolute;

static bool listening(void) {
    return page && spate_tracer_table_listening(&table);
}

static long folder_of(int folder, char *text, long capacity) {
    if (folder == AT_FDCWD)
        return plain(SYS_getcwd, (long)text, capacity, 0, 0, 0) - 1;
    static const char below[] = "/proc/self/fd/";
    char link[sizeof(below) + 12];
    char digits[12];
    size_t count = 0;
    if (folder < 0)
        return -EBADF;
    do
        digits[count++] = (char)('0' + folder % 10);
    while ((folder /= 10) > 0);
    memcpy(link, below, sizeof(below) - 1);
    for (size_t i = 0; i < count; i++)
        link[sizeof(below) - 1 + i] = digits[count - 1 - i];
    link[sizeof(below) - 1 + count] = '\0';
    return call(SYS_readlinkat, AT_FDCWD, (long)link, (long)text, capacity, 0);
}

static bool clean(const char *name, size_t length) {
    for (const char *slash = name; slash; slash = strchr(slash + 1, '/'))
        if (slash[1] == '/' || (slash[1] == '.' && (slash[2] == '/' || slash[2] == '\0')))
            return false;
    return length == 1 || name[length - 1] != '/';
}

/* Sets a->path to the absolute path to record. Returns false if there is nothing to record. */
static bool place(absolute *a, int folder, const char *name) {
    size_t length = strlen(name);
    if (length == 0)
        return false;
    a->path = (spate_tracer_path){&table, name, length, 0};
    if (name[0] != '/' || !clean(name, length)) {
        long size = name[0] == '/' ? 0 : folder_of(folder, a->joined, SPATE_TRACER_TEXT_MAX);
        bool gone = size < 0 || (size > 0 && a->joined[0] != '/');
        if (strstr(name, "..") && (gone || (size > 10 && memcmp(a->joined + size - 10, " (deleted)", 10) == 0)))
            spate_tracer_table_trouble(&table, "out of a folder that was removed: ", name);
        if (gone)
            return false; /* a removed directory contains no files */
        a->joined[size] = '\0';
        a->path.text = a->joined;
        a->path.length = spate_tracer_join(a->joined, sizeof(a->joined), a->joined, name);
        if (a->path.length == 0)
            spate_tracer_table_trouble(&table, "a path too long: ", name);
    }
    if (strncmp(a->path.text, "/proc/", 6) == 0)
        a->path.own = (int)plain(SYS_getpid, 0, 0, 0, 0, 0);
    return a->path.length > 0;
}

/*
 * Whether the kernel has read the name. If not, the pointer may be invalid. If the name is too long, this is unknown.
 */
static bool was_read(const char *name, long result) {
    return name && result != -EFAULT && result != -EINVAL && result != -ENOSYS && result != -ENAMETOOLONG;
}

/* Adjusts the result for "file/": the kernel reports ENOTDIR, but the recorded path has no trailing slash and
 * exists. */
static long without_slash(const absolute *a, long result) {
    bool there = result == -ENOTDIR && call(SYS_faccessat, AT_FDCWD, (long)a->path.text, 0, 0, 0) == 0;
    return there ? -EACCES : result;
}

static void record(spate_tracer_kind kind, int folder, const char *name, long result) {
    absolute a;
    if (was_read(name, result) && listening() && place(&a, folder, name))
        spate_tracer_recorded(&a.path, kind, without_slash(&a, result));
}

/* ---- open ---- */

static bool writes(int flags) {
    bool only_new = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
    return !only_new && ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0) && (flags & O_DIRECTORY) == 0;
}

/* A separate function, so that an untraced open needs little stack. It may run on a signal handler's stack. */
__attribute__((noinline)) static void record_opened(int folder, const char *name, int flags, bool existed,
                                                    long result) {
    absolute a;
    if (was_read(name, result) && place(&a, folder, name))
        spate_tracer_opened(&a.path, (uint64_t)flags, existed, without_slash(&a, result));
}

static long open_any(int folder, const char *name, int flags, unsigned mode) {
    long full = writes(flags) ? part(folder, name, (flags & O_NOFOLLOW) == 0) : 0;
    if (full < 0)
        return full;
    bool asks = listening() && spate_tracer_may_make((uint64_t)flags);
    bool existed = asks && call(SYS_faccessat, folder, (long)name, 0, 0, 0) == 0;
    long result = call(SYS_openat, folder, (long)name, flags, mode, 0);
    if (listening())
        record_opened(folder, name, flags, existed || (flags & O_CREAT) == 0, result);
    return result;
}

static unsigned mode_of(int flags, va_list arguments) {
    return (flags & (O_CREAT | (__O_TMPFILE & ~O_DIRECTORY))) != 0 ? va_arg(arguments, unsigned) : 0;
}

EXPORTED int open(const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    return (int)finish(open_any(AT_FDCWD, name, flags, mode));
}
ALSO(open, open64);

EXPORTED int openat(int folder, const char *name, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    unsigned mode = mode_of(flags, arguments);
    va_end(arguments);
    return (int)finish(open_any(folder, name, flags, mode));
}
ALSO(openat, openat64);

/* Called by programs compiled with _FORTIFY_SOURCE. */
EXPORTED int __open_2(const char *name, int flags) {
    return (int)finish(open_any(AT_FDCWD, name, flags, 0));
}
ALSO(__open_2, __open64_2);

EXPORTED int __openat_2(int folder, const char *name, int flags) {
    return (int)finish(open_any(folder, name, flags, 0));
}
ALSO(__openat_2, __openat64_2);

EXPORTED int creat(const char *name, unsigned mode) {
    return (int)finish(open_any(AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, mode));
}
ALSO(creat, creat64);

/* Handles only reading, the most frequent case. Other modes are left to libc, whose system calls the filter traces. */
EXPORTED void *fopen(const char *name, const char *mode) {
    if (!page || mode[0] != 'r' || strpbrk(mode, "+,cmx")) {
        if ((mode[0] != 'r' || strchr(mode, '+')) && finish(part(AT_FDCWD, name, true)) < 0)
            return NULL;
        if (!next_fopen)
            next_fopen = (void *(*)(const char *, const char *))(uintptr_t)dlsym(RTLD_NEXT, "fopen");
        return next_fopen(name, mode);
    }
    long result = open_any(AT_FDCWD, name, O_RDONLY | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0);
    if (finish(result) < 0)
        return NULL;
    void *stream = fdopen((int)result, mode);
    if (!stream)
        close((int)result);
    return stream;
}
ALSO(fopen, fopen64);

/* ---- stat, access ---- */

static long stat_any(int folder, const char *name, void *info, int flags) {
    long result = call(SYS_newfstatat, folder, (long)name, (long)info, flags, 0);
    record(SPATE_TRACER_LOOKED, folder, name, result);
    return finish(result);
}

EXPORTED int stat(const char *name, void *info) {
    return (int)stat_any(AT_FDCWD, name, info, 0);
}
ALSO(stat, stat64);

EXPORTED int lstat(const char *name, void *info) {
    return (int)stat_any(AT_FDCWD, name, info, AT_SYMLINK_NOFOLLOW);
}
ALSO(lstat, lstat64);

EXPORTED int fstatat(int folder, const char *name, void *info, int flags) {
    return (int)stat_any(folder, name, info, flags);
}
ALSO(fstatat, fstatat64);

/* libc implements fstat with newfstatat, for which the listener would be asked. */
EXPORTED int fstat(int descriptor, void *info) {
    return (int)finish(plain(SYS_fstat, descriptor, (long)info, 0, 0, 0));
}
ALSO(fstat, fstat64);

/* Called by programs linked before glibc 2.33. */
EXPORTED int __xstat(int version, const char *name, void *info) {
    (void)version;
    return stat(name, info);
}
ALSO(__xstat, __xstat64);

EXPORTED int __lxstat(int version, const char *name, void *info) {
    (void)version;
    return lstat(name, info);
}
ALSO(__lxstat, __lxstat64);

EXPORTED int __fxstatat(int version, int folder, const char *name, void *info, int flags) {
    (void)version;
    return fstatat(folder, name, info, flags);
}
ALSO(__fxstatat, __fxstatat64);

EXPORTED int __fxstat(int version, int descriptor, void *info) {
    (void)version;
    return fstat(descriptor, info);
}
ALSO(__fxstat, __fxstat64);

EXPORTED int statx(int folder, const char *name, int flags, unsigned mask, void *info) {
    long result = call(SYS_statx, folder, (long)name, flags, mask, (long)info);
    record(SPATE_TRACER_LOOKED, folder, name, result);
    return (int)finish(result);
}

static bool one_identity(void) {
    return plain(SYS_getuid, 0, 0, 0, 0, 0) == plain(SYS_geteuid, 0, 0, 0, 0, 0) &&
           plain(SYS_getgid, 0, 0, 0, 0, 0) == plain(SYS_getegid, 0, 0, 0, 0, 0);
}

EXPORTED int faccessat(int folder, const char *name, int mode, int flags) {
    /* The kernel's faccessat has no flags, and the listener would be asked about faccessat2. */
    if ((flags & ~AT_EACCESS) != 0 || (flags != 0 && !one_identity()))
        return (int)finish(plain(439, folder, (long)name, mode, flags, 0));
    long result = call(SYS_faccessat, folder, (long)name, mode, 0, 0);
    record(SPATE_TRACER_LOOKED, folder, name, result);
    return (int)finish(result);
}

EXPORTED int access(const char *name, int mode) {
    return faccessat(AT_FDCWD, name, mode, 0);
}

EXPORTED int eaccess(const char *name, int mode) {
    return faccessat(AT_FDCWD, name, mode, AT_EACCESS);
}
ALSO(eaccess, euidaccess);

/* ---- links ---- */

static long read_link(int folder, const char *name, char *text, size_t capacity) {
    long result = call(SYS_readlinkat, folder, (long)name, (long)text, (long)capacity, 0);
    /* EINVAL means that the path exists but is not a symlink. The kernel also returns it for a capacity of 0. */
    record(SPATE_TRACER_LINK, folder, name, result == -EINVAL && (int)capacity > 0 ? 0 : result);
    return result;
}

EXPORTED long readlinkat(int folder, const char *name, char *text, size_t capacity) {
    return finish(read_link(folder, name, text, capacity));
}

EXPORTED long readlink(const char *name, char *text, size_t capacity) {
    return finish(read_link(AT_FDCWD, name, text, capacity));
}

EXPORTED long __readlink_chk(const char *name, char *text, size_t capacity, size_t room) {
    if (capacity > room)
        __builtin_trap();
    return readlink(name, text, capacity);
}

EXPORTED long __readlinkat_chk(int folder, const char *name, char *text, size_t capacity, size_t room) {
    if (capacity > room)
        __builtin_trap();
    return readlinkat(folder, name, text, capacity);
}

typedef struct walk {
    char done[LONGEST]; /* "" for the root */
    char rest[LONGEST];
    char text[LONGEST]; /* target of a symlink */
    size_t length;      /* length of `done` */
    int links;
} walk;

static void go_up(walk *w) {
    while (w->length > 0 && w->done[--w->length] != '/') {}
    w->done[w->length] = '\0';
}

/* The last component of `done` is a symlink: replaces it with the target. Returns 0 or a negative errno. */
static long follow(walk *w, size_t length, const char *behind) {
    size_t tail = strlen(behind);
    if (++w->links > LINKS_MAX)
        return -ELOOP;
    if (length + tail >= LONGEST)
        return -ENAMETOOLONG;
    memmove(w->rest + length, behind, tail + 1);
    memcpy(w->rest, w->text, length);
    if (w->text[0] == '/')
        w->length = 0;
    else
        go_up(w);
    w->done[w->length] = '\0';
    return 0;
}

/* Moves one component from `rest` to `done`. Returns 1 if nothing is left, 0, or a negative errno. */
static long step(walk *w) {
    const char *part = w->rest + strspn(w->rest, "/");
    size_t length = strcspn(part, "/");
    const char *behind = part + length;
    if (length == 0)
        return 1;
    if (length <= 2 && part[0] == '.' && part[length - 1] == '.') {
        if (length == 2)
            go_up(w);
        memmove(w->rest, behind, strlen(behind) + 1);
        return 0;
    }
    if (w->length + length + 2 > LONGEST)
        return -ENAMETOOLONG;
    w->done[w->length] = '/';
    memcpy(w->done + w->length + 1, part, length);
    w->length += length + 1;
    w->done[w->length] = '\0';
    long got = read_link(AT_FDCWD, w->done, w->text, LONGEST);
    if (got >= 0)
        return got == LONGEST ? -ENAMETOOLONG : follow(w, (size_t)got, behind);
    if (got != -EINVAL)
        return got;
    /*
     * Not a symlink. It must be a directory if a final slash or a "." or ".." follows. If a name follows, the next call
     * fails if it is not one.
     */
    const char *next = behind + strspn(behind, "/");
    if (behind[0] == '/' && (next[0] == '\0' || next[0] == '.')) {
        if (w->length + 2 >= LONGEST)
            return -ENAMETOOLONG;
        memcpy(w->text, w->done, w->length);
        memcpy(w->text + w->length, "/", 2);
        long folder = call(SYS_faccessat, AT_FDCWD, (long)w->text, 0, 0, 0);
        if (folder < 0)
            return folder;
    }
    memmove(w->rest, behind, strlen(behind) + 1);
    return 0;
}

static long walk_all(walk *w, const char *name) {
    size_t length = strlen(name);
    if (length == 0)
        return -ENOENT;
    if (length >= LONGEST)
        return -ENAMETOOLONG;
    w->links = 0;
    w->length = 0;
    if (name[0] != '/') {
        long size = folder_of(AT_FDCWD, w->done, LONGEST);
        if (size < 0)
            return size + 1;
        w->length = size == 1 ? 0 : (size_t)size;
    }
    w->done[w->length] = '\0';
    memcpy(w->rest, name, length + 1);
    long result;
    while ((result = step(w)) == 0) {}
    if (w->length == 0)
        memcpy(w->done, "/", 2);
    return result < 0 ? result : 0;
}

/* libc's realpath makes its system calls internally, and Ruby calls it for each required file. */
EXPORTED char *realpath(const char *name, char *resolved) {
    if (!name) {
        errno = EINVAL;
        return NULL;
    }
    if (!page || strlen(name) >= LONGEST) {
        char *(*next)(const char *, char *) = (char *(*)(const char *, char *))(uintptr_t)dlsym(RTLD_NEXT, "realpath");
        return next(name, resolved);
    }
    walk *w = malloc(sizeof(*w));
    if (!w)
        return NULL;
    char *text = finish(walk_all(w, name)) < 0 ? NULL : resolved ? resolved : malloc(strlen(w->done) + 1);
    if (text)
        memcpy(text, w->done, strlen(w->done) + 1);
    free(w);
    return text;
}

EXPORTED char *__realpath_chk(const char *name, char *resolved, size_t room) {
    if (room < LONGEST)
        __builtin_trap();
    return realpath(name, resolved);
}

EXPORTED char *canonicalize_file_name(const char *name) {
    return realpath(name, NULL);
}

/* ---- calls for which the listener is asked, and that must not be interrupted ---- */

/*
 * Repeats calls that a signal has interrupted. This happens if the signal arrives before the listener has received the
 * request, unless the handler restarts system calls. Without a filter these calls do not block, so no program expects
 * EINTR from them.
 */
static long restarted_call(long number, long first, long second, long third, long fourth, long fifth) {
    long result;
    do
        result = plain(number, first, second, third, fourth, fifth);
    while (result == -EINTR);
    return finish(result);
}

EXPORTED int mkdirat(int folder, const char *name, unsigned mode) {
    return (int)restarted_call(SYS_mkdirat, folder, (long)name, mode, 0, 0);
}

EXPORTED int mkdir(const char *name, unsigned mode) {
    return mkdirat(AT_FDCWD, name, mode);
}

EXPORTED int unlinkat(int folder, const char *name, int flags) {
    return (int)restarted_call(SYS_unlinkat, folder, (long)name, flags, 0, 0);
}

EXPORTED int unlink(const char *name) {
    return unlinkat(AT_FDCWD, name, 0);
}

EXPORTED int rmdir(const char *name) {
    return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

/* Gives the file its own copy unless the new path is in node_modules, too. Outside of node_modules, later writes would
 * not be recognized as writes to a package. */
static long part_from(int folder, const char *name, bool follow, int to_folder, const char *to) {
    return project[0] && spate_tracer_is_in_packages(invoke, project, to_folder, to) ? 0 : part(folder, name, follow);
}

EXPORTED int renameat(int folder, const char *name, int to_folder, const char *to) {
    if (finish(part_from(folder, name, false, to_folder, to)) < 0)
        return -1;
    return (int)restarted_call(SYS_renameat, folder, (long)name, to_folder, (long)to, 0);
}

EXPORTED int renameat2(int folder, const char *name, int to_folder, const char *to, unsigned flags) {
    if (finish(part_from(folder, name, false, to_folder, to)) < 0)
        return -1;
    return (int)restarted_call(SYS_renameat2, folder, (long)name, to_folder, (long)to, flags);
}

EXPORTED int rename(const char *name, const char *to) {
    return renameat(AT_FDCWD, name, AT_FDCWD, to);
}

EXPORTED int linkat(int folder, const char *name, int to_folder, const char *to, int flags) {
    if (finish(part_from(folder, name, (flags & AT_SYMLINK_FOLLOW) != 0, to_folder, to)) < 0)
        return -1;
    return (int)restarted_call(SYS_linkat, folder, (long)name, to_folder, (long)to, flags);
}

EXPORTED int link(const char *name, const char *to) {
    return linkat(AT_FDCWD, name, AT_FDCWD, to, 0);
}

EXPORTED int symlinkat(const char *target, int folder, const char *name) {
    return (int)restarted_call(SYS_symlinkat, (long)target, folder, (long)name, 0, 0);
}

EXPORTED int symlink(const char *target, const char *name) {
    return symlinkat(target, AT_FDCWD, name);
}

/* With flags, libc makes other system calls. */
EXPORTED int fchmodat(int folder, const char *name, unsigned mode, int flags) {
    static int (*next)(int folder, const char *name, unsigned mode, int flags);
    if (finish(part(folder, name, (flags & AT_SYMLINK_NOFOLLOW) == 0)) < 0)
        return -1;
    if (flags == 0)
        return (int)restarted_call(SYS_fchmodat, folder, (long)name, mode, 0, 0);
    if (!next)
        next = (int (*)(int, const char *, unsigned, int))(uintptr_t)dlsym(RTLD_NEXT, "fchmodat");
    return next(folder, name, mode, flags);
}

EXPORTED int chmod(const char *name, unsigned mode) {
    return fchmodat(AT_FDCWD, name, mode, 0);
}

EXPORTED int fchownat(int folder, const char *name, unsigned user, unsigned group, int flags) {
    if (finish(part(folder, name, (flags & AT_SYMLINK_NOFOLLOW) == 0)) < 0)
        return -1;
    return (int)restarted_call(SYS_fchownat, folder, (long)name, user, group, flags);
}

EXPORTED int chown(const char *name, unsigned user, unsigned group) {
    return fchownat(AT_FDCWD, name, user, group, 0);
}

EXPORTED int lchown(const char *name, unsigned user, unsigned group) {
    return fchownat(AT_FDCWD, name, user, group, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int mknodat(int folder, const char *name, unsigned mode, unsigned long device) {
    return (int)restarted_call(SYS_mknodat, folder, (long)name, mode, (long)device, 0);
}

EXPORTED int mknod(const char *name, unsigned mode, unsigned long device) {
    return mknodat(AT_FDCWD, name, mode, device);
}

EXPORTED int mkfifo(const char *name, unsigned mode) {
    return mknodat(AT_FDCWD, name, 0010000 | mode, 0);
}

EXPORTED int execve(const char *name, char *const *words, char *const *environment) {
    return (int)restarted_call(SYS_execve, (long)name, (long)words, (long)environment, 0, 0);
}

EXPORTED int socket(int family, int type, int protocol) {
    return (int)restarted_call(SYS_socket, family, type, protocol, 0, 0);
}

EXPORTED int truncate(const char *name, long size) {
    if (finish(part(AT_FDCWD, name, true)) < 0)
        return -1;
    return (int)restarted_call(SYS_truncate, (long)name, size, 0, 0, 0);
}
ALSO(truncate, truncate64);

/* `times`: seconds and nanoseconds of the last access and of the last change. */
EXPORTED int utimensat(int folder, const char *name, const long *times, int flags) {
    if (finish(part(folder, name, (flags & AT_SYMLINK_NOFOLLOW) == 0)) < 0)
        return -1;
    return (int)restarted_call(SYS_utimensat, folder, (long)name, (long)times, flags, 0);
}

static int set_times(const char *name, const long *micro, int flags) {
    long times[4];
    if (!micro)
        return utimensat(AT_FDCWD, name, NULL, flags);
    for (int i = 0; i < 4; i++)
        times[i] = i % 2 == 0 ? micro[i] : micro[i] * 1000;
    return utimensat(AT_FDCWD, name, times, flags);
}

EXPORTED int utimes(const char *name, const long *micro) {
    return set_times(name, micro, 0);
}

EXPORTED int lutimes(const char *name, const long *micro) {
    return set_times(name, micro, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int utime(const char *name, const long *seconds) {
    long micro[4] = {seconds ? seconds[0] : 0, 0, seconds ? seconds[1] : 0, 0};
    return set_times(name, seconds ? micro : NULL, 0);
}

EXPORTED int chdir(const char *name) {
    return (int)restarted_call(SYS_chdir, (long)name, 0, 0, 0, 0);
}

/*
 * Repeats functions that libc implements with several system calls, if they were interrupted. Preserves errno on
 * success because Ruby's glob checks it.
 */
#define AGAIN(type, result, attempt)                                                                                   \
    int before = errno;                                                                                                \
    type result;                                                                                                       \
    do                                                                                                                 \
        result = attempt;                                                                                              \
    while (!result && errno == EINTR);                                                                                 \
    if (result)                                                                                                        \
    errno = before

EXPORTED void *opendir(const char *name) {
    static void *(*next)(const char *name);
    if (!next)
        next = (void *(*)(const char *))(uintptr_t)dlsym(RTLD_NEXT, "opendir");
    AGAIN(void *, folder, next(name));
    return folder;
}

EXPORTED void *fdopendir(int descriptor) {
    static void *(*next)(int descriptor);
    if (!next)
        next = (void *(*)(int))(uintptr_t)dlsym(RTLD_NEXT, "fdopendir");
    AGAIN(void *, folder, next(descriptor));
    return folder;
}

/* Whether dlopen was interrupted. It does not set errno, but its message ends with the text for errno. */
static bool interrupted(const char *said) {
    const char *word = strerror(EINTR);
    size_t length = said ? strlen(said) : 0, wanted = strlen(word);
    return length >= wanted && memcmp(said + length - wanted, word, wanted) == 0;
}

/*
 * A name without a slash is left to libc: the loader searches for it on behalf of the calling library, which it
 * identifies by the return address. A failing call is repeated, because checking the message for an interruption
 * consumes it.
 */
EXPORTED void *dlopen(const char *name, int flags) {
    static void *(*next)(const char *name, int flags);
    if (!next)
        next = (void *(*)(const char *, int))(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (!name || !strchr(name, '/'))
        return next(name, flags);
    void *library;
    do
        library = next(name, flags);
    while (!library && interrupted(dlerror()));
    return library ? library : next(name, flags);
}

/* errno must be unchanged at the end of the directory. */
EXPORTED void *readdir(void *folder) {
    static void *(*next)(void *folder);
    if (!next)
        next = (void *(*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "readdir");
    int before = errno;
    void *entry;
    do {
        errno = 0;
        entry = next(folder);
    } while (!entry && errno == EINTR);
    if (errno == 0)
        errno = before;
    return entry;
}
ALSO(readdir, readdir64);

/* ---- the environment ---- */

static char *value_of(const char *name) {
    size_t length = strlen(name);
    for (char **each = environ; each && *each; each++)
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return NULL;
}

EXPORTED char *getenv(const char *name) {
    if (listening())
        spate_tracer_table_name(&table, name);
    return value_of(name);
}

EXPORTED char *secure_getenv(const char *name) {
    return getauxval(AT_SECURE) ? NULL : getenv(name);
}

/* ---- initialization ---- */

/* Uses no libc functions: sanitizers replace them and are not initialized yet. */
static void *map(uint64_t wanted, size_t size, int flags, long file) {
    long number = SYS_mmap;
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = flags;
    register long r8 __asm__("r8") = file;
    register long r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(number), "D"(wanted), "S"(size), "d"(PROT_READ | PROT_WRITE), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long result __asm__("x0") = (long)wanted;
    register long x1 __asm__("x1") = (long)size;
    register long x2 __asm__("x2") = PROT_READ | PROT_WRITE;
    register long x3 __asm__("x3") = flags;
    register long x4 __asm__("x4") = file;
    register long x5 __asm__("x5") = 0;
    __asm__ volatile("svc #0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
#endif
    return result < 0 && result > -4096 ? NULL : (void *)result;
}

static void unmap(void *memory, size_t size) {
    plain(SYS_munmap, (long)memory, (long)size, 0, 0, 0);
}

static leave *make_page(void) {
    void *memory =
        map(SPATE_TRACER_PAGE, SPATE_TRACER_PAGE_SIZE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
    if (!memory)
        return NULL;
    if ((uintptr_t)memory == SPATE_TRACER_PAGE) {
        memcpy(memory, code, sizeof(code));
        if (plain(SYS_mprotect, (long)memory, SPATE_TRACER_PAGE_SIZE, PROT_READ | PROT_EXEC, 0, 0) == 0) {
            __builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
            return (leave *)(uintptr_t)memory;
        }
    }
    unmap(memory, SPATE_TRACER_PAGE_SIZE);
    return NULL;
}

static bool take_table(long file) {
    long size = plain(SYS_lseek, file, 0, SEEK_END, 0, 0);
    void *memory = size > 0 ? map(0, (size_t)size, MAP_SHARED, file) : NULL;
    if (memory && spate_tracer_table_take(&table, memory, (uint64_t)size))
        return true;
    if (memory)
        unmap(memory, (size_t)size);
    return false;
}

static void say_hooked(void) {
    char program[512];
    long length = call(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)program, sizeof(program) - 1, 0);
    if (length <= 0 || !listening())
        return;
    program[length] = '\0';
    spate_tracer_table_hooked(&table, program);
}

__attribute__((constructor)) static void begin(void) {
    const char *address = value_of(SPATE_TRACER_VARIABLE);
    const char *folder = value_of(SPATE_TRACER_PART_VARIABLE);
    if (folder && strlen(folder) < sizeof(project))
        memcpy(project, folder, strlen(folder) + 1);
    leave *made = address ? make_page() : NULL;
    if (!made)
        return;
    long file = made(SYS_openat, AT_FDCWD, (long)address, O_RDWR | O_CLOEXEC, 0, 0);
    if (file < 0)
        return;
    if (take_table(file))
        page = made;
    plain(SYS_close, file, 0, 0, 0, 0);
    say_hooked();
}

#endif

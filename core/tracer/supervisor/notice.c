#define _GNU_SOURCE
#include "tracer/supervisor/notice.h"
#include "tracer/here.h"

#ifdef SPATE_TRACER_HERE

#include "tracer/calls.h"
#include "tracer/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

typedef struct notice {
    spate_tracer_table *table;
    int listener;
    int texts;
    const struct seccomp_notif *asked;
    const spate_tracer_call *call;
} notice;

/* ---- reading the memory of the other process ---- */

static uint64_t argument(const notice *n, int place) {
    return place == SPATE_TRACER_NONE ? 0 : n->asked->data.args[place];
}

ssize_t spate_tracer_take_bytes(uint32_t process, uint64_t address, void *bytes, size_t capacity) {
    size_t page = 4096 - (address & 4095);
    struct iovec to = {bytes, capacity};
    struct iovec from[2] = {{(void *)(uintptr_t)address, page < capacity ? page : capacity},
                            {(void *)(uintptr_t)(address + page), page < capacity ? capacity - page : 0}};
    return process_vm_readv((pid_t)process, &to, 1, from, page < capacity ? 2 : 1, 0);
}

static ssize_t take_bytes(const notice *n, uint64_t address, void *bytes, size_t capacity) {
    ssize_t got = spate_tracer_take_bytes(n->asked->pid, address, bytes, capacity);
    if (got < 0 && (errno == EPERM || errno == ENOMEM || errno == ENOSYS))
        spate_tracer_table_trouble(n->table, "a process could not be inspected", "");
    return got;
}

/* Reads a name with its NUL into name[PATH_MAX]. Returns false if the address is invalid; the kernel then rejects the
 * call, too. */
static bool take_name(const notice *n, uint64_t address, char *name) {
    size_t short_one = 256; /* enough for nearly all names */
    ssize_t got = take_bytes(n, address, name, short_one);
    if (got == (ssize_t)short_one && !memchr(name, '\0', short_one))
        got = take_bytes(n, address, name, PATH_MAX);
    return got > 0 && memchr(name, '\0', (size_t)got);
}

static bool is_pending(const notice *n) {
    return ioctl(n->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &n->asked->id) == 0;
}

/* ---- paths ---- */

typedef struct absolute {
    char text[SPATE_TRACER_JOINED_MAX];
    size_t length;
} absolute;

/* Gets the path of an open directory from /proc. Returns false if it does not exist any more. */
static bool take_folder(const notice *n, int descriptor, char *folder) {
    char link[64];
    struct stat info;
    if (descriptor == AT_FDCWD)
        snprintf(link, sizeof(link), "/proc/%u/cwd", n->asked->pid);
    else
        snprintf(link, sizeof(link), "/proc/%u/fd/%d", n->asked->pid, descriptor);
    ssize_t length = readlink(link, folder, PATH_MAX);
    if (length < 0 && errno == ENOENT)
        return false; /* invalid descriptor: the call fails */
    if (length < 0 || length == PATH_MAX || folder[0] == '(') {
        if (is_pending(n))
            spate_tracer_table_trouble(n->table, "a folder without a path: ", link);
        return false;
    }
    folder[length] = '\0';
    static const char deleted[] = " (deleted)";
    size_t tail = sizeof(deleted) - 1;
    bool marked = (size_t)length > tail && strcmp(folder + length - tail, deleted) == 0;
    return folder[0] == '/' && !(marked && stat(link, &info) == 0 && info.st_nlink == 0);
}

/* Sets *path to the absolute path for `name`. Returns false if it is unknown. */
static bool resolve(const notice *n, int folder_place, const char *name, absolute *path) {
    char folder[PATH_MAX + 1] = "";
    int descriptor = folder_place == SPATE_TRACER_NONE ? AT_FDCWD : (int)argument(n, folder_place);
    if (name[0] == '\0')
        return false;
    if (name[0] != '/' && !take_folder(n, descriptor, folder)) {
        if (strstr(name, "..") && is_pending(n))
            spate_tracer_table_trouble(n->table, "out of a folder that was removed: ", name);
        return false;
    }
    path->length = spate_tracer_join(path->text, sizeof(path->text), folder, name);
    if (path->length > SPATE_TRACER_TEXT_MAX) {
        spate_tracer_table_trouble(n->table, "a path too long: ", path->text);
        return false;
    }
    return path->length > 0;
}

static bool take_path(const notice *n, int folder_place, int place, absolute *path) {
    char name[PATH_MAX];
    return take_name(n, argument(n, place), name) && resolve(n, folder_place, name, path);
}

/* Returns the process ID for a thread ID. Requests contain the thread ID, and /proc has directories for both. */
static int process_of(uint32_t thread) {
    char link[64];
    char line[256] = "";
    snprintf(link, sizeof(link), "/proc/%u/status", thread);
    int file = open(link, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return (int)thread;
    ssize_t got = read(file, line, sizeof(line) - 1);
    close(file);
    const char *found = got > 0 ? strstr(line, "\nTgid:") : NULL;
    int number;
    return found && sscanf(found, "\nTgid: %d", &number) == 1 ? number : (int)thread;
}

static spate_tracer_path trace(const notice *n, const absolute *path) {
    bool asks_proc = strncmp(path->text, "/proc/", 6) == 0;
    return (spate_tracer_path){n->table, path->text, path->length, asks_proc ? process_of(n->asked->pid) : 0};
}

/* Predicts the result of a call that examines the path: 0 or a negative errno. */
static long stat_result(const absolute *path, bool follow, struct stat *info) {
    return fstatat(AT_FDCWD, path->text, info, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
}

static long look_at_parent(const absolute *path) {
    absolute folder = *path;
    struct stat info;
    while (folder.length > 1 && folder.text[folder.length - 1] != '/')
        folder.length--;
    folder.text[folder.length] = '\0';
    return stat_result(&folder, true, &info);
}

/* ---- texts of removed files ---- */

#define TEXT_MAX ((off_t)4 << 20)
#define TEXTS_MAX ((off_t)64 << 20)

static bool was_read(const notice *n, const absolute *path) {
    uint64_t kinds = spate_tracer_table_kinds(n->table, path->text, path->length);
    while (kinds != 0 && (kinds & 15) != SPATE_TRACER_READ && (kinds & 15) != SPATE_TRACER_RUN)
        kinds >>= 4;
    return kinds != 0;
}

static bool is_compiled(const char *text, ssize_t length) {
    return length >= 4 && (memcmp(text, "\177ELF", 4) == 0 || memcmp(text, "!<ar", 4) == 0);
}

static void append_text(const notice *n, const absolute *path, int file, size_t size) {
    uint32_t lengths[2] = {(uint32_t)path->length, 0};
    char *entry = malloc(sizeof(lengths) + path->length + size);
    char *text = entry ? entry + sizeof(lengths) + path->length : NULL;
    ssize_t got = entry ? pread(file, text, size, 0) : -1;
    if (got > 0 && !is_compiled(text, got)) {
        lengths[1] = (uint32_t)got;
        memcpy(entry, lengths, sizeof(lengths));
        memcpy(entry + sizeof(lengths), path->text, path->length);
        ssize_t all = (ssize_t)(sizeof(lengths) + path->length) + got;
        off_t end = lseek(n->texts, 0, SEEK_END); /* only this thread writes; readers use pread */
        if (end < 0 || end > TEXTS_MAX || pwrite(n->texts, entry, (size_t)all, end) != all)
            spate_tracer_table_trouble(n->table, "too much text was read and removed: ", path->text);
    } else if (got < 0) {
        spate_tracer_table_trouble(n->table, "a removed text could not be read: ", path->text);
    }
    free(entry);
}

/* Whether it is a compiler's test file. lib/spate/build/trace/words.rb skips these, too. */
static bool is_source(const absolute *path) {
    const char *end = path->text + path->length;
    return path->length > 2 && end[-2] == '.' && strchr("chsoaCHSOA", end[-1]);
}

/* Saves the text of a file that is about to be removed. A shell may have read variables because of it, and the hooks do
 * not record those. */
static void keep_text(const notice *n, const absolute *path) {
    struct stat info;
    if (is_source(path) || !was_read(n, path))
        return;
    int file = open(path->text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size <= TEXT_MAX)
        append_text(n, path, file, (size_t)info.st_size);
    close(file);
}

/* ---- handlers of calls; they return like spate_tracer_notice ---- */

static long record_open(const notice *n, const absolute *path, uint64_t flags) {
    struct stat info;
    spate_tracer_path p = trace(n, path);
    long result = stat_result(path, (flags & O_NOFOLLOW) == 0, &info);
    bool existed = result == 0;
    if (existed && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        result = -EEXIST;
    else if (result == -ENOENT && (flags & O_CREAT) != 0)
        result = look_at_parent(path);
    spate_tracer_opened(&p, flags, existed, result);
    return result;
}

static long record_made(const notice *n, const absolute *path, bool may_exist) {
    struct stat info;
    spate_tracer_path p = trace(n, path);
    long result = stat_result(path, false, &info);
    if (result == 0 && !may_exist)
        result = -EEXIST;
    else if (result == -ENOENT)
        result = look_at_parent(path);
    spate_tracer_made(&p, result);
    return result;
}

static long record_look(const notice *n, const absolute *path, spate_tracer_kind kind, bool follow) {
    struct stat info;
    spate_tracer_path p = trace(n, path);
    long result = stat_result(path, follow, &info);
    spate_tracer_recorded(&p, kind, result);
    return result;
}

static long record_change(const notice *n, const absolute *path, spate_tracer_kind before, bool follow) {
    struct stat info;
    spate_tracer_path p = trace(n, path);
    long result = stat_result(path, follow, &info);
    spate_tracer_changed(&p, before, result);
    return result;
}

/* Records a new symlink. If it leads out of an ignored directory, reads through it would not be recorded, so its target
 * is recorded now. */
static long record_symlink(const notice *n, const absolute *path, const char *target) {
    absolute to;
    struct stat info;
    char folder[SPATE_TRACER_TEXT_MAX + 1];
    long made = record_made(n, path, false);
    if (!spate_tracer_table_ignored(n->table, path->text, path->length))
        return made;
    memcpy(folder, path->text, path->length + 1);
    *strrchr(folder, '/') = '\0';
    to.length = spate_tracer_join(to.text, sizeof(to.text), target[0] == '/' ? "" : folder, target);
    if (to.length == 0 || to.length > SPATE_TRACER_TEXT_MAX || spate_tracer_table_ignored(n->table, to.text, to.length))
        return made;
    spate_tracer_path p = trace(n, &to);
    long result = stat_result(&to, true, &info);
    if (result == 0 && S_ISDIR(info.st_mode))
        spate_tracer_table_trouble(n->table, "a link out of an ignored folder: ", to.text);
    else
        spate_tracer_recorded(&p, SPATE_TRACER_READ, result);
    return made;
}

static void record_connect(const notice *n) {
    struct sockaddr_un address = {0};
    absolute path;
    uint64_t place = argument(n, n->call->path), length = argument(n, n->call->flags);
    ssize_t got = take_bytes(n, place, &address, sizeof(address.sun_family));
    if (got < (ssize_t)sizeof(address.sun_family) || !is_pending(n))
        return;
    if (address.sun_family == AF_UNSPEC)
        return; /* disconnects a socket */
    if (address.sun_family != AF_UNIX) {
        spate_tracer_table_trouble(n->table, "network", "");
        return;
    }
    got = take_bytes(n, place, &address, length < sizeof(address) ? length : sizeof(address) - 1);
    if (got <= (ssize_t)offsetof(struct sockaddr_un, sun_path) || address.sun_path[0] == '\0')
        spate_tracer_table_trouble(n->table, "a socket without a path", "");
    else if (resolve(n, SPATE_TRACER_NONE, address.sun_path, &path) && is_pending(n))
        record_look(n, &path, SPATE_TRACER_CONNECTED, true);
}

static void record_listing(const notice *n) {
    char folder[PATH_MAX + 1];
    absolute path;
    if (!take_folder(n, (int)argument(n, 0), folder) || !is_pending(n))
        return;
    path.length = spate_tracer_join(path.text, sizeof(path.text), "", folder);
    spate_tracer_path p = trace(n, &path);
    spate_tracer_record(&p, SPATE_TRACER_LISTED);
}

static void record_run(const notice *n) {
    char name[PATH_MAX];
    char folder[PATH_MAX + 1] = "";
    absolute path;
    bool named = take_name(n, argument(n, n->call->path), name);
    if (!named || !is_pending(n))
        return;
    bool found = name[0] ? resolve(n, n->call->folder, name, &path)
                         : take_folder(n, (int)argument(n, n->call->folder), folder) &&
                               (path.length = spate_tracer_join(path.text, sizeof(path.text), "", folder)) > 0;
    char working[PATH_MAX + 1] = "";
    if (found && is_pending(n))
        spate_tracer_program(&(spate_tracer_path){n->table, path.text, path.length, 0},
                             take_folder(n, AT_FDCWD, working) ? working : "/");
}

static long record_two(const notice *n) {
    absolute path, second;
    char target[PATH_MAX];
    const spate_tracer_call *call = n->call;
    bool symlinks = call->means == SPATE_TRACER_SYMLINKS;
    bool first =
        symlinks ? take_name(n, argument(n, call->path), target) : take_path(n, call->folder, call->path, &path);
    bool to = take_path(n, call->second_folder, call->second_path, &second);
    if (!is_pending(n))
        return SPATE_TRACER_UNTOLD;
    if (symlinks)
        return first && to ? record_symlink(n, &second, target) : SPATE_TRACER_UNTOLD;
    long found = SPATE_TRACER_UNTOLD, made = SPATE_TRACER_UNTOLD;
    if (to && call->means == SPATE_TRACER_RENAMES)
        keep_text(n, &second);
    if (first && call->means == SPATE_TRACER_RENAMES)
        found = record_change(n, &path, SPATE_TRACER_READ, false);
    else if (first)
        found = record_look(n, &path, SPATE_TRACER_READ, false);
    if (to)
        made = record_made(n, &second, call->means == SPATE_TRACER_RENAMES);
    return found < 0 ? found : made;
}

/* RESOLVE_IN_ROOT from <linux/openat2.h>, which older headers lack. */
static const uint64_t IN_ROOT = 0x10;

static long record_one(const notice *n) {
    absolute path;
    uint64_t flags = argument(n, n->call->flags), how[3] = {0}; /* struct open_how: flags, mode, resolve */
    bool taken = take_path(n, n->call->folder, n->call->path, &path);
    if (n->call->means == SPATE_TRACER_OPENS_HOW) {
        if (take_bytes(n, flags, how, sizeof(how)) != sizeof(how))
            return SPATE_TRACER_UNTOLD;
        if (how[2] & IN_ROOT)
            spate_tracer_table_trouble(n->table, "a separate root", "");
        flags = how[0];
    }
    if (!taken || spate_tracer_table_ignored(n->table, path.text, path.length) || !is_pending(n))
        return SPATE_TRACER_UNTOLD;
    switch (n->call->means) {
    case SPATE_TRACER_OPENS:
    case SPATE_TRACER_OPENS_HOW: return record_open(n, &path, flags);
    case SPATE_TRACER_CREATES: return record_open(n, &path, O_WRONLY | O_CREAT | O_TRUNC);
    case SPATE_TRACER_LOOKS: return record_look(n, &path, SPATE_TRACER_LOOKED, (flags & AT_SYMLINK_NOFOLLOW) == 0);
    case SPATE_TRACER_LOOKS_AT_IT: return record_look(n, &path, SPATE_TRACER_LOOKED, false);
    case SPATE_TRACER_READS_LINK: return record_look(n, &path, SPATE_TRACER_LINK, false);
    case SPATE_TRACER_MAKES: return record_made(n, &path, false);
    case SPATE_TRACER_REMOVES: keep_text(n, &path); return record_change(n, &path, SPATE_TRACER_LOOKED, false);
    case SPATE_TRACER_CHANGES: return record_change(n, &path, SPATE_TRACER_LOOKED, (flags & AT_SYMLINK_NOFOLLOW) == 0);
    default: return SPATE_TRACER_UNTOLD;
    }
}

static void record_stranger(const notice *n) {
    char text[64];
    if (n->asked->data.arch != ARCHITECTURE || n->asked->data.nr > SPATE_TRACER_LAST_KNOWN * 100) {
        char link[64], program[PATH_MAX + 1];
        snprintf(link, sizeof(link), "/proc/%u/exe", n->asked->pid);
        ssize_t length = readlink(link, program, PATH_MAX);
        program[length < 0 ? 0 : length] = '\0';
        spate_tracer_table_trouble(n->table, "a program of another architecture: ", program);
    } else if (n->asked->data.nr == SYS_clone) {
        spate_tracer_table_trouble(n->table, "a separate namespace", "");
    } else if (n->asked->data.nr == SYS_seccomp) {
        spate_tracer_table_trouble(n->table, "another seccomp listener", "");
    } else {
        snprintf(text, sizeof(text), "%d", n->asked->data.nr);
        spate_tracer_table_trouble(n->table, "an unknown system call: ", text);
    }
}

long spate_tracer_notice(spate_tracer_table *table, int listener, int texts, const struct seccomp_notif *asked) {
    notice n = {.table = table, .listener = listener, .texts = texts, .asked = asked};
    n.call = asked->data.arch == ARCHITECTURE ? spate_tracer_call_of(asked->data.nr) : NULL;
    if (!n.call) {
        record_stranger(&n);
        return 0;
    }
    switch (n.call->means) {
    case SPATE_TRACER_CONTROLS:
    case SPATE_TRACER_TROUBLES:
        spate_tracer_table_trouble(table, "a system call that bypasses paths: ", n.call->name);
        return 0;
    case SPATE_TRACER_HAS_SOCKET: spate_tracer_table_trouble(table, "network", ""); return 0;
    case SPATE_TRACER_CONNECTS: record_connect(&n); return 0;
    case SPATE_TRACER_LISTS: record_listing(&n); return 0;
    case SPATE_TRACER_RUNS: record_run(&n); return 0;
    case SPATE_TRACER_CHANGES_OPEN: return SPATE_TRACER_UNTOLD;
    case SPATE_TRACER_RENAMES:
    case SPATE_TRACER_LINKS:
    case SPATE_TRACER_SYMLINKS: return record_two(&n);
    default: return record_one(&n);
    }
}

#endif

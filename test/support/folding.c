/*
 * A file system like that of macOS, based on a folder of this machine's. Names that differ only in case, or in composed
 * and decomposed accents, refer to the same file. It keeps the spelling with which it was created.
 *
 *     cc -o folding folding.c $(pkg-config --cflags --libs fuse3)
 *     folding FOLDER MOUNTPOINT
 */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <fuse.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *below;

/* Converts upper case to lower case, and "e" with a combining acute accent to "é". Ignores other alphabets. */
static void fold(const char *name, char *folded) {
    for (; *name; name++) {
        if (strncasecmp(name, "e\xCC\x81", 3) == 0 || strncmp(name, "\xC3\x89", 2) == 0) {
            name += name[0] == '\xC3' ? 1 : 2;
            memcpy(folded, "\xC3\xA9", 2);
            folded += 2;
        } else {
            *folded++ = (char)tolower((unsigned char)*name);
        }
    }
    *folded = '\0';
}

/* The existing spelling of a name in the folder, or the name itself. */
static void spell(const char *folder, const char *name, char *spelled) {
    char wanted[NAME_MAX + 1], other[NAME_MAX + 1];
    DIR *listing = opendir(folder);
    struct dirent *entry;
    strcpy(spelled, name);
    if (!listing)
        return;
    fold(name, wanted);
    while ((entry = readdir(listing))) {
        fold(entry->d_name, other);
        if (strcmp(wanted, other) == 0)
            strcpy(spelled, entry->d_name);
    }
    closedir(listing);
}

/* The path in the folder below. There is one buffer per thread and call site. */
static const char *real(const char *path, int place) {
    static _Thread_local char found[2][2 * PATH_MAX];
    char *at = found[place], name[NAME_MAX + 1];
    size_t length = (size_t)snprintf(at, PATH_MAX, "%s", below);
    while (*(path += strspn(path, "/"))) {
        size_t part = strcspn(path, "/");
        snprintf(name, sizeof(name), "%.*s", (int)part, path);
        char spelled[NAME_MAX + 1];
        spell(at, name, spelled);
        length += (size_t)snprintf(at + length, PATH_MAX, "/%s", spelled);
        path += part;
    }
    return at;
}

#define ANSWER(call) return (call) < 0 ? -errno : 0
#define FILE_OF(info) ((int)(info)->fh)

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config) {
    (void)connection;
    config->use_ino = 1;
    config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
    return NULL;
}

static int get(const char *path, struct stat *info, struct fuse_file_info *file) {
    ANSWER(file ? fstat(FILE_OF(file), info) : lstat(real(path, 0), info));
}
static int may(const char *path, int mode) {
    ANSWER(access(real(path, 0), mode));
}
static int make_folder(const char *path, mode_t mode) {
    ANSWER(mkdir(real(path, 0), mode));
}
static int remove_file(const char *path) {
    ANSWER(unlink(real(path, 0)));
}
static int remove_folder(const char *path) {
    ANSWER(rmdir(real(path, 0)));
}
static int make_symlink(const char *target, const char *path) {
    ANSWER(symlink(target, real(path, 0)));
}
static int make_link(const char *from, const char *to) {
    ANSWER(link(real(from, 0), real(to, 1)));
}
static int move(const char *from, const char *to, unsigned flags) {
    ANSWER(renameat2(AT_FDCWD, real(from, 0), AT_FDCWD, real(to, 1), flags));
}
static int set_mode(const char *path, mode_t mode, struct fuse_file_info *file) {
    ANSWER(file ? fchmod(FILE_OF(file), mode) : chmod(real(path, 0), mode));
}
static int set_owner(const char *path, uid_t user, gid_t group, struct fuse_file_info *file) {
    ANSWER(file ? fchown(FILE_OF(file), user, group) : lchown(real(path, 0), user, group));
}
static int set_size(const char *path, off_t size, struct fuse_file_info *file) {
    ANSWER(file ? ftruncate(FILE_OF(file), size) : truncate(real(path, 0), size));
}
static int set_times(const char *path, const struct timespec times[2], struct fuse_file_info *file) {
    ANSWER(file ? futimens(FILE_OF(file), times) : utimensat(AT_FDCWD, real(path, 0), times, AT_SYMLINK_NOFOLLOW));
}
static int read_link(const char *path, char *target, size_t size) {
    ssize_t length = readlink(real(path, 0), target, size - 1);
    if (length < 0)
        return -errno;
    target[length] = '\0';
    return 0;
}
static int open_file(const char *path, struct fuse_file_info *file) {
    int descriptor = open(real(path, 0), file->flags);
    file->fh = (uint64_t)descriptor;
    return descriptor < 0 ? -errno : 0;
}
static int create_file(const char *path, mode_t mode, struct fuse_file_info *file) {
    int descriptor = open(real(path, 0), file->flags | O_CREAT, mode);
    file->fh = (uint64_t)descriptor;
    return descriptor < 0 ? -errno : 0;
}
static int read_file(const char *path, char *bytes, size_t size, off_t at, struct fuse_file_info *file) {
    (void)path;
    ssize_t got = pread(FILE_OF(file), bytes, size, at);
    return got < 0 ? -errno : (int)got;
}
static int write_file(const char *path, const char *bytes, size_t size, off_t at, struct fuse_file_info *file) {
    (void)path;
    ssize_t put = pwrite(FILE_OF(file), bytes, size, at);
    return put < 0 ? -errno : (int)put;
}
static int close_file(const char *path, struct fuse_file_info *file) {
    (void)path;
    ANSWER(close(FILE_OF(file)));
}
static int sync_file(const char *path, int data, struct fuse_file_info *file) {
    (void)path;
    ANSWER(data ? fdatasync(FILE_OF(file)) : fsync(FILE_OF(file)));
}
static int list(const char *path, void *into, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *file,
                enum fuse_readdir_flags flags) {
    (void)at, (void)file, (void)flags;
    DIR *listing = opendir(real(path, 0));
    struct dirent *entry;
    if (!listing)
        return -errno;
    while ((entry = readdir(listing)))
        fill(into, entry->d_name, NULL, 0, 0);
    closedir(listing);
    return 0;
}

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = get,
    .access = may,
    .mkdir = make_folder,
    .unlink = remove_file,
    .rmdir = remove_folder,
    .symlink = make_symlink,
    .link = make_link,
    .rename = move,
    .chmod = set_mode,
    .chown = set_owner,
    .truncate = set_size,
    .utimens = set_times,
    .readlink = read_link,
    .open = open_file,
    .create = create_file,
    .read = read_file,
    .write = write_file,
    .release = close_file,
    .fsync = sync_file,
    .readdir = list,
};

int main(int count, char **words) {
    char *options[] = {words[0], words[2], "-f", "-o", "default_permissions", NULL};
    if (count != 3)
        return 2;
    below = words[1];
    umask(0);
    return fuse_main(5, options, &operations, NULL);
}

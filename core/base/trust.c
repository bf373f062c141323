#define _GNU_SOURCE
#include "base/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40

_Static_assert(sizeof(((spate_culprit *)0)->path) >= PATH_MAX, "a path fits");

const char *spate_distrust_name(spate_distrust reason) {
    switch (reason) {
    case SPATE_TRUSTED: return NULL;
    case SPATE_FOREIGN_OWNER: return "owner";
    case SPATE_GROUP_WRITES: return "group";
    case SPATE_OTHERS_WRITE: return "others";
    case SPATE_NO_FOLDER: return "folder";
    case SPATE_NOT_SEARCHABLE: return "search";
    }
    return "folder";
}

static bool is_home(const struct stat *info) {
    const char *home = getenv("HOME");
    struct stat there;
    return home && stat(home, &there) == 0 && there.st_dev == info->st_dev && there.st_ino == info->st_ino;
}

/* `machine` is the owner of "/". */
static bool has_trusted_owner(const struct stat *info, uid_t machine, bool last) {
    return info->st_uid == 0 || info->st_uid == geteuid() || (!last && (info->st_uid == machine || is_home(info)));
}

static spate_distrust of_entry(const struct stat *info, uid_t machine, bool group, bool sticky, bool last) {
    if (!has_trusted_owner(info, machine, last))
        return SPATE_FOREIGN_OWNER;
    if (S_ISLNK(info->st_mode) || ((sticky || !last) && (info->st_mode & S_ISVTX)))
        return SPATE_TRUSTED;
    if (!S_ISDIR(info->st_mode))
        return SPATE_NO_FOLDER;
    if (info->st_mode & S_IWOTH)
        return SPATE_OTHERS_WRITE;
    bool own_group = !last && info->st_gid == info->st_uid;
    return (info->st_mode & S_IWGRP) && !group && !own_group ? SPATE_GROUP_WRITES : SPATE_TRUSTED;
}

static spate_distrust of_errno(int reason) {
    return reason == ENOENT ? SPATE_TRUSTED : reason == EACCES ? SPATE_NOT_SEARCHABLE : SPATE_NO_FOLDER;
}

/* Replaces the link at [name, end) of the path with its target. */
static bool follow(char path[PATH_MAX], size_t name, size_t end) {
    char target[PATH_MAX];
    char rest[PATH_MAX];
    strcpy(rest, path + end);
    path[end] = '\0';
    ssize_t length = readlink(path, target, sizeof(target));
    if (length <= 0)
        return false;
    size_t kept = target[0] == '/' ? 0 : name;
    if (kept + (size_t)length + strlen(rest) >= PATH_MAX)
        return false;
    memcpy(path + kept, target, (size_t)length);
    strcpy(path + kept + length, rest);
    return true;
}

/* Makes `path` absolute. Returns false if the result is too long. */
static bool begin(char whole[PATH_MAX], const char *path) {
    size_t length = 0;
    whole[0] = '\0';
    if (path[0] != '/') {
        if (!getcwd(whole, PATH_MAX - 1))
            return false;
        length = strlen(whole);
        whole[length++] = '/';
    }
    size_t more = strlen(path);
    if (length + more >= PATH_MAX)
        return false;
    memcpy(whole + length, path, more + 1);
    return true;
}

spate_distrust spate_trust_path(const char *path, bool group, bool sticky, spate_culprit *culprit) {
    struct stat info;
    char *whole = culprit->path;
    int links = 0;
    uid_t machine = 0;
    culprit->owner = culprit->mode = 0;
    if (!begin(whole, path))
        return SPATE_NO_FOLDER;
    /*
     * Checks "/", "/a", "/a/b" and so on; the current prefix ends at `end`, and its last component starts at `name`.
     * Starts again at "/" after a link.
     */
    for (size_t name = 0, end = 1;;) {
        bool last = whole[end + strspn(whole + end, "/")] == '\0';
        char behind = whole[end];
        whole[end] = '\0';
        if (lstat(whole, &info) != 0)
            return of_errno(errno);
        culprit->owner = info.st_uid;
        culprit->mode = info.st_mode & 07777;
        if (end == 1)
            machine = info.st_uid;
        spate_distrust found = of_entry(&info, machine, group, sticky, last);
        if (found != SPATE_TRUSTED)
            return found;
        whole[end] = behind;
        if (S_ISLNK(info.st_mode)) {
            if (++links > LINKS_MAX || !follow(whole, name, end))
                return SPATE_NO_FOLDER;
            name = 0;
            end = 1;
        } else if (last) {
            return SPATE_TRUSTED;
        } else {
            name = end + strspn(whole + end, "/");
            end = name + strcspn(whole + name, "/");
        }
    }
}

#define _GNU_SOURCE
#include "base/file.h"
#include "link/link.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of links that a thread claims at a time. */
#define ITEM_LINKS 64

typedef struct looking {
    const spate_symlink *links;
    size_t count;
    int root;
    bool *same;
} looking;

static bool same_target(int root, const spate_symlink *link) {
    char target[PATH_MAX];
    ssize_t length = readlinkat(root, link->path, target, sizeof(target));
    return length >= 0 && (size_t)length == strlen(link->target) && memcmp(target, link->target, (size_t)length) == 0;
}

static bool same_bytes(int file, const char *text, size_t length) {
    char step[4096];
    while (length > 0) {
        size_t part = length < sizeof(step) ? length : sizeof(step);
        if (spate_read_full(file, step, part) != (int64_t)part || memcmp(step, text, part) != 0)
            return false;
        text += part;
        length -= part;
    }
    return true;
}

static bool same_text(int root, const spate_symlink *link) {
    struct stat info;
    int file = openat(root, link->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return false;
    bool same = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0777) == (link->mode & 0777) &&
                (uint64_t)info.st_size == link->length && same_bytes(file, link->text, link->length);
    close(file);
    return same;
}

static void compare_links(void *context, size_t index) {
    looking *l = context;
    size_t end = (index + 1) * ITEM_LINKS < l->count ? (index + 1) * ITEM_LINKS : l->count;
    for (size_t i = index * ITEM_LINKS; i < end; i++)
        l->same[i] = l->links[i].target ? same_target(l->root, &l->links[i]) : same_text(l->root, &l->links[i]);
}

spate_status spate_check_links(spate_pool *pool, const char *root, const spate_symlink *links, size_t count, bool *same,
                               spate_error *error) {
    looking l = {.links = links, .count = count, .root = open(root, SPATE_FOLDER_FLAGS), .same = same};
    if (l.root < 0)
        return spate_fail_errno(error, root, "open");
    spate_status status = spate_pool_run(pool, (count + ITEM_LINKS - 1) / ITEM_LINKS, compare_links, &l);
    close(l.root);
    return status == SPATE_OK ? status : spate_fail(error, status, "", "no memory for threads");
}

#include "front/text.h"

#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trusted(const struct stat *info) {
    return (info->st_uid == 0 || info->st_uid == geteuid()) && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

long spate_read_text(const char *path, char *text, size_t max, bool own) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    struct stat info;
    int64_t length = -1;
    if (fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && (!own || is_trusted(&info)))
        length = spate_read_full(descriptor, text, max + 1);
    bool closed = close(descriptor) == 0;
    if (!closed || length < 0 || (size_t)length > max)
        return -1;
    text[length] = '\0';
    return (long)length;
}

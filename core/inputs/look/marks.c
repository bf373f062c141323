#define _GNU_SOURCE
#include "inputs/look/marks.h"

#include "base/file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool spate_marks_take(const char *folder, const char *names, size_t length, spate_mark *marks) {
    int descriptor = open(folder, SPATE_FOLDER_FLAGS);
    if (descriptor < 0)
        return false;
    for (const char *name = names; name < names + length; name += strlen(name) + 1, marks++) {
        struct stat info;
        *marks = (spate_mark){0};
        if (fstatat(descriptor, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        marks->mode = info.st_mode;
        marks->size = S_ISDIR(info.st_mode) ? 0 : (uint64_t)info.st_size;
        marks->inode = info.st_ino;
        marks->mtime_ns = spate_mtime_ns(&info);
    }
    close(descriptor);
    return true;
}

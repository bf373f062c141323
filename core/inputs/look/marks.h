/* The lstat results of many paths as bytes that can be stored and compared: the cheapest check that nothing changed. */
#ifndef SPATE_INPUTS_MARKS_H
#define SPATE_INPUTS_MARKS_H

#include "shared/status.h"

/* The mark of one path, in the machine's byte order. All zero if the path cannot be found. */
typedef struct spate_mark {
    uint64_t mode; /* type and permissions */
    uint64_t size; /* 0 for folders: a change in a folder changes its mtime */
    uint64_t inode;
    int64_t mtime_ns;
} spate_mark;

/*
 * names: paths relative to the folder, each with its NUL, `length` bytes together. `marks` must have room for one mark
 * per name. The ctime is ignored because linking the file into another project changes it. Returns false and sets errno
 * if the folder cannot be opened.
 */
bool spate_marks_take(const char *folder, const char *names, size_t length, spate_mark *marks);

#endif

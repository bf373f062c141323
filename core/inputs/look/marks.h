/* The lstat results of many paths, as bytes that can be stored and compared. This is the cheapest way to check that
 * nothing changed. */
#ifndef SPATE_INPUTS_MARKS_H
#define SPATE_INPUTS_MARKS_H

#include "shared/status.h"

/* The mark of one path, in the machine's byte order. All zero if lstat fails. */
typedef struct spate_mark {
    uint64_t mode; /* type and permissions */
    uint64_t size; /* 0 for directories: a change in a directory changes its mtime */
    uint64_t inode;
    int64_t mtime_ns;
} spate_mark;

/*
 * Fills in one mark for each name. `names` contains paths relative to `folder`, each NUL-terminated, in `length` bytes.
 * The ctime is not part of a mark because linking the file into another project changes it. Returns false with errno
 * set if the directory cannot be opened.
 */
bool spate_marks_take(const char *folder, const char *names, size_t length, spate_mark *marks);

#endif

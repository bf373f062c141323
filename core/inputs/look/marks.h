/* The lstat results of many paths, as bytes to store and compare later: the cheapest check that all is in place. */
#ifndef SPATE_INPUTS_MARKS_H
#define SPATE_INPUTS_MARKS_H

#include "shared/status.h"

/* Of one path, in the machine's own byte order: all zero if nothing can be found. */
typedef struct spate_mark {
    uint64_t mode; /* type and permissions */
    uint64_t size; /* of folders 0: changes in them change their mtime */
    uint64_t inode;
    int64_t mtime_ns;
} spate_mark;

/*
 * names: paths relative to the folder, each with its NUL, `length` bytes together. marks has room for one for each. The
 * ctime does not count: it changes when the file's content is linked into another project. false with errno set if
 * the folder cannot be opened.
 */
bool spate_marks_take(const char *folder, const char *names, size_t length, spate_mark *marks);

#endif

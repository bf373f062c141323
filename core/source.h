/*
 * Whether a file is still the one that a boot image was made from. Size and times decide; where they cannot, the
 * content does. docs/image-format.md has the rules.
 */
#ifndef SPATE_SOURCE_H
#define SPATE_SOURCE_H

#include "image.h"

/* Times that lie so near to the recording are not trusted: two writes within one tick of the kernel's clock (up to
 * 10 ms before Linux 6.13) leave the same time. */
#define SPATE_SOURCE_RACY_NS INT64_C(20000000)

typedef struct spate_source {
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    uint64_t device;
    uint64_t inode;
    bool regular;
    bool symlink; /* the path's last part is one; the rest is of what it leads to */
} spate_source;

/* false with errno where there is nothing (a dangling link, say). */
bool spate_source_stat(const char *path, spate_source *source);

typedef enum spate_source_state {
    SPATE_SOURCE_SAME,
    SPATE_SOURCE_ASK_CONTENT, /* same size, but other times or too near to the recording */
    SPATE_SOURCE_OTHER,
} spate_source_state;

spate_source_state spate_source_compare(const spate_source *source, const spate_image_file *recorded);

/* Of what the path leads to; false with errno. */
bool spate_source_hash(const char *path, uint8_t out[SPATE_SIPHASH_BYTES]);

/*
 * Real paths of files. A compiled file carries the real path it had; where a folder on the way has become a symlink
 * since, or leads elsewhere, it must not be used. Each folder is looked at once in two seconds. For one thread.
 */
typedef struct spate_realpaths spate_realpaths;

spate_realpaths *spate_realpaths_new(void); /* NULL: no memory */
void spate_realpaths_free(spate_realpaths *realpaths);
/* Looks at every folder anew. NULL is fine. */
void spate_realpaths_forget(spate_realpaths *realpaths);
/* Whether the real path of `path` (NUL-terminated) is `expected`. `symlink`: as spate_source_stat found. */
bool spate_realpaths_match(spate_realpaths *realpaths, const char *path, size_t length, bool symlink,
                           const char *expected, size_t expected_length);

#endif

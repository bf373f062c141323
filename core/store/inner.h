/* Shared by the files behind store.h: store.c, object.c (reads), put.c (creates), file.c (writes in pieces). */
#ifndef SPATE_STORE_INNER_H
#define SPATE_STORE_INNER_H

#include "store/place.h"
#include "store/store.h"

#include <stdatomic.h>
#include <sys/stat.h>

#define SPATE_STORE_STEP ((size_t)64 << 10)

struct spate_store {
    char *root;
    size_t root_length;
    atomic_uint counter; /* of temporary names */
    uint64_t salt;       /* of temporary names: in containers every process has the same number */
    spate_way way;
    bool owned; /* whether objects must belong to this one or root: */
    uid_t owner;
};

/* The bytes in memory or, if those are NULL, the content with this hash. */
typedef struct spate_content {
    const uint8_t *bytes;
    size_t length;
    const uint8_t *sha256;
} spate_content;

/* A new name in the store's tmp, into out[PATH_MAX]. */
void spate_store_temporary_path(spate_store *store, char *out);
static inline bool spate_store_right_owner(const spate_store *store, const struct stat *info) {
    return !store->owned || info->st_uid == store->owner || info->st_uid == 0;
}

/*
 * Reads an object and returns whether its content matches its name. ENOENT in errno means a missing object; *info has
 * no mode if nothing could be opened.
 */
bool spate_store_is_right(const spate_store *store, const spate_spot *object, const spate_content *wanted,
                          uint32_t mode, struct stat *info);
/*
 * The file at the spot is complete and correct: makes it the object or, if a correct object exists already, makes the
 * spot another name of that. *info describes the file before and the object after.
 */
spate_status spate_store_share(spate_store *store, const spate_spot *spot, const spate_spot *object,
                               const spate_content *wanted, uint32_t mode, struct stat *info, spate_error *error);
void spate_store_describe(spate_entry *entry, const uint8_t *sha256, uint64_t length, uint32_t mode,
                          const struct stat *info);

#endif

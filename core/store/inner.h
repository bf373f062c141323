/* Declarations shared by store.c, object.c (reads objects), put.c (creates them) and file.c (writes in pieces). */
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
    atomic_uint counter; /* for the names of temporary files */
    uint64_t salt;       /* for the names of temporary files: processes in different containers may have the same
                          * process ID */
    spate_way way;
    bool owned; /* whether objects must belong to `owner` or root */
    uid_t owner;
};

/* Expected content: bytes in memory or, if `bytes` is NULL, the SHA-256. */
typedef struct spate_content {
    const uint8_t *bytes;
    size_t length;
    const uint8_t *sha256;
} spate_content;

/* Writes a new path in the store's tmp directory to out[PATH_MAX]. */
void spate_store_temporary_path(spate_store *store, char *out);
static inline bool spate_store_right_owner(const spate_store *store, const struct stat *info) {
    return !store->owned || info->st_uid == store->owner || info->st_uid == 0;
}

/*
 * Reads an object and returns whether its content matches `wanted`. If it cannot be opened, info->st_mode is 0 and
 * errno is set (ENOENT if it is missing).
 */
bool spate_store_is_right(const spate_store *store, const spate_spot *object, const spate_content *wanted,
                          uint32_t mode, struct stat *info);
/*
 * Makes the complete and correct file at `spot` an object. If a correct object already exists, replaces the file with a
 * link to that object instead. *info describes the file before the call and the object after it.
 */
spate_status spate_store_share(spate_store *store, const spate_spot *spot, const spate_spot *object,
                               const spate_content *wanted, uint32_t mode, struct stat *info, spate_error *error);
void spate_store_describe(spate_entry *entry, const uint8_t *sha256, uint64_t length, uint32_t mode,
                          const struct stat *info);

#endif

/* A set of directories to create, in an order that puts parents before their children. */
#ifndef SPATE_FOLDERS_H
#define SPATE_FOLDERS_H

#include "shared/status.h"

/* The mode is determined by the umask alone. For directories that an archive does not list. */
#define SPATE_FOLDER_PLAIN UINT32_MAX

typedef struct spate_folder {
    const char *path; /* not owned, `length` bytes, not NUL-terminated */
    size_t length;
    uint32_t mode; /* & 0777, or SPATE_FOLDER_PLAIN */
} spate_folder;

/* Zero it before use and release it with spate_folders_free. */
typedef struct spate_folders {
    spate_folder *items;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing; each slot is an index into items plus 1, or 0 if empty */
    size_t mask;
} spate_folders;

/*
 * Adds a directory after its missing parents. All new ones get `mode`. `path` must stay valid as long as the set.
 * Returns false if out of memory.
 */
bool spate_folders_add(spate_folders *folders, const char *path, size_t length, uint32_t mode);
/* Adds the directory that contains the file `path`. */
bool spate_folders_add_parent(spate_folders *folders, const char *path);
void spate_folders_free(spate_folders *folders);

#endif

/* A set of folders to create, parents before their contents. */
#ifndef SPATE_FOLDERS_H
#define SPATE_FOLDERS_H

#include "shared/status.h"

/* The umask decides: for folders that an archive only implies. */
#define SPATE_FOLDER_PLAIN UINT32_MAX

typedef struct spate_folder {
    const char *path; /* borrowed, `length` bytes without a NUL at the end */
    size_t length;
    uint32_t mode; /* & 0777, or SPATE_FOLDER_PLAIN */
} spate_folder;

/* Zero it first; freed with spate_folders_free. */
typedef struct spate_folders {
    spate_folder *items;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing: index into items + 1, 0 is empty */
    size_t mask;
} spate_folders;

/*
 * Adds a folder and, before it, its missing parents; all new ones get `mode`, as with mkdir -p -m. The path is borrowed
 * for the set's life. false without memory.
 */
bool spate_folders_add(spate_folders *folders, const char *path, size_t length, uint32_t mode);
/* Adds the folder that contains a file. */
bool spate_folders_add_parent(spate_folders *folders, const char *path);
void spate_folders_free(spate_folders *folders);

#endif

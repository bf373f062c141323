/* Selects the members of an archive to use, and rejects conflicting ones. */
#define _GNU_SOURCE
#include "unpack/listing.h"

#include "archive/path.h"

#include <stdlib.h>
#include <string.h>

void spate_listing_free(spate_listing *listing) {
    spate_listing_free_strings(listing->strings);
    free(listing->members);
    spate_folders_free(&listing->folders);
    free(listing->entries);
    memset(listing, 0, sizeof(*listing));
}

/* ---- if several members have the same path, the last one wins ---- */

static int by_path_and_place(const void *left, const void *right) {
    const spate_member *a = *(const spate_member *const *)left;
    const spate_member *b = *(const spate_member *const *)right;
    int order = strcmp(a->path, b->path);
    return order != 0 ? order : a < b ? -1 : a > b;
}

/* Returns the members to use, sorted by path, or NULL if out of memory. Most archives are already sorted. */
static spate_member **winners(spate_listing *listing, size_t *count) {
    spate_member **order = malloc((listing->member_count + 1) * sizeof(*order));
    if (!order)
        return NULL;
    size_t used = 0;
    bool sorted = true;
    for (size_t i = 0; i < listing->member_count; i++) {
        if (listing->members[i].dropped)
            continue;
        order[used++] = &listing->members[i];
        sorted = sorted && (used < 2 || strcmp(order[used - 2]->path, order[used - 1]->path) <= 0);
    }
    if (!sorted)
        qsort(order, used, sizeof(*order), by_path_and_place);
    size_t kept = 0;
    for (size_t i = 0; i < used; i++) {
        order[i]->dropped = i + 1 < used && strcmp(order[i]->path, order[i + 1]->path) == 0;
        if (!order[i]->dropped)
            order[kept++] = order[i];
    }
    *count = kept;
    return order;
}

static const spate_member *find(spate_member *const *order, size_t count, const char *path, size_t length) {
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = order[middle]->path;
        int difference = strncmp(other, path, length);
        if (difference == 0 && other[length] != '\0')
            difference = 1;
        if (difference == 0)
            return order[middle];
        if (difference < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- folders ---- */

/* In a gem, missing parents get the directory's mode, as with mkdir -p -m. In a build, they do not. */
static bool add_folder(spate_listing *listing, const spate_member *member, spate_archive_kind kind) {
    if (kind == SPATE_ARCHIVE_BUILD && !spate_folders_add_parent(&listing->folders, member->path))
        return false;
    return spate_folders_add(&listing->folders, member->path, strlen(member->path), member->mode);
}

/* Directories are counted too, because a path of two kilobytes can imply a thousand of them. */
static spate_status list_folders(spate_listing *listing, const spate_unpack_options *limits, spate_error *error) {
    for (size_t i = 0; i < listing->member_count; i++) {
        const spate_member *member = &listing->members[i];
        bool fits = true;
        if (member->dropped)
            continue;
        if (member->type == SPATE_ENTRY_DIRECTORY)
            fits = add_folder(listing, member, limits->kind);
        else
            fits = spate_folders_add_parent(&listing->folders, member->path);
        if (!fits)
            return spate_listing_no_memory(error, member->path);
        if (listing->folders.count > limits->max_entries)
            return spate_fail(error, SPATE_LIMIT, member->path, "archive needs more than the allowed %zu folders",
                              limits->max_entries);
    }
    return SPATE_OK;
}

/* ---- rejected archives ---- */

static spate_status check_folders(const spate_listing *listing, spate_member *const *order, size_t count,
                                  spate_error *error) {
    for (size_t i = 0; i < listing->folders.count; i++) {
        const spate_folder *folder = &listing->folders.items[i];
        const spate_member *same = find(order, count, folder->path, folder->length);
        if (same && same->type == SPATE_ENTRY_SYMLINK)
            return spate_fail(error, SPATE_REFUSED, same->path, "symlink to \"%s\" has members beneath it",
                              same->target);
        if (same && same->type == SPATE_ENTRY_FILE)
            return spate_fail(error, SPATE_REFUSED, same->path, "both a file and a folder");
    }
    return SPATE_OK;
}

/* Drops members of ignored types. They come this far because they replace earlier members with the same path and create
 * parent directories, as in RubyGems. */
static size_t drop_ignored(spate_member **order, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        order[i]->dropped = order[i]->ignored;
        if (!order[i]->ignored)
            order[kept++] = order[i];
    }
    return kept;
}

/* ---- the result ---- */

static int by_entry_path(const void *left, const void *right) {
    return strcmp(((const spate_entry *)left)->path, ((const spate_entry *)right)->path);
}

/* Creates entries for files and symlinks, and for directories whose mode is in the archive, sorted by path. */
static spate_status make_entries(spate_listing *listing, spate_member *const *order, size_t count, spate_error *error) {
    size_t folders = 0;
    for (size_t i = 0; i < listing->folders.count; i++)
        folders += listing->folders.items[i].mode != SPATE_FOLDER_PLAIN;
    listing->entries = calloc(count + folders + 1, sizeof(*listing->entries));
    if (!listing->entries)
        return spate_listing_no_memory(error, "");
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (order[i]->type == SPATE_ENTRY_DIRECTORY)
            continue;
        listing->bytes += order[i]->size;
        listing->entries[used++] = (spate_entry){.type = order[i]->type,
                                                 .mode = order[i]->mode,
                                                 .size = order[i]->size,
                                                 .path = order[i]->path,
                                                 .target = order[i]->target};
    }
    for (size_t i = 0; i < listing->folders.count; i++) {
        const spate_folder *folder = &listing->folders.items[i];
        if (folder->mode == SPATE_FOLDER_PLAIN)
            continue;
        const char *path = spate_listing_keep(listing, folder->path, folder->length);
        if (!path)
            return spate_listing_no_memory(error, "");
        listing->entries[used++] =
            (spate_entry){.type = SPATE_ENTRY_DIRECTORY, .mode = folder->mode, .path = path, .target = ""};
    }
    if (folders > 0)
        qsort(listing->entries, used, sizeof(*listing->entries), by_entry_path);
    listing->count = used;
    for (size_t i = 0, entry = 0; i < count; i++) { /* both lists are sorted by path */
        while (entry < used && strcmp(listing->entries[entry].path, order[i]->path) < 0)
            entry++;
        order[i]->entry = entry;
    }
    return SPATE_OK;
}

spate_status spate_listing_read(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error) {
    spate_status status = spate_listing_walk(listing, tar, limits, error);
    if (status != SPATE_OK)
        return status;
    size_t count = 0;
    spate_member **order = winners(listing, &count);
    if (!order)
        return spate_listing_no_memory(error, "");
    status = list_folders(listing, limits, error);
    if (status == SPATE_OK)
        status = check_folders(listing, order, count, error);
    count = drop_ignored(order, count);
    for (size_t i = 0; i < count && status == SPATE_OK; i++)
        if (order[i]->type == SPATE_ENTRY_SYMLINK)
            status = spate_path_check_link(order[i]->path, order[i]->target, error);
    if (status == SPATE_OK)
        status = make_entries(listing, order, count, error);
    free(order);
    return status;
}

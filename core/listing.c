#define _GNU_SOURCE
#include "listing.h"

#include "path.h"

#include <stdlib.h>
#include <string.h>

#define PATH_CAPACITY 4200
#define BLOCK_BYTES ((size_t)32 << 10)

/* Strings live as long as the list: blocks that never move. */
typedef struct block {
    struct block *next;
    size_t used;
    size_t capacity;
    char bytes[];
} block;

static const char *keep(spate_listing *listing, const char *text, size_t length) {
    block *first = listing->strings;
    if (!first || first->capacity - first->used < length + 1) {
        size_t capacity = length + 1 > BLOCK_BYTES ? length + 1 : BLOCK_BYTES;
        block *made = malloc(sizeof(*made) + capacity);
        if (!made)
            return NULL;
        made->next = first;
        made->used = 0;
        made->capacity = capacity;
        listing->strings = first = made;
    }
    char *copy = first->bytes + first->used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    first->used += length + 1;
    return copy;
}

void spate_listing_free_strings(void *strings) {
    for (block *at = strings; at;) {
        block *next = at->next;
        free(at);
        at = next;
    }
}

void spate_listing_free(spate_listing *listing) {
    spate_listing_free_strings(listing->strings);
    free(listing->members);
    spate_folders_free(&listing->folders);
    free(listing->entries);
    memset(listing, 0, sizeof(*listing));
}

static spate_status no_memory(spate_error *error, const char *member) {
    return spate_fail(error, SPATE_NO_MEMORY, member, "no memory for the list of files");
}

/* ---- the walk ---- */

static spate_status clean_name(const spate_tar_entry *found, spate_archive_kind kind, char *path, size_t *length,
                               spate_error *error) {
    if (kind == SPATE_ARCHIVE_NPM)
        return spate_path_clean_npm(found->name, found->name_length, path, PATH_CAPACITY, length, error);
    return spate_path_clean(found->name, found->name_length, path, PATH_CAPACITY, length, error);
}

/* npm gives files 0644 and 0755, and folders what the umask says, whatever the archive holds. */
static uint32_t mode_of(const spate_tar_entry *found, const spate_unpack_options *limits) {
    if (limits->kind == SPATE_ARCHIVE_NPM)
        return found->type == SPATE_TAR_DIRECTORY || found->mode & 0111 ? 0755 : 0644;
    uint32_t mode = found->mode & 0777;
    if (limits->mode_mask)
        mode &= limits->mode_mask;
    return found->type == SPATE_TAR_DIRECTORY ? mode | 0700 : mode;
}

static spate_status add_member(spate_listing *listing, const spate_tar_entry *found, const spate_unpack_options *limits,
                               uint64_t *total, spate_error *error) {
    char path[PATH_CAPACITY];
    size_t length = 0;
    bool npm = limits->kind == SPATE_ARCHIVE_NPM;
    if (found->type == SPATE_TAR_HARDLINK && !npm)
        return spate_fail(error, SPATE_REFUSED, found->name,
                          "hard link to \"%s\": packages hold files, folders and symlinks", found->link_name);
    if (found->type == SPATE_TAR_OTHER)
        return spate_fail(error, SPATE_REFUSED, found->name, "device, FIFO or unknown member type '%c'",
                          found->type_flag);
    spate_status status = clean_name(found, limits->kind, path, &length, error);
    if (status != SPATE_OK)
        return status;
    if (length == 0 && found->type != SPATE_TAR_DIRECTORY)
        return spate_fail(error, SPATE_REFUSED, found->name, "a file in place of the package's folder");
    if (found->type == SPATE_TAR_FILE) {
        if (found->size > limits->max_entry)
            return spate_fail(error, SPATE_LIMIT, path, "file of %llu bytes, more than the %llu that are allowed",
                              (unsigned long long)found->size, (unsigned long long)limits->max_entry);
        *total += found->size;
        if (*total > limits->max_total)
            return spate_fail(error, SPATE_LIMIT, path, "archive holds more than the %llu bytes that are allowed",
                              (unsigned long long)limits->max_total);
    }
    if (listing->member_count >= limits->max_entries)
        return spate_fail(error, SPATE_LIMIT, path, "archive holds more than the %zu members that are allowed",
                          limits->max_entries);
    if (listing->member_count == listing->member_capacity) {
        size_t capacity = listing->member_capacity ? 2 * listing->member_capacity : 64;
        spate_member *grown = realloc(listing->members, capacity * sizeof(*grown));
        if (!grown)
            return no_memory(error, path);
        listing->members = grown;
        listing->member_capacity = capacity;
    }
    bool symlink = found->type == SPATE_TAR_SYMLINK;
    bool link = symlink || found->type == SPATE_TAR_HARDLINK;
    spate_member *member = &listing->members[listing->member_count];
    *member = (spate_member){
        .path = keep(listing, path, length),
        .target = symlink ? keep(listing, found->link_name, strlen(found->link_name)) : "",
        .payload = found->payload,
        .size = found->type == SPATE_TAR_FILE ? found->size : 0,
        .mode = symlink ? 0777 : mode_of(found, limits),
        .type = symlink                              ? SPATE_ENTRY_SYMLINK
                : found->type == SPATE_TAR_DIRECTORY ? SPATE_ENTRY_DIRECTORY
                                                     : SPATE_ENTRY_FILE,
        .dropped = length == 0 || (link && npm), /* npm leaves links out */
    };
    if (!member->path || !member->target)
        return no_memory(error, path);
    listing->member_count++;
    return SPATE_OK;
}

static spate_status walk(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                         spate_error *error) {
    spate_tar_entry found;
    uint64_t total = 0;
    for (;;) {
        bool more = false;
        if (limits->cancel && limits->cancel->requested)
            return spate_fail(error, SPATE_CANCELLED, "", "cancelled");
        spate_status status = spate_tar_next(tar, &found, &more, error);
        if (status != SPATE_OK || !more)
            return status;
        status = add_member(listing, &found, limits, &total, error);
        if (status != SPATE_OK)
            return status;
    }
}

/* ---- the last member of a path wins ---- */

static int by_path_and_place(const void *left, const void *right) {
    const spate_member *a = *(const spate_member *const *)left;
    const spate_member *b = *(const spate_member *const *)right;
    int order = strcmp(a->path, b->path);
    return order != 0 ? order : a < b ? -1 : a > b;
}

/* The members that count, sorted by path; NULL without memory. Most archives are sorted already. */
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

static spate_status list_folders(spate_listing *listing, spate_error *error) {
    for (size_t i = 0; i < listing->member_count; i++) {
        const spate_member *member = &listing->members[i];
        bool fits = true;
        if (member->dropped)
            continue;
        if (member->type == SPATE_ENTRY_DIRECTORY)
            fits = spate_folders_add(&listing->folders, member->path, strlen(member->path), member->mode);
        else
            fits = spate_folders_add_parent(&listing->folders, member->path);
        if (!fits)
            return no_memory(error, member->path);
    }
    return SPATE_OK;
}

/* ---- what must not be ---- */

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

/* ---- the result ---- */

static int by_entry_path(const void *left, const void *right) {
    return strcmp(((const spate_entry *)left)->path, ((const spate_entry *)right)->path);
}

/* Files and symlinks, and the folders that the archive itself gives a mode, sorted by path. */
static spate_status make_entries(spate_listing *listing, spate_member *const *order, size_t count, spate_error *error) {
    size_t folders = 0;
    for (size_t i = 0; i < listing->folders.count; i++)
        folders += listing->folders.items[i].mode != SPATE_FOLDER_PLAIN;
    listing->entries = calloc(count + folders + 1, sizeof(*listing->entries));
    if (!listing->entries)
        return no_memory(error, "");
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
        const char *path = keep(listing, folder->path, folder->length);
        if (!path)
            return no_memory(error, "");
        listing->entries[used++] =
            (spate_entry){.type = SPATE_ENTRY_DIRECTORY, .mode = folder->mode, .path = path, .target = ""};
    }
    if (folders > 0)
        qsort(listing->entries, used, sizeof(*listing->entries), by_entry_path);
    listing->count = used;
    for (size_t i = 0, entry = 0; i < count; i++) { /* both are sorted by path */
        while (entry < used && strcmp(listing->entries[entry].path, order[i]->path) < 0)
            entry++;
        order[i]->entry = entry;
    }
    return SPATE_OK;
}

spate_status spate_listing_read(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
                                spate_error *error) {
    spate_status status = walk(listing, tar, limits, error);
    if (status != SPATE_OK)
        return status;
    size_t count = 0;
    spate_member **order = winners(listing, &count);
    if (!order)
        return no_memory(error, "");
    status = list_folders(listing, error);
    if (status == SPATE_OK)
        status = check_folders(listing, order, count, error);
    for (size_t i = 0; i < count && status == SPATE_OK; i++)
        if (order[i]->type == SPATE_ENTRY_SYMLINK)
            status = spate_path_check_link(order[i]->path, order[i]->target, error);
    if (status == SPATE_OK)
        status = make_entries(listing, order, count, error);
    free(order);
    return status;
}

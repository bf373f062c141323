/* Reads the members of an archive: checks their type and size and cleans their paths. */
#define _GNU_SOURCE
#include "unpack/listing.h"

#include "archive/path.h"

#include <stdlib.h>
#include <string.h>

#define PATH_CAPACITY 4200

#define BLOCK_BYTES ((size_t)32 << 10)

/* A block of strings. Blocks never move, so that strings are valid as long as the listing. */
typedef struct block {
    struct block *next;
    size_t used;
    size_t capacity;
    char bytes[];
} block;

const char *spate_listing_keep(spate_listing *listing, const char *text, size_t length) {
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

spate_status spate_listing_no_memory(spate_error *error, const char *member) {
    return spate_fail(error, SPATE_NO_MEMORY, member, "no memory for the list of files");
}

static spate_status clean_name(const spate_tar_entry *found, spate_archive_kind kind, char *path, size_t *length,
                               spate_error *error) {
    if (kind == SPATE_ARCHIVE_NPM)
        return spate_path_clean_npm(found->name, found->name_length, path, PATH_CAPACITY, length, error);
    return spate_path_clean(found->name, found->name_length, path, PATH_CAPACITY, length, error);
}

/*
 * Whether npm and pnpm skip the member: links, directories (parents of files are created anyway, with the umask's mode;
 * empty ones are not) and files outside the package's directory.
 */
static bool is_left_out(const spate_tar_entry *found, size_t length, spate_archive_kind kind) {
    return length == 0 || (kind == SPATE_ARCHIVE_NPM && found->type != SPATE_TAR_FILE);
}

/*
 * Whether RubyGems or npm ignores members of this type, such as volume labels and access control lists. RubyGems reads
 * ' ' as a file, and node-tar reads 'N' as the name of the next member. These two are rejected, because ignoring them
 * would lose a file.
 */
static bool is_ignored(const spate_tar_entry *found, spate_archive_kind kind) {
    switch (kind) {
    case SPATE_ARCHIVE_GEM:
        return found->type_flag == '7' || (found->type == SPATE_TAR_OTHER && found->type_flag != ' ');
    case SPATE_ARCHIVE_NPM: return found->type == SPATE_TAR_OTHER && found->type_flag != 'N';
    default: return false;
    }
}

/* npm packages only have the modes 0644 and 0755; other bits of the archive are ignored. */
static uint32_t mode_of(const spate_tar_entry *found, const spate_unpack_options *limits) {
    if (limits->kind == SPATE_ARCHIVE_NPM)
        return found->mode & 0111 ? 0755 : 0644;
    uint32_t mode = found->mode & 0777;
    if (limits->mode_mask)
        mode &= limits->mode_mask;
    return found->type == SPATE_TAR_DIRECTORY && limits->kind == SPATE_ARCHIVE_GEM ? mode | 0700 : mode;
}

static spate_status check_size(const char *path, uint64_t size, const spate_unpack_options *limits, uint64_t *total,
                               spate_error *error) {
    if (size > limits->max_entry)
        return spate_fail(error, SPATE_LIMIT, path, "file of %llu bytes, more than the allowed %llu",
                          (unsigned long long)size, (unsigned long long)limits->max_entry);
    *total += size;
    if (*total > limits->max_total)
        return spate_fail(error, SPATE_LIMIT, path, "archive has more than the allowed %llu bytes",
                          (unsigned long long)limits->max_total);
    return SPATE_OK;
}

static spate_status check_member(const spate_listing *listing, const spate_tar_entry *found, const char *path,
                                 size_t length, const spate_unpack_options *limits, uint64_t *total,
                                 spate_error *error) {
    if (length == 0 && found->type != SPATE_TAR_DIRECTORY && limits->kind != SPATE_ARCHIVE_NPM)
        return spate_fail(error, SPATE_REFUSED, found->name, "a file in place of the package's folder");
    spate_status status = SPATE_OK;
    if (found->type == SPATE_TAR_FILE)
        status = check_size(path, found->size, limits, total, error);
    if (status == SPATE_OK && listing->member_count >= limits->max_entries)
        status =
            spate_fail(error, SPATE_LIMIT, path, "archive has more than the allowed %zu members", limits->max_entries);
    return status;
}

static spate_status check_type(const spate_tar_entry *found, spate_archive_kind kind, spate_error *error) {
    if (found->type == SPATE_TAR_HARDLINK && kind != SPATE_ARCHIVE_NPM)
        return spate_fail(error, SPATE_REFUSED, found->name,
                          "hard link to \"%s\": packages hold files, folders and symlinks", found->link_name);
    if (found->type == SPATE_TAR_DEVICE)
        return spate_fail(error, SPATE_REFUSED, found->name, "a device or FIFO, type '%c'", found->type_flag);
    if (found->type == SPATE_TAR_OTHER && !is_ignored(found, kind))
        return spate_fail(error, SPATE_REFUSED, found->name, "unknown member type '%c'", found->type_flag);
    if (kind == SPATE_ARCHIVE_BUILD && found->mode > 0777)
        return spate_fail(error, SPATE_REFUSED, found->name, "mode %o: setuid, setgid or sticky", found->mode);
    return SPATE_OK;
}

/* Returns memory for the next member, or NULL if out of memory. */
static spate_member *next_member(spate_listing *listing) {
    if (listing->member_count == listing->member_capacity) {
        size_t capacity = listing->member_capacity ? 2 * listing->member_capacity : 64;
        spate_member *grown = realloc(listing->members, capacity * sizeof(*grown));
        if (!grown)
            return NULL;
        listing->members = grown;
        listing->member_capacity = capacity;
    }
    return &listing->members[listing->member_count];
}

static spate_status add_member(spate_listing *listing, const spate_tar_entry *found, const spate_unpack_options *limits,
                               uint64_t *total, spate_error *error) {
    char path[PATH_CAPACITY];
    size_t length = 0;
    spate_status status = check_type(found, limits->kind, error);
    if (status == SPATE_OK)
        status = clean_name(found, limits->kind, path, &length, error);
    if (status == SPATE_OK)
        status = check_member(listing, found, path, length, limits, total, error);
    if (status != SPATE_OK)
        return status;
    spate_member *member = next_member(listing);
    if (!member)
        return spate_listing_no_memory(error, path);
    bool symlink = found->type == SPATE_TAR_SYMLINK;
    *member = (spate_member){
        .path = spate_listing_keep(listing, path, length),
        .target = symlink ? spate_listing_keep(listing, found->link_name, strlen(found->link_name)) : "",
        .payload = found->payload,
        .size = found->type == SPATE_TAR_FILE ? found->size : 0,
        .mode = symlink ? 0777 : mode_of(found, limits),
        .type = symlink                              ? SPATE_ENTRY_SYMLINK
                : found->type == SPATE_TAR_DIRECTORY ? SPATE_ENTRY_DIRECTORY
                                                     : SPATE_ENTRY_FILE,
        .dropped = is_left_out(found, length, limits->kind),
        .ignored = is_ignored(found, limits->kind),
    };
    if (!member->path || !member->target)
        return spate_listing_no_memory(error, path);
    if (member->ignored && listing->ignored++ == 0)
        listing->first_ignored = spate_listing_keep(listing, found->name, found->name_length);
    listing->member_count++;
    return SPATE_OK;
}

spate_status spate_listing_walk(spate_listing *listing, spate_tar *tar, const spate_unpack_options *limits,
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

#define _GNU_SOURCE
#include "unpack/write.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Maximum number of files in a batch in stream mode. */
#define BATCH_FILES 4096
#define MEMBER_NONE SIZE_MAX

/* One file to write. */
typedef struct piece {
    const uint8_t *bytes;
    size_t length;
    size_t entry;
} piece;

/* State shared by the threads. The first failure stops all of them. */
typedef struct crew {
    spate_writing *writing;
    const piece *pieces;
    size_t tree_length;
    spate_failure failure;
} crew;

/* Writes "<tree>/<path>" to `out` and sets *place to it, or to NULL without a tree. Returns SPATE_SYSTEM if it is too
 * long. */
static spate_status tree_path(const spate_writing *writing, size_t tree_length, const char *path, size_t length,
                              char *out, const char **place, spate_error *error) {
    *place = NULL;
    if (!writing->tree)
        return SPATE_OK;
    *place = out;
    return spate_join(writing->tree, tree_length, path, length, out, "open", error);
}

static size_t tree_length_of(const spate_writing *writing) {
    return writing->tree ? strlen(writing->tree) : 0;
}

/* Makes an error mention the path in the package rather than that in a temporary tree. */
static spate_status named(spate_status status, spate_error *error, const char *path) {
    if (status != SPATE_OK && error) {
        char message[sizeof(error->message)];
        strcpy(message, error->message);
        int number = error->system_errno;
        spate_fail(error, status, path, "%s", message);
        error->system_errno = number;
    }
    return status;
}

static void write_piece(void *context, size_t index) {
    crew *c = context;
    char path[PATH_MAX];
    const char *place;
    spate_error error;
    const spate_writing *writing = c->writing;
    const piece *p = &c->pieces[index];
    spate_entry *entry = &writing->listing->entries[p->entry];
    if (spate_failed(&c->failure))
        return;
    spate_status status = spate_cancelled(writing->cancel, &error);
    if (status != SPATE_OK) {
        spate_failure_note(&c->failure, status, &error);
        return;
    }
    spate_way_give(spate_store_way(writing->store));
    status = tree_path(writing, c->tree_length, entry->path, strlen(entry->path), path, &place, &error);
    if (status == SPATE_OK)
        status =
            spate_store_put_in(writing->store, &writing->open, p->bytes, p->length, entry->mode, place, entry, &error);
    spate_failure_note(&c->failure, named(status, &error, entry->path), &error);
}

/* Runs all jobs and returns the first failure. */
static spate_status run(const crew *c, size_t count, void (*work)(void *context, size_t index), void *context,
                        spate_error *error) {
    spate_pool *pool = c->writing->pool;
    for (size_t i = 0; i < count && !pool; i++)
        work(context, i);
    if (pool && spate_pool_run(pool, count, work, context) != SPATE_OK)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for threads");
    return spate_failure_of(&c->failure, error);
}

spate_status spate_write_folders(spate_writing *writing, spate_error *error) {
    char path[PATH_MAX];
    const char *place;
    size_t tree_length = tree_length_of(writing);
    int objects = spate_store_objects(writing->store);
    writing->open = (spate_store_folders){objects < 0 ? AT_FDCWD : objects, AT_FDCWD, tree_length};
    if (!writing->tree)
        return SPATE_OK;
    if (mkdir(writing->tree, 0777) != 0)
        return spate_fail_errno(error, writing->tree, "mkdir");
    writing->tree_made = true;
    int tree = open(writing->tree, SPATE_FOLDER_FLAGS | O_NOFOLLOW);
    if (tree >= 0)
        writing->open.tree = tree;
    const spate_listing *listing = writing->listing;
    for (size_t i = 0; i < listing->folders.count; i++) {
        const spate_folder *folder = &listing->folders.items[i];
        spate_way_give(spate_store_way(writing->store));
        spate_status status = tree_path(writing, tree_length, folder->path, folder->length, path, &place, error);
        if (status != SPATE_OK)
            return status;
        if (mkdirat(writing->open.tree, tree < 0 ? place : place + tree_length + 1, 0777) != 0)
            return named(spate_fail_errno(error, place, "mkdir"), error, place + tree_length + 1);
    }
    return SPATE_OK;
}

void spate_write_end(spate_writing *writing) {
    if (writing->open.objects != AT_FDCWD)
        close(writing->open.objects);
    if (writing->open.tree != AT_FDCWD)
        close(writing->open.tree);
}

spate_status spate_write_memory(spate_writing *writing, spate_error *error) {
    const spate_listing *listing = writing->listing;
    piece *pieces = malloc((listing->member_count + 1) * sizeof(*pieces));
    if (!pieces)
        return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu files", listing->member_count);
    size_t count = 0;
    for (size_t i = 0; i < listing->member_count; i++) {
        const spate_member *member = &listing->members[i];
        if (!member->dropped && member->type == SPATE_ENTRY_FILE)
            pieces[count++] = (piece){member->payload, (size_t)member->size, member->entry};
    }
    crew c = {.writing = writing, .pieces = pieces, .tree_length = tree_length_of(writing)};
    spate_status status = run(&c, count, write_piece, &c, error);
    free(pieces);
    return status;
}

/* ---- streaming ---- */

/* Payloads of consecutive files of the archive. */
typedef struct batch {
    uint8_t *bytes;
    size_t used;
    piece *pieces;
    size_t count;
} batch;

typedef struct streaming {
    spate_writing *writing;
    spate_tar *tar;
    size_t capacity; /* capacity of a batch in bytes */
    size_t next;     /* index of the next member in the tar */
    size_t held;     /* index of a member whose header was read but whose payload did not fit, or MEMBER_NONE */
    bool ended;
} streaming;

static spate_status read_payload(spate_tar *tar, uint8_t *out, size_t length, spate_error *error) {
    size_t filled = 0;
    while (filled < length) {
        size_t produced = 0;
        spate_status status = spate_tar_read(tar, out + filled, length - filled, &produced, error);
        if (status != SPATE_OK)
            return status;
        if (produced == 0)
            return spate_fail(error, SPATE_TRUNCATED, "", "archive ends within a file");
        filled += produced;
    }
    return SPATE_OK;
}

/* Writes a file that does not fit into a batch, in pieces. Uses the batch's memory as a buffer. */
static spate_status write_large(streaming *s, batch *b, const spate_member *member, spate_error *error) {
    char path[PATH_MAX];
    const char *place;
    spate_writing *writing = s->writing;
    spate_store_file *file = NULL;
    spate_status status =
        tree_path(writing, tree_length_of(writing), member->path, strlen(member->path), path, &place, error);
    if (status == SPATE_OK)
        status = spate_store_file_begin(writing->store, &file, member->mode, place, error);
    for (uint64_t left = member->size; left > 0 && status == SPATE_OK;) {
        size_t part = left < s->capacity ? (size_t)left : s->capacity;
        status = spate_cancelled(writing->cancel, error);
        if (status == SPATE_OK)
            status = read_payload(s->tar, b->bytes, part, error);
        if (status == SPATE_OK)
            status = spate_store_file_write(file, b->bytes, part, error);
        left -= part;
    }
    if (status == SPATE_OK)
        return named(spate_store_file_finish(file, &writing->listing->entries[member->entry], error), error,
                     member->path);
    spate_store_file_abandon(file);
    return named(status, error, member->path);
}

static bool fits(const streaming *s, const batch *b, const spate_member *member) {
    return b->count < BATCH_FILES && member->size <= s->capacity - b->used;
}

/* Finds the next member to write and positions the tar at its payload. Sets *found to MEMBER_NONE at the end. */
static spate_status advance(streaming *s, size_t *found, spate_error *error) {
    const spate_listing *listing = s->writing->listing;
    *found = s->held;
    s->held = MEMBER_NONE;
    while (*found == MEMBER_NONE && !s->ended) {
        spate_tar_entry entry;
        bool more = false;
        spate_status status = spate_tar_next(s->tar, &entry, &more, error);
        if (status != SPATE_OK)
            return status;
        s->ended = !more;
        if (!more)
            break;
        size_t index = s->next++;
        if (index >= listing->member_count)
            return spate_fail(error, SPATE_CORRUPT, entry.name, "archive changed while it was read");
        const spate_member *member = &listing->members[index];
        if (member->dropped || member->type != SPATE_ENTRY_FILE)
            continue;
        if (entry.size != member->size || entry.type != SPATE_TAR_FILE)
            return spate_fail(error, SPATE_CORRUPT, entry.name, "archive changed while it was read");
        *found = index;
    }
    return SPATE_OK;
}

static spate_status fill(streaming *s, batch *b, spate_error *error) {
    b->used = b->count = 0;
    for (;;) {
        size_t index;
        spate_status status = spate_cancelled(s->writing->cancel, error);
        if (status == SPATE_OK)
            status = advance(s, &index, error);
        if (status != SPATE_OK || index == MEMBER_NONE)
            return status;
        const spate_member *member = &s->writing->listing->members[index];
        if (!fits(s, b, member) && b->count > 0) {
            s->held = index;
            return SPATE_OK;
        }
        if (member->size > s->capacity) {
            status = write_large(s, b, member, error);
        } else {
            status = read_payload(s->tar, b->bytes + b->used, (size_t)member->size, error);
            b->pieces[b->count++] = (piece){b->bytes + b->used, (size_t)member->size, member->entry};
            b->used += (size_t)member->size;
        }
        if (status != SPATE_OK)
            return status;
    }
}

/* In each round, one thread inflates the next batch while the others write the previous one. Then it helps them. */
typedef struct round_of {
    streaming *streaming;
    batch *filled;
    crew crew;
    spate_status status;
    spate_error error;
} round_of;

static void round_step(void *context, size_t index) {
    round_of *r = context;
    if (index == 0)
        r->status = fill(r->streaming, r->filled, &r->error);
    else
        write_piece(&r->crew, index - 1);
}

static spate_status run_round(streaming *s, batch *filled, batch *written, spate_error *error) {
    round_of r = {
        .streaming = s,
        .filled = filled,
        .crew = {.writing = s->writing, .pieces = written->pieces, .tree_length = tree_length_of(s->writing)},
    };
    spate_status status = run(&r.crew, written->count + 1, round_step, &r, error);
    if (status != SPATE_OK || r.status == SPATE_OK)
        return status;
    if (error)
        *error = r.error;
    return r.status;
}

spate_status spate_write_stream(spate_writing *writing, spate_tar *tar, size_t memory, spate_error *error) {
    streaming s = {.writing = writing, .tar = tar, .capacity = memory / 2 ? memory / 2 : 1, .held = MEMBER_NONE};
    batch batches[2] = {{0}, {0}};
    spate_status status = SPATE_OK;
    for (int i = 0; i < 2; i++) {
        batches[i].bytes = malloc(s.capacity);
        batches[i].pieces = malloc(BATCH_FILES * sizeof(piece));
        if (!batches[i].bytes || !batches[i].pieces)
            status = spate_fail(error, SPATE_NO_MEMORY, "", "no memory for %zu bytes", s.capacity);
    }
    for (int turn = 0; status == SPATE_OK; turn = 1 - turn) {
        status = run_round(&s, &batches[turn], &batches[1 - turn], error);
        batches[1 - turn].count = 0;
        if (s.ended && s.held == MEMBER_NONE && batches[turn].count == 0)
            break;
    }
    for (int i = 0; i < 2; i++) {
        free(batches[i].bytes);
        free(batches[i].pieces);
    }
    if (status == SPATE_OK && s.next != writing->listing->member_count)
        status = spate_fail(error, SPATE_CORRUPT, "", "archive changed while it was read");
    return status;
}

/* ---- symlinks and modes ---- */

spate_status spate_write_rest(spate_writing *writing, spate_error *error) {
    char path[PATH_MAX];
    const char *place;
    size_t tree_length = tree_length_of(writing);
    const spate_listing *listing = writing->listing;
    if (!writing->tree)
        return SPATE_OK;
    for (size_t i = 0; i < listing->count; i++) {
        const spate_entry *entry = &listing->entries[i];
        if (entry->type == SPATE_ENTRY_FILE)
            continue;
        spate_status status = tree_path(writing, tree_length, entry->path, strlen(entry->path), path, &place, error);
        if (status != SPATE_OK)
            return status;
        if (entry->type == SPATE_ENTRY_SYMLINK && symlink(entry->target, place) != 0)
            return named(spate_fail_errno(error, place, "symlink"), error, entry->path);
        if (entry->type == SPATE_ENTRY_DIRECTORY && chmod(place, entry->mode) != 0)
            return named(spate_fail_errno(error, place, "chmod"), error, entry->path);
    }
    return SPATE_OK;
}

#include "archive/tar.h"

#include <stdlib.h>
#include <string.h>

#include "archive/tar_header.h"

/* GNU long names and PAX headers are read into memory. Valid ones are far smaller than this. */
#define EXTENDED_MAX ((uint64_t)1024 * 1024)
#define SKIP_STEP ((size_t)16 * 1024)

/* The values of the 'x', 'L' and 'K' headers that precede a member; NULL or false if there were none. */
typedef struct tar_pending {
    char *gnu_name;
    char *gnu_link_name;
    spate_tar_pax pax;
    bool has_pax;
} tar_pending;

struct spate_tar {
    const uint8_t *input; /* memory mode; borrowed */
    size_t length;
    size_t at;                    /* offset of the next byte of input; in memory mode after the current payload */
    spate_inflate_stream *stream; /* stream mode, else NULL; borrowed */
    const uint8_t *payload;       /* memory mode: the rest of the payload that spate_tar_read has not returned yet */
    uint64_t remaining;           /* bytes of the current payload that were not read yet */
    uint64_t padding;             /* stream mode: bytes between the payload and the next block */
    spate_tar_header header;      /* owns the strings of a short name */
    tar_pending pending;          /* owns the strings of a long name */
    bool old_pax;                 /* type 'X' is read as a PAX header */
    bool ended;
    spate_error failure; /* returned again by every later call */
};

static bool has_pending(const tar_pending *pending) {
    return pending->gnu_name != NULL || pending->gnu_link_name != NULL || pending->has_pax;
}

static void forget(tar_pending *pending) {
    free(pending->gnu_name);
    free(pending->gnu_link_name);
    spate_tar_pax_free(&pending->pax);
    memset(pending, 0, sizeof *pending);
}

static spate_status new_tar(spate_tar **tar, spate_error *error) {
    *tar = calloc(1, sizeof **tar);
    return *tar != NULL ? SPATE_OK : spate_fail(error, SPATE_NO_MEMORY, NULL, "no memory for a tar walker");
}

spate_status spate_tar_open_memory(spate_tar **tar, const uint8_t *input, size_t length, spate_error *error) {
    static const uint8_t nothing;

    spate_status status = new_tar(tar, error);
    if (status == SPATE_OK) {
        (*tar)->input = length == 0 ? &nothing : input; /* `input` may be NULL, and arithmetic on NULL is undefined */
        (*tar)->length = length;
    }
    return status;
}

spate_status spate_tar_open_stream(spate_tar **tar, spate_inflate_stream *stream, spate_error *error) {
    spate_status status = new_tar(tar, error);
    if (status == SPATE_OK)
        (*tar)->stream = stream;
    return status;
}

void spate_tar_read_old_pax(spate_tar *tar) {
    tar->old_pax = true;
}

void spate_tar_close(spate_tar *tar) {
    if (tar == NULL)
        return;
    forget(&tar->pending);
    free(tar);
}

/* Reads up to `capacity` bytes of the archive. Reads fewer only at the end of the archive. */
static spate_status take(spate_tar *tar, uint8_t *out, size_t capacity, size_t *taken, spate_error *error) {
    *taken = 0;
    if (tar->stream == NULL) {
        size_t left = tar->length - tar->at;
        *taken = left < capacity ? left : capacity;
        if (*taken > 0)
            memcpy(out, tar->input + tar->at, *taken);
        tar->at += *taken;
        return SPATE_OK;
    }
    while (*taken < capacity) {
        size_t produced = 0;
        spate_status status = spate_inflate_read(tar->stream, out + *taken, capacity - *taken, &produced, error);
        if (status != SPATE_OK || produced == 0)
            return status;
        *taken += produced;
    }
    return SPATE_OK;
}

/* Stream mode: discards `count` bytes. *skipped is smaller than `count` only at the end of the archive. */
static spate_status skip(spate_tar *tar, uint64_t count, uint64_t *skipped, spate_error *error) {
    uint8_t waste[SKIP_STEP];

    *skipped = 0;
    while (*skipped < count) {
        uint64_t left = count - *skipped;
        size_t step = left < sizeof waste ? (size_t)left : sizeof waste;
        size_t taken = 0;
        spate_status status = take(tar, waste, step, &taken, error);
        *skipped += taken;
        if (status != SPATE_OK || taken < step)
            return status;
    }
    return SPATE_OK;
}

static spate_status truncated_payload(const char *name, uint64_t size, uint64_t missing, spate_error *error) {
    return spate_fail(error, SPATE_TRUNCATED, name, "the archive ends %llu bytes before the end of this member of %llu",
                      (unsigned long long)missing, (unsigned long long)size);
}

static uint64_t padding_of(uint64_t size) {
    return (SPATE_TAR_BLOCK - size % SPATE_TAR_BLOCK) % SPATE_TAR_BLOCK;
}

/* Memory mode: skips a payload of `size` bytes and returns a pointer to it. Like RubyGems, tolerates missing padding
 * after the last member. */
static spate_status borrow(spate_tar *tar, const char *name, uint64_t size, const uint8_t **payload,
                           spate_error *error) {
    size_t left = tar->length - tar->at;
    if (size > left)
        return truncated_payload(name, size, size - left, error);
    *payload = tar->input + tar->at;
    tar->at += (size_t)size;
    left -= (size_t)size;
    uint64_t padding = padding_of(size);
    tar->at += padding < left ? (size_t)padding : left;
    return SPATE_OK;
}

/* Stream mode: skips the unread rest of the previous member. */
static spate_status leave_payload(spate_tar *tar, spate_error *error) {
    uint64_t skipped = 0;

    if (tar->stream == NULL)
        return SPATE_OK;
    spate_status status = skip(tar, tar->remaining, &skipped, error);
    if (status != SPATE_OK)
        return status;
    if (skipped < tar->remaining)
        return truncated_payload(tar->header.name, tar->remaining, tar->remaining - skipped, error);
    tar->remaining = 0;
    status = skip(tar, tar->padding, &skipped, error);
    tar->padding = 0;
    return status;
}

/* Reads the whole payload of an extended header and appends a NUL. The caller frees *text. */
static spate_status take_extended(spate_tar *tar, char **text, size_t *length, spate_error *error) {
    const spate_tar_header *header = &tar->header;
    if (header->size > EXTENDED_MAX) {
        return spate_fail(error, SPATE_REFUSED, header->name,
                          "an extended header of %llu bytes, more than the allowed %llu",
                          (unsigned long long)header->size, (unsigned long long)EXTENDED_MAX);
    }
    size_t size = (size_t)header->size;
    size_t taken = 0;
    *text = malloc(size + 1);
    if (*text == NULL)
        return spate_fail(error, SPATE_NO_MEMORY, header->name, "no memory for an extended header");
    spate_status status = take(tar, (uint8_t *)*text, size, &taken, error);
    if (status == SPATE_OK && taken < size)
        status = truncated_payload(header->name, size, size - taken, error);
    if (status == SPATE_OK) {
        uint8_t waste[SPATE_TAR_BLOCK];
        status = take(tar, waste, (size_t)padding_of(size), &taken, error);
    }
    if (status != SPATE_OK) {
        free(*text);
        *text = NULL;
        return status;
    }
    (*text)[size] = '\0';
    *length = size;
    return SPATE_OK;
}

static spate_status take_gnu_name(spate_tar *tar, char **kept, spate_error *error) {
    size_t length = 0;
    if (*kept != NULL)
        return spate_fail(error, SPATE_CORRUPT, *kept, "two GNU long names for one member");
    spate_status status = take_extended(tar, kept, &length, error);
    if (status != SPATE_OK)
        return status;
    while (length > 0 && (*kept)[length - 1] == '\0')
        length--;
    if (strlen(*kept) != length)
        return spate_fail(error, SPATE_REFUSED, *kept, "a GNU long name that contains a null byte");
    return SPATE_OK;
}

static spate_status take_pax(spate_tar *tar, spate_error *error) {
    bool global = tar->header.type_flag == 'g';
    char *records = NULL;
    size_t length = 0;
    if (!global && tar->pending.has_pax)
        return spate_fail(error, SPATE_CORRUPT, tar->header.name, "two PAX headers for one member");
    spate_status status = take_extended(tar, &records, &length, error);
    if (status != SPATE_OK)
        return status;
    if (global) {
        status = spate_tar_pax_check_global(records, length, error);
    } else {
        status = spate_tar_pax_parse(&tar->pending.pax, records, length, error);
        tar->pending.has_pax = true;
    }
    free(records);
    return status;
}

/* Called at the end of the archive. Reads a stream to its end, so that zlib verifies its checksum. */
static spate_status end(spate_tar *tar, spate_error *error) {
    if (has_pending(&tar->pending))
        return spate_fail(error, SPATE_TRUNCATED, NULL, "the archive ends between an extended header and its member");
    tar->ended = true;
    uint64_t skipped = 0;
    return tar->stream == NULL ? SPATE_OK : skip(tar, UINT64_MAX, &skipped, error);
}

/* Reads the next header into tar->header. Sets *more to false at the end of the archive: at a block of zeros or at the
 * end of the input. */
static spate_status take_header(spate_tar *tar, bool *more, spate_error *error) {
    uint8_t block[SPATE_TAR_BLOCK];
    const uint8_t *bytes = block;
    size_t taken = 0;

    if (tar->stream == NULL && tar->length - tar->at >= SPATE_TAR_BLOCK) {
        bytes = tar->input + tar->at;
        taken = SPATE_TAR_BLOCK;
        tar->at += SPATE_TAR_BLOCK;
    } else {
        spate_status status = take(tar, block, sizeof block, &taken, error);
        if (status != SPATE_OK)
            return status;
    }
    *more = taken > 0 && !spate_tar_is_zero(bytes, taken);
    if (!*more)
        return end(tar, error);
    if (taken < SPATE_TAR_BLOCK)
        return spate_fail(error, SPATE_TRUNCATED, NULL, "the archive ends within a member's header");
    return spate_tar_header_parse(&tar->header, bytes, error);
}

/* Reads headers up to and including that of the next member. Stores the values of the extended headers before it in
 * tar->pending. */
static spate_status find_member(spate_tar *tar, bool *more, spate_error *error) {
    for (;;) {
        spate_status status = take_header(tar, more, error);
        if (status != SPATE_OK || !*more)
            return status;
        switch (tar->header.type_flag) {
        case 'L': status = take_gnu_name(tar, &tar->pending.gnu_name, error); break;
        case 'K': status = take_gnu_name(tar, &tar->pending.gnu_link_name, error); break;
        case 'X':
            if (!tar->old_pax)
                return SPATE_OK;
            status = take_pax(tar, error);
            break;
        case 'x':
        case 'g': status = take_pax(tar, error); break;
        default: return SPATE_OK;
        }
        if (status != SPATE_OK)
            return status;
    }
}

static spate_tar_type type_of(char flag, const char *name, size_t name_length) {
    switch (flag) {
    case '\0':
    case '0': /* before ustar, a directory was a file with a trailing slash in its name */
        return name_length > 0 && name[name_length - 1] == '/' ? SPATE_TAR_DIRECTORY : SPATE_TAR_FILE;
    case '7': return SPATE_TAR_FILE;
    case '1': return SPATE_TAR_HARDLINK;
    case '2': return SPATE_TAR_SYMLINK;
    case '5': return SPATE_TAR_DIRECTORY;
    case '3':
    case '4':
    case '6': return SPATE_TAR_DEVICE;
    default: return SPATE_TAR_OTHER;
    }
}

/* PAX values take precedence over GNU long names, and those over the header. */
static void describe(const spate_tar *tar, spate_tar_entry *entry) {
    const tar_pending *said = &tar->pending;
    const spate_tar_header *header = &tar->header;

    memset(entry, 0, sizeof *entry);
    entry->name = said->pax.path ? said->pax.path : said->gnu_name ? said->gnu_name : header->name;
    entry->name_length = strlen(entry->name);
    entry->link_name = said->pax.link_path   ? said->pax.link_path
                       : said->gnu_link_name ? said->gnu_link_name
                                             : header->link_name;
    entry->size = said->pax.has_size ? said->pax.size : header->size;
    entry->mode = header->mode;
    entry->type_flag = header->type_flag == '\0' ? '0' : header->type_flag;
    entry->type = type_of(header->type_flag, entry->name, entry->name_length);
}

static spate_status check_member(const spate_tar *tar, const spate_tar_entry *entry, spate_error *error) {
    if (entry->type_flag == 'S' || tar->pending.pax.sparse)
        return spate_fail(error, SPATE_REFUSED, entry->name, "a sparse file");
    if (entry->type_flag == 'M')
        return spate_fail(error, SPATE_REFUSED, entry->name, "a file continued from another volume");
    /* Readers disagree on whether such a member has content, and therefore on the position of the next header. */
    bool bodiless =
        entry->type == SPATE_TAR_DIRECTORY || entry->type == SPATE_TAR_SYMLINK || entry->type == SPATE_TAR_HARDLINK;
    if (bodiless && entry->size > 0) {
        return spate_fail(error, SPATE_CORRUPT, entry->name, "a directory or link with %llu bytes of content",
                          (unsigned long long)entry->size);
    }
    return SPATE_OK;
}

static spate_status next_member(spate_tar *tar, spate_tar_entry *entry, bool *more, spate_error *error) {
    spate_status status = leave_payload(tar, error);
    if (status != SPATE_OK)
        return status;
    forget(&tar->pending);
    status = find_member(tar, more, error);
    if (status != SPATE_OK || !*more)
        return status;
    describe(tar, entry);
    status = check_member(tar, entry, error);
    if (status != SPATE_OK)
        return status;
    tar->remaining = entry->size;
    if (tar->stream != NULL) {
        tar->padding = padding_of(entry->size);
        return SPATE_OK;
    }
    status = borrow(tar, entry->name, entry->size, &entry->payload, error);
    tar->payload = entry->payload;
    return status;
}

static spate_status repeat_failure(const spate_tar *tar, spate_error *error) {
    if (error != NULL)
        *error = tar->failure;
    return tar->failure.status;
}

spate_status spate_tar_next(spate_tar *tar, spate_tar_entry *entry, bool *more, spate_error *error) {
    *more = false;
    memset(entry, 0, sizeof *entry);
    if (tar->failure.status != SPATE_OK)
        return repeat_failure(tar, error);
    if (tar->ended)
        return SPATE_OK;
    spate_status status = next_member(tar, entry, more, &tar->failure);
    if (status != SPATE_OK) {
        *more = false;
        return repeat_failure(tar, error);
    }
    return SPATE_OK;
}

static spate_status read_payload(spate_tar *tar, uint8_t *out, size_t wanted, size_t *produced, spate_error *error) {
    if (tar->stream == NULL) {
        memcpy(out, tar->payload, wanted);
        tar->payload += wanted;
        *produced = wanted;
        return SPATE_OK;
    }
    spate_status status = take(tar, out, wanted, produced, error);
    if (status == SPATE_OK && *produced < wanted)
        return truncated_payload(tar->header.name, tar->remaining, tar->remaining - *produced, error);
    return status;
}

spate_status spate_tar_read(spate_tar *tar, uint8_t *out, size_t capacity, size_t *produced, spate_error *error) {
    *produced = 0;
    if (tar->failure.status != SPATE_OK)
        return repeat_failure(tar, error);
    size_t wanted = tar->remaining < capacity ? (size_t)tar->remaining : capacity;
    if (wanted == 0)
        return SPATE_OK;
    spate_status status = read_payload(tar, out, wanted, produced, &tar->failure);
    if (status != SPATE_OK) {
        *produced = 0;
        return repeat_failure(tar, error);
    }
    tar->remaining -= wanted;
    return SPATE_OK;
}

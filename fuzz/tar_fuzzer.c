/* Fuzzes the tar reader: reading from memory and from a stream must give the same result. */
#include <stdlib.h>
#include <string.h>

#include "archive/tar.h"
#include "digest/digest.h"

/* The result of reading an archive: `digest` covers all entries and payloads. */
typedef struct story {
    spate_status status;
    unsigned members;
    uint8_t digest[SPATE_SHA256_BYTES];
} story;

static void require(bool condition) {
    if (!condition)
        abort();
}

static void add(spate_digest *digest, const void *bytes, size_t length) {
    require(spate_digest_update(digest, &length, sizeof length) == SPATE_OK);
    require(spate_digest_update(digest, bytes, length) == SPATE_OK);
}

static void add_entry(spate_digest *digest, const spate_tar_entry *entry) {
    require(strlen(entry->name) == entry->name_length);
    require(entry->mode <= 07777);
    add(digest, entry->name, entry->name_length);
    add(digest, entry->link_name, strlen(entry->link_name));
    add(digest, &entry->type, sizeof entry->type);
    add(digest, &entry->mode, sizeof entry->mode);
    add(digest, &entry->size, sizeof entry->size);
}

/* Reads a payload in steps. Only called for every second member, so that the others are skipped. */
static spate_status add_payload(spate_digest *digest, spate_tar *tar, const spate_tar_entry *entry, size_t step,
                                spate_error *error) {
    uint8_t piece[1024];
    uint64_t total = 0;
    for (;;) {
        size_t produced = 0;
        spate_status status = spate_tar_read(tar, piece, step, &produced, error);
        if (status != SPATE_OK)
            return status;
        if (produced == 0) {
            require(total == entry->size);
            return SPATE_OK;
        }
        require(entry->payload == NULL || memcmp(entry->payload + total, piece, produced) == 0);
        require(spate_digest_update(digest, piece, produced) == SPATE_OK);
        total += produced;
    }
}

static story tell(spate_tar *tar, size_t step) {
    story story = {0};
    spate_error error = {0};
    spate_digest *digest;
    require(spate_digest_new(&digest, SPATE_SHA256) == SPATE_OK);
    for (;;) {
        spate_tar_entry entry;
        bool more = false;
        story.status = spate_tar_next(tar, &entry, &more, &error);
        if (story.status != SPATE_OK || !more)
            break;
        story.members++;
        add_entry(digest, &entry);
        if (story.members % 2 == 1) {
            story.status = add_payload(digest, tar, &entry, step, &error);
            if (story.status != SPATE_OK)
                break;
        }
    }
    require(error.status == story.status);
    require(spate_digest_finish(digest, story.digest) == SPATE_OK);
    spate_digest_free(digest);
    spate_tar_close(tar);
    return story;
}

/* Returns the bytes as stored blocks of a raw deflate stream. The caller frees it. */
static uint8_t *stored(const uint8_t *bytes, size_t length, size_t *stored_length) {
    uint8_t *out = malloc(length + 5 * (length / 65535 + 1));
    size_t at = 0;
    require(out != NULL);
    for (size_t from = 0; from == 0 || from < length;) {
        size_t size = length - from < 65535 ? length - from : 65535;
        out[at++] = from + size == length;
        out[at++] = (uint8_t)size;
        out[at++] = (uint8_t)(size >> 8);
        out[at++] = (uint8_t)~size;
        out[at++] = (uint8_t)(~size >> 8);
        if (size > 0)
            memcpy(out + at, bytes + from, size);
        at += size;
        from += size;
        if (size == 0)
            break;
    }
    *stored_length = at;
    return out;
}

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed);

/* Repairs the header checksums of three in four inputs. Otherwise the reader would reject nearly all of them. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed) {
    length = LLVMFuzzerMutate(bytes, length, capacity);
    for (size_t at = 0; seed % 4 != 0 && at + 512 <= length; at += 512) {
        uint8_t *header = bytes + at;
        unsigned sum = 8 * ' ';
        if (memcmp(header + 148, "0", 1) != 0 && memcmp(header + 257, "ustar", 5) != 0)
            continue;
        for (size_t i = 0; i < 512; i++)
            sum += i >= 148 && i < 156 ? 0 : header[i];
        for (size_t i = 0; i < 6; i++)
            header[153 - i] = (uint8_t)('0' + (sum >> 3 * i & 7));
        memcpy(header + 154, "\0 ", 2);
    }
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    spate_tar *tar;
    spate_inflate_stream *stream;
    size_t stored_length;

    require(spate_tar_open_memory(&tar, input, length, NULL) == SPATE_OK);
    story from_memory = tell(tar, 1000);

    uint8_t *deflated = stored(input, length, &stored_length);
    require(spate_inflate_open(&stream, SPATE_RAW, deflated, stored_length, UINT64_MAX, NULL) == SPATE_OK);
    require(spate_tar_open_stream(&tar, stream, NULL) == SPATE_OK);
    story from_stream = tell(tar, 13);
    spate_inflate_close(stream);
    free(deflated);

    require(from_memory.status == from_stream.status);
    if (from_memory.status == SPATE_OK) {
        require(from_memory.members == from_stream.members);
        require(memcmp(from_memory.digest, from_stream.digest, sizeof from_memory.digest) == 0);
    }
    return 0;
}

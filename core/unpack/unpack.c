#define _GNU_SOURCE
#include "unpack/unpack.h"

#include "archive/gem.h"
#include "base/file.h"
#include "digest/hex.h"
#include "unpack/listing.h"
#include "unpack/write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT_PARALLEL_FROM 32
#define DEFAULT_MEMORY ((size_t)64 << 20)
#define DEFAULT_MAX_TOTAL ((uint64_t)1 << 30)
#define DEFAULT_MAX_ENTRY ((uint64_t)512 << 20)
#define DEFAULT_MAX_ENTRIES ((size_t)200000)
/* Minimum archive size for which hashing in parallel with inflating is worth its cost. */
#define PARALLEL_ARCHIVE_BYTES ((size_t)256 << 10)
/* Maximum size of headers and padding for each file. */
#define HEADER_BYTES ((uint64_t)2048)
#define TAR_BLOCK 512
#define TAR_MAGIC_AT 257

/*
 * The archive in memory: read if it is small enough, otherwise mapped. Truncating a mapped file causes a SIGBUS in its
 * readers, so large archives are stored under names that no other program writes to.
 */
typedef struct archive {
    uint8_t *bytes;
    size_t length;
    bool mapped;
} archive;

typedef struct preparation {
    spate_unpack_options options; /* with defaults filled in */
    archive archive;
    spate_pool *pool; /* NULL to use no threads */
    spate_gem gem;
    const uint8_t *data; /* the compressed tar */
    size_t data_length;
    bool plain; /* the tar is not compressed */
    spate_buffer tar;
    bool too_large; /* the tar does not fit into memory and must be streamed */
    spate_unpacked *unpacked;
    spate_status status[3];
    spate_error errors[3];
} preparation;

static spate_unpack_options with_defaults(const spate_unpack_options *given) {
    spate_unpack_options options = *given;
    options.parallel_from = given->parallel_from ? given->parallel_from : DEFAULT_PARALLEL_FROM;
    options.memory = given->memory ? given->memory : DEFAULT_MEMORY;
    options.max_total = given->max_total ? given->max_total : DEFAULT_MAX_TOTAL;
    options.max_entry = given->max_entry ? given->max_entry : DEFAULT_MAX_ENTRY;
    options.max_entries = given->max_entries ? given->max_entries : DEFAULT_MAX_ENTRIES;
    return options;
}

/* ---- the archive's bytes ---- */

static spate_status load(archive *loaded, const char *path, size_t memory, spate_error *error) {
    struct stat info;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = SPATE_OK;
    if (fstat(descriptor, &info) != 0) {
        status = spate_fail_errno(error, path, "fstat");
    } else if (!S_ISREG(info.st_mode)) {
        status = spate_fail(error, SPATE_CORRUPT, path, "not a regular file");
    } else if ((uint64_t)info.st_size > memory / 2) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (bytes == MAP_FAILED)
            status = spate_fail_errno(error, path, "mmap");
        else
            *loaded = (archive){bytes, (size_t)info.st_size, true};
    } else {
        uint8_t *bytes = malloc((size_t)info.st_size + 1);
        int64_t got = bytes ? spate_read_full(descriptor, bytes, (size_t)info.st_size) : 0;
        if (!bytes)
            status = spate_fail(error, SPATE_NO_MEMORY, path, "no memory for %lld bytes", (long long)info.st_size);
        else if (got < 0)
            status = spate_fail_errno(error, path, "read");
        *loaded = (archive){bytes, got < 0 ? 0 : (size_t)got, false};
    }
    close(descriptor);
    return status;
}

static void unload(archive *loaded) {
    if (loaded->mapped)
        munmap(loaded->bytes, loaded->length);
    else
        free(loaded->bytes);
    *loaded = (archive){0};
}

/* ---- digests and inflating, in parallel for large archives ---- */

static spate_status compare(spate_digest_kind kind, const uint8_t *expected, const uint8_t *found, spate_error *error) {
    char expected_hex[2 * SPATE_DIGEST_MAX + 1];
    char found_hex[2 * SPATE_DIGEST_MAX + 1];
    size_t length = spate_digest_bytes(kind);
    if (memcmp(expected, found, length) == 0)
        return SPATE_OK;
    spate_hex(expected, length, expected_hex);
    spate_hex(found, length, found_hex);
    return spate_fail(error, SPATE_CHECKSUM, "", "%s of the archive is %s, expected %s",
                      kind == SPATE_SHA256 ? "SHA-256" : "SHA-512", found_hex, expected_hex);
}

static spate_status digest_archive(preparation *p, spate_error *error) {
    uint8_t found[SPATE_DIGEST_MAX];
    spate_status status = spate_digest_once(SPATE_SHA256, p->archive.bytes, p->archive.length, p->unpacked->sha256);
    if (status == SPATE_OK && p->options.sha512)
        status = spate_digest_once(SPATE_SHA512, p->archive.bytes, p->archive.length, found);
    if (status != SPATE_OK)
        return spate_fail(error, status, "", "no digest could be computed");
    if (p->options.sha256)
        status = compare(SPATE_SHA256, p->options.sha256, p->unpacked->sha256, error);
    if (status == SPATE_OK && p->options.sha512)
        status = compare(SPATE_SHA512, p->options.sha512, found, error);
    return status;
}

static spate_status digest_parts(preparation *p, spate_error *error) {
    spate_status status = SPATE_OK;
    if (p->options.kind == SPATE_ARCHIVE_GEM) {
        status = spate_gem_verify(&p->gem.metadata, error);
        if (status == SPATE_OK)
            status = spate_gem_verify(&p->gem.data, error);
    }
    return status;
}

static uint64_t tar_bytes_max(const spate_unpack_options *options) {
    return options->max_total + HEADER_BYTES * options->max_entries + HEADER_BYTES;
}

/* RubyGems reads the first gzip member of a gem and ignores the rest; some real gems are padded. */
static spate_container container_of(const preparation *p) {
    return p->options.kind == SPATE_ARCHIVE_GEM ? SPATE_GZIP_FIRST : SPATE_GZIP;
}

static spate_status inflate_data(preparation *p, spate_error *error) {
    uint64_t max = tar_bytes_max(&p->options);
    bool bounded = max > p->options.memory;
    if (p->plain)
        return SPATE_OK;
    if (spate_gzip_claimed_length(p->data, p->data_length) > p->options.memory || p->archive.mapped) {
        p->too_large = true;
        return SPATE_OK;
    }
    spate_status status = spate_inflate(container_of(p), p->data, p->data_length,
                                        bounded ? p->options.memory : (size_t)max, &p->tar, NULL, error);
    if (status == SPATE_LIMIT && bounded) { /* the length in the trailer was wrong, or there are several gzip members */
        spate_buffer_free(&p->tar);
        p->too_large = true;
        return SPATE_OK;
    }
    if (status != SPATE_OK && error && error->member[0] == '\0')
        strcpy(error->member, p->options.kind == SPATE_ARCHIVE_GEM ? "data.tar.gz" : "");
    return status;
}

static spate_status (*const preparation_steps[3])(preparation *, spate_error *) = {digest_archive, digest_parts,
                                                                                   inflate_data};

static void run_step(void *context, size_t index) {
    preparation *p = context;
    size_t step = 2 - index; /* the longest step first */
    p->status[step] = preparation_steps[step](p, &p->errors[step]);
}

static spate_status verify_and_inflate(preparation *p, spate_error *error) {
    if (p->pool && p->data_length >= PARALLEL_ARCHIVE_BYTES) {
        if (spate_pool_run(p->pool, 3, run_step, p) != SPATE_OK)
            return spate_fail(error, SPATE_NO_MEMORY, "", "no memory for threads");
    } else {
        for (size_t i = 0; i < 3; i++) {
            p->status[i] = preparation_steps[i](p, &p->errors[i]);
            if (p->status[i] != SPATE_OK)
                break;
        }
    }
    for (size_t i = 0; i < 3; i++) {
        if (p->status[i] == SPATE_OK)
            continue;
        if (error)
            *error = p->errors[i];
        return p->status[i];
    }
    return SPATE_OK;
}

/* npm accepts uncompressed archives, and a build's tar may be uncompressed. */
static bool is_tar(const uint8_t *bytes, size_t length) {
    return length >= TAR_BLOCK && memcmp(bytes + TAR_MAGIC_AT, "ustar", 5) == 0 && bytes[0] != 0x1f;
}

/*
 * Finds the compressed tar. If the archive cannot be parsed, verifies its digest first: that it is the wrong file is
 * then the better explanation.
 */
static spate_status open_archive(preparation *p, spate_error *error) {
    if (p->options.kind != SPATE_ARCHIVE_GEM) {
        p->data = p->archive.bytes;
        p->data_length = p->archive.length;
        p->plain = is_tar(p->data, p->data_length);
        return SPATE_OK;
    }
    spate_status status = spate_gem_read(&p->gem, p->archive.bytes, p->archive.length, error);
    if (status == SPATE_OK) {
        p->data = p->gem.data.bytes;
        p->data_length = p->gem.data.length;
        return SPATE_OK;
    }
    spate_error digest_error;
    bool page = status == SPATE_CORRUPT && error && error->member[0] == '\0';
    if (!page && digest_archive(p, &digest_error) == SPATE_CHECKSUM) {
        if (error)
            *error = digest_error;
        return SPATE_CHECKSUM;
    }
    return status;
}

static spate_status read_metadata(preparation *p, spate_error *error) {
    const spate_gem_part *part = &p->gem.metadata;
    spate_buffer *metadata = &p->unpacked->metadata;
    if (p->options.kind != SPATE_ARCHIVE_GEM)
        return SPATE_OK;
    if (strcmp(part->name, "metadata") == 0) {
        if (part->length > SPATE_GEM_TEXT_MAX)
            return spate_fail(error, SPATE_LIMIT, part->name, "metadata of more than %zu bytes", SPATE_GEM_TEXT_MAX);
        if (spate_buffer_reserve(metadata, part->length + 1) != SPATE_OK)
            return spate_fail(error, SPATE_NO_MEMORY, part->name, "no memory for metadata");
        memcpy(metadata->bytes, part->bytes, part->length);
        metadata->length = part->length;
        return SPATE_OK;
    }
    spate_status status =
        spate_inflate(SPATE_GZIP_FIRST, part->bytes, part->length, SPATE_GEM_TEXT_MAX, metadata, NULL, error);
    if (status != SPATE_OK && error)
        strcpy(error->member, part->name);
    return status;
}

/* ---- listing and writing ---- */

static spate_status open_bytes(preparation *p, spate_inflate_stream **stream, spate_tar **tar, spate_error *error) {
    if (p->plain)
        return spate_tar_open_memory(tar, p->data, p->data_length, error);
    if (!p->too_large)
        return spate_tar_open_memory(tar, p->tar.bytes, p->tar.length, error);
    spate_status status =
        spate_inflate_open(stream, container_of(p), p->data, p->data_length, tar_bytes_max(&p->options), error);
    return status == SPATE_OK ? spate_tar_open_stream(tar, *stream, error) : status;
}

static spate_status open_tar(preparation *p, spate_inflate_stream **stream, spate_tar **tar, spate_error *error) {
    spate_status status = open_bytes(p, stream, tar, error);
    if (status == SPATE_OK && p->options.kind == SPATE_ARCHIVE_NPM)
        spate_tar_read_old_pax(*tar);
    return status;
}

static void close_tar(spate_inflate_stream *stream, spate_tar *tar) {
    spate_tar_close(tar);
    spate_inflate_close(stream);
}

static spate_status list(preparation *p, spate_listing *listing, spate_error *error) {
    spate_inflate_stream *stream = NULL;
    spate_tar *tar = NULL;
    spate_status status = open_tar(p, &stream, &tar, error);
    if (status == SPATE_OK)
        status = spate_listing_read(listing, tar, &p->options, error);
    close_tar(stream, tar);
    return status;
}

/* Reads a streamed archive a second time, now that it is known to be valid and which members are used. */
static spate_status write_streamed(preparation *p, spate_writing *writing, spate_error *error) {
    spate_inflate_stream *stream = NULL;
    spate_tar *tar = NULL;
    spate_status status = open_tar(p, &stream, &tar, error);
    if (status == SPATE_OK)
        status = spate_write_stream(writing, tar, p->options.memory, error);
    close_tar(stream, tar);
    return status;
}

static spate_status write_files(preparation *p, spate_store *store, spate_listing *listing, spate_error *error) {
    spate_unpacked *unpacked = p->unpacked;
    unpacked->parallel = p->pool && listing->count >= p->options.parallel_from;
    unpacked->streamed = p->too_large;
    spate_writing writing = {
        .store = store,
        .pool = unpacked->parallel ? p->pool : NULL,
        .listing = listing,
        .tree = p->options.tree,
        .cancel = p->options.cancel,
    };
    spate_status status = spate_write_folders(&writing, error);
    bool made = status == SPATE_OK || writing.tree_made;
    if (status == SPATE_OK)
        status = p->too_large ? write_streamed(p, &writing, error) : spate_write_memory(&writing, error);
    if (status == SPATE_OK)
        status = spate_write_rest(&writing, error);
    spate_write_end(&writing);
    if (status != SPATE_OK && made && p->options.tree)
        spate_remove_tree(p->options.tree, NULL);
    return status;
}

static spate_status unpack(preparation *p, spate_store *store, spate_error *error) {
    spate_listing listing = {0};
    spate_way_give(spate_store_way(store));
    spate_status status = open_archive(p, error);
    if (status == SPATE_OK)
        status = verify_and_inflate(p, error);
    if (status == SPATE_OK)
        status = read_metadata(p, error);
    if (status == SPATE_OK)
        status = list(p, &listing, error);
    if (status == SPATE_OK)
        status = write_files(p, store, &listing, error);
    if (status == SPATE_OK) {
        p->unpacked->entries = listing.entries;
        p->unpacked->count = listing.count;
        p->unpacked->bytes = listing.bytes;
        p->unpacked->strings = listing.strings;
        p->unpacked->ignored = listing.ignored;
        p->unpacked->first_ignored = listing.first_ignored;
        listing.entries = NULL;
        listing.strings = NULL;
    }
    spate_listing_free(&listing);
    return status;
}

spate_status spate_unpack_file(spate_store *store, spate_pool *pool, const char *path,
                               const spate_unpack_options *options, spate_unpacked *unpacked, spate_error *error) {
    memset(unpacked, 0, sizeof(*unpacked));
    preparation p = {.options = with_defaults(options), .unpacked = unpacked};
    p.pool = p.options.parallel_from == UINT_MAX ? NULL : pool;
    spate_status status = load(&p.archive, path, p.options.memory, error);
    if (status == SPATE_OK)
        status = unpack(&p, store, error);
    unload(&p.archive);
    spate_buffer_free(&p.tar);
    if (status != SPATE_OK)
        spate_unpacked_free(unpacked);
    return status;
}

void spate_unpacked_free(spate_unpacked *unpacked) {
    free(unpacked->entries);
    spate_buffer_free(&unpacked->metadata);
    spate_listing_free_strings(unpacked->strings);
    memset(unpacked, 0, sizeof(*unpacked));
}

/*
 * A compile cache: compiled files and named data in one file that is mapped and never parsed. docs/compile-cache-format.md
 * describes the layout, format.h has its structs. Written whole under a random name and renamed; never changed
 * afterwards.
 *
 * Owner, mode, length, header, tables and every offset are checked at open, which reads no blob; each blob's CRC-32C
 * on first use.
 */
#ifndef SPATE_COMPILE_CACHE_H
#define SPATE_COMPILE_CACHE_H

#include "digest/siphash.h"
#include "shared/status.h"

#define SPATE_COMPILE_CACHE_VERSION 1
#define SPATE_COMPILE_CACHE_KEY_BYTES 16
/* Longer files, and headers with a larger length, are refused. */
#define SPATE_COMPILE_CACHE_LENGTH_MAX (UINT64_C(512) << 20)
#define SPATE_COMPILE_CACHE_ENTRIES_MAX (1u << 20)
#define SPATE_COMPILE_CACHE_DATA_MAX 256u
#define SPATE_COMPILE_CACHE_PATH_MAX 4096u

/* Why a file cannot be used as a compile cache by this process. */
typedef enum spate_compile_cache_fault {
    SPATE_COMPILE_CACHE_FINE = 0,
    SPATE_COMPILE_CACHE_MISSING,       /* it does not exist or cannot be read */
    SPATE_COMPILE_CACHE_FOREIGN_OWNER, /* file or folder of neither this user nor root */
    SPATE_COMPILE_CACHE_WRITABLE,      /* others may write the file or its folder */
    SPATE_COMPILE_CACHE_SYMLINK,       /* file or folder */
    SPATE_COMPILE_CACHE_SHORT,         /* its length differs from the header's, or is less than a header */
    SPATE_COMPILE_CACHE_MAGIC,         /* another kind of file */
    SPATE_COMPILE_CACHE_OTHER_VERSION, /* of the format, or of another byte order */
    SPATE_COMPILE_CACHE_OTHER_KEY,
    SPATE_COMPILE_CACHE_BAD_CHECKSUM, /* of header and tables */
    SPATE_COMPILE_CACHE_LIMITS,       /* an impossible offset, length or count */
} spate_compile_cache_fault;

/* Lower case, without prefix, as Ruby's symbols: "foreign_owner", "version". Never NULL. */
const char *spate_compile_cache_fault_name(spate_compile_cache_fault fault);

/* Compiling the file makes Ruby warn: always, or only with $VERBOSE true. */
enum { SPATE_COMPILE_CACHE_WARNS = 1, SPATE_COMPILE_CACHE_WARNS_VERBOSE = 2 };

/* One file as it was recorded. Times in nanoseconds since the epoch. Strings and blob are borrowed. */
typedef struct spate_compile_cache_file {
    const char *path; /* NUL-terminated when read */
    size_t path_length;
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t recorded_ns; /* the clock before the file was read */
    uint64_t inode;      /* 0: not known, not compared */
    uint32_t flags;
    uint8_t hash[SPATE_SIPHASH_BYTES]; /* of the content */
    const void *blob;
    size_t blob_length;
} spate_compile_cache_file;

typedef struct spate_compile_cache_data {
    const char *name;
    size_t name_length;
    const void *bytes;
    size_t length;
} spate_compile_cache_data;

typedef struct spate_compile_cache spate_compile_cache;

/*
 * Files and data keep their order; paths and names must be unique (else SPATE_REFUSED). Mode 0644 minus the umask.
 * After a failure (a full disk, say) no new file is left, and `path` is unchanged. SPATE_LIMIT beyond the limits above.
 */
spate_status spate_compile_cache_write(const char *path, const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       const spate_compile_cache_file *files, size_t file_count,
                                       const spate_compile_cache_data *data, size_t data_count, spate_error *error);

/*
 * Maps the file. SPATE_STALE with *fault set if it must not be used; SPATE_NO_MEMORY otherwise. `trust` skips the
 * checks of owner and mode (for volumes without meaningful owners). Strings and blobs live as long as the compile cache.
 */
spate_status spate_compile_cache_open(spate_compile_cache **compile_cache, const char *path,
                                      const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES], bool trust,
                                      spate_compile_cache_fault *fault, spate_error *error);
/* The same over bytes (8-aligned, borrowed), for the fuzzer and for tests. */
spate_status spate_compile_cache_parse(spate_compile_cache **compile_cache, const uint8_t *bytes, size_t length,
                                       const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       spate_compile_cache_fault *fault, spate_error *error);
void spate_compile_cache_close(spate_compile_cache *compile_cache);

size_t spate_compile_cache_count(const spate_compile_cache *compile_cache);
size_t spate_compile_cache_data_count(const spate_compile_cache *compile_cache);
/* Of the whole file. */
uint64_t spate_compile_cache_length(const spate_compile_cache *compile_cache);
/* `index` < count. Its blob is not checked yet. */
spate_compile_cache_file spate_compile_cache_file_at(const spate_compile_cache *compile_cache, size_t index);
spate_compile_cache_data spate_compile_cache_data_at(const spate_compile_cache *compile_cache, size_t index);

/* The hash to look paths up by: the same in every compile cache, so that a path is hashed once. */
uint32_t spate_compile_cache_hash(const char *path, size_t length);
/* The same in steps, starting with 0, which also gives the hashes of a path's beginnings. */
uint32_t spate_compile_cache_hash_more(uint32_t hash, const char *path, size_t length);
bool spate_compile_cache_find(const spate_compile_cache *compile_cache, uint32_t hash, const char *path, size_t length,
                              size_t *index);
bool spate_compile_cache_find_data(const spate_compile_cache *compile_cache, const char *name, size_t length,
                                   size_t *index);

/* Whether the blob (the data) is intact. The answer is cached. Safe from several threads. */
bool spate_compile_cache_check_blob(spate_compile_cache *compile_cache, size_t index);
bool spate_compile_cache_check_data(spate_compile_cache *compile_cache, size_t index);

/* Releases the pages from this process: they are read again on demand. */
void spate_compile_cache_rest(const spate_compile_cache *compile_cache);

#endif

/*
 * A compile cache: compiled files and named data in one file that is mapped and never parsed.
 * docs/compile-cache-format.md describes the layout, format.h has its structs. A cache is written under a random name,
 * renamed into place and never changed.
 *
 * Opening a cache checks owner, mode, length, header, tables and every offset, but reads no blob. The CRC-32C of a blob
 * is checked when the blob is first used.
 */
#ifndef SPATE_COMPILE_CACHE_H
#define SPATE_COMPILE_CACHE_H

#include "digest/siphash.h"
#include "shared/status.h"

#define SPATE_COMPILE_CACHE_VERSION 1
#define SPATE_COMPILE_CACHE_KEY_BYTES 16
/* Longer files, and headers that claim a larger length, are rejected. */
#define SPATE_COMPILE_CACHE_LENGTH_MAX (UINT64_C(512) << 20)
#define SPATE_COMPILE_CACHE_ENTRIES_MAX (1u << 20)
#define SPATE_COMPILE_CACHE_DATA_MAX 256u
#define SPATE_COMPILE_CACHE_PATH_MAX 4096u

/* Why a file cannot be used as a compile cache by this process. */
typedef enum spate_compile_cache_fault {
    SPATE_COMPILE_CACHE_FINE = 0,
    SPATE_COMPILE_CACHE_MISSING,       /* it does not exist or cannot be read */
    SPATE_COMPILE_CACHE_FOREIGN_OWNER, /* the file or its folder belongs to a user other than this one and root */
    SPATE_COMPILE_CACHE_WRITABLE,      /* other users may write to the file or its folder */
    SPATE_COMPILE_CACHE_SYMLINK,       /* the file or its folder is a symlink */
    SPATE_COMPILE_CACHE_SHORT,         /* its length differs from the header's, or is less than a header */
    SPATE_COMPILE_CACHE_MAGIC,         /* not a compile cache */
    SPATE_COMPILE_CACHE_OTHER_VERSION, /* written by another version of the format, or in another byte order */
    SPATE_COMPILE_CACHE_OTHER_KEY,
    SPATE_COMPILE_CACHE_BAD_CHECKSUM, /* the checksum of header and tables does not match */
    SPATE_COMPILE_CACHE_LIMITS,       /* an impossible offset, length or count */
} spate_compile_cache_fault;

/* In lower case and without prefix, like Ruby's symbols: "foreign_owner", "version". Never NULL. */
const char *spate_compile_cache_fault_name(spate_compile_cache_fault fault);

/* Compiling the file prints a Ruby warning: always, or only if $VERBOSE is true. */
enum { SPATE_COMPILE_CACHE_WARNS = 1, SPATE_COMPILE_CACHE_WARNS_VERBOSE = 2 };

/* A recorded file. Times are in nanoseconds since the epoch. The strings and the blob are borrowed. */
typedef struct spate_compile_cache_file {
    const char *path; /* NUL-terminated when read */
    size_t path_length;
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t recorded_ns; /* clock time before the file was read */
    uint64_t inode;      /* 0: unknown, not compared */
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
 * Files and data keep their order; paths and names must be unique (else SPATE_REFUSED). Mode 0644 minus the umask. A
 * failure (a full disk, say) leaves no new file and does not change `path`. SPATE_LIMIT if a limit above is exceeded.
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
/* Like spate_compile_cache_open, but from bytes (8-aligned, borrowed); for the fuzzer and for tests. */
spate_status spate_compile_cache_parse(spate_compile_cache **compile_cache, const uint8_t *bytes, size_t length,
                                       const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       spate_compile_cache_fault *fault, spate_error *error);
void spate_compile_cache_close(spate_compile_cache *compile_cache);

size_t spate_compile_cache_count(const spate_compile_cache *compile_cache);
size_t spate_compile_cache_data_count(const spate_compile_cache *compile_cache);
/* The length of the whole file in bytes. */
uint64_t spate_compile_cache_length(const spate_compile_cache *compile_cache);
/* Requires `index` < count. Does not check the file's blob. */
spate_compile_cache_file spate_compile_cache_file_at(const spate_compile_cache *compile_cache, size_t index);
spate_compile_cache_data spate_compile_cache_data_at(const spate_compile_cache *compile_cache, size_t index);

/* The hash used to look up paths. It is the same for every compile cache, so each path is hashed only once. */
uint32_t spate_compile_cache_hash(const char *path, size_t length);
/* Incremental spate_compile_cache_hash, starting with 0. Also yields the hashes of a path's prefixes. */
uint32_t spate_compile_cache_hash_more(uint32_t hash, const char *path, size_t length);
bool spate_compile_cache_find(const spate_compile_cache *compile_cache, uint32_t hash, const char *path, size_t length,
                              size_t *index);
bool spate_compile_cache_find_data(const spate_compile_cache *compile_cache, const char *name, size_t length,
                                   size_t *index);

/* Whether the blob (or the data) is intact. The result is cached. Thread-safe. */
bool spate_compile_cache_check_blob(spate_compile_cache *compile_cache, size_t index);
bool spate_compile_cache_check_data(spate_compile_cache *compile_cache, size_t index);

/* Releases the mapped pages from this process. They are read again on demand. */
void spate_compile_cache_rest(const spate_compile_cache *compile_cache);

#endif

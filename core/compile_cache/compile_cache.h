/*
 * A compile cache contains compiled files and named data. It is one file that is mapped and never parsed.
 * docs/compile-cache-format.md describes the layout, format.h declares its structs. A cache is written under a
 * temporary name, renamed and never changed.
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
/* Larger files are rejected, and so are headers with a larger length. */
#define SPATE_COMPILE_CACHE_LENGTH_MAX (UINT64_C(512) << 20)
#define SPATE_COMPILE_CACHE_ENTRIES_MAX (1u << 20)
#define SPATE_COMPILE_CACHE_DATA_MAX 256u
#define SPATE_COMPILE_CACHE_PATH_MAX 4096u

/* Why a file cannot be used as a compile cache by this process. */
typedef enum spate_compile_cache_fault {
    SPATE_COMPILE_CACHE_FINE = 0,
    SPATE_COMPILE_CACHE_MISSING,       /* the file does not exist or cannot be read */
    SPATE_COMPILE_CACHE_FOREIGN_OWNER, /* the file or its directory belongs to another user, who is not root */
    SPATE_COMPILE_CACHE_WRITABLE,      /* other users can write to the file or its directory */
    SPATE_COMPILE_CACHE_SYMLINK,       /* the file or its directory is a symlink */
    SPATE_COMPILE_CACHE_SHORT,         /* shorter than a header, or the length in the header is wrong */
    SPATE_COMPILE_CACHE_MAGIC,         /* not a compile cache */
    SPATE_COMPILE_CACHE_OTHER_VERSION, /* a different version of the format, or a different byte order */
    SPATE_COMPILE_CACHE_OTHER_KEY,
    SPATE_COMPILE_CACHE_BAD_CHECKSUM, /* the checksum of header and tables does not match */
    SPATE_COMPILE_CACHE_LIMITS,       /* an impossible offset, length or count */
} spate_compile_cache_fault;

/* The name of the fault in lower case and without prefix, as in Ruby: "foreign_owner", "version". Never NULL. */
const char *spate_compile_cache_fault_name(spate_compile_cache_fault fault);

/* Flags of a file for which the compiler prints a warning: always, or only if $VERBOSE is true. */
enum { SPATE_COMPILE_CACHE_WARNS = 1, SPATE_COMPILE_CACHE_WARNS_VERBOSE = 2 };

/* A recorded file. Times are in nanoseconds since the epoch. The strings and the blob are not owned. */
typedef struct spate_compile_cache_file {
    const char *path; /* NUL-terminated when read */
    size_t path_length;
    uint64_t size;
    int64_t mtime_ns;
    int64_t ctime_ns;
    int64_t recorded_ns; /* time just before the file was read */
    uint64_t inode;      /* 0 if unknown; not compared then */
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
 * Writes a compile cache. Files and data keep their order. Returns SPATE_REFUSED if a path or name occurs twice, and
 * SPATE_LIMIT if one of the limits above is exceeded. The file has mode 0644 minus the umask. After a failure (such as
 * a full disk), `path` is unchanged and there is no new file.
 */
spate_status spate_compile_cache_write(const char *path, const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       const spate_compile_cache_file *files, size_t file_count,
                                       const spate_compile_cache_data *data, size_t data_count, spate_error *error);

/*
 * Maps the file. Returns SPATE_STALE and sets *fault if the file must not be used, or SPATE_NO_MEMORY. `trust` skips
 * the checks of owner and mode, for volumes without meaningful owners. Strings and blobs are valid until the compile
 * cache is closed.
 */
spate_status spate_compile_cache_open(spate_compile_cache **compile_cache, const char *path,
                                      const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES], bool trust,
                                      spate_compile_cache_fault *fault, spate_error *error);
/* Like spate_compile_cache_open, but reads from `bytes` (8-aligned, not copied). For the fuzzer and for tests. */
spate_status spate_compile_cache_parse(spate_compile_cache **compile_cache, const uint8_t *bytes, size_t length,
                                       const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       spate_compile_cache_fault *fault, spate_error *error);
void spate_compile_cache_close(spate_compile_cache *compile_cache);

size_t spate_compile_cache_count(const spate_compile_cache *compile_cache);
size_t spate_compile_cache_data_count(const spate_compile_cache *compile_cache);
/* The length of the whole file in bytes. */
uint64_t spate_compile_cache_length(const spate_compile_cache *compile_cache);
/* `index` must be less than the count. Does not check the blob. */
spate_compile_cache_file spate_compile_cache_file_at(const spate_compile_cache *compile_cache, size_t index);
spate_compile_cache_data spate_compile_cache_data_at(const spate_compile_cache *compile_cache, size_t index);

/* The hash for spate_compile_cache_find. It is the same for every compile cache, so each path is hashed only once. */
uint32_t spate_compile_cache_hash(const char *path, size_t length);
/* Computes spate_compile_cache_hash incrementally, starting with hash 0. This also produces the hashes of a path's
 * prefixes. */
uint32_t spate_compile_cache_hash_more(uint32_t hash, const char *path, size_t length);
bool spate_compile_cache_find(const spate_compile_cache *compile_cache, uint32_t hash, const char *path, size_t length,
                              size_t *index);
bool spate_compile_cache_find_data(const spate_compile_cache *compile_cache, const char *name, size_t length,
                                   size_t *index);

/* Whether the blob (or the data) matches its checksum. The result is cached. Thread-safe. */
bool spate_compile_cache_check_blob(spate_compile_cache *compile_cache, size_t index);
bool spate_compile_cache_check_data(spate_compile_cache *compile_cache, size_t index);

/* Releases the mapped pages from this process. They are loaded again on demand. */
void spate_compile_cache_rest(const spate_compile_cache *compile_cache);

#endif

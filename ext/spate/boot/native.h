/*
 * Bindings of the core for booting. They convert arguments, call Ruby and raise exceptions; formats and rules are in
 * the core. loader/ implements Native::Loader; requirer/ implements Native::Requirer and Native::LoadPathCache.
 *
 * They keep the GVL, because all calls take microseconds and no other thread may see a partial change. Only
 * inputs_binding.c, which may hash files, and the build of a load-path cache release it.
 */
#ifndef SPATE_BOOT_NATIVE_H
#define SPATE_BOOT_NATIVE_H

#include "compile_cache/compile_cache.h"
#include "compile_cache/source.h"
#include "shared/status.h"

#include <ruby.h>
#include <ruby/encoding.h>

/* ---- conversions ---- */

VALUE spate_utf8(const char *text, size_t length);
VALUE spate_hex_string(const uint8_t *bytes, size_t length);
/* Accepts 16 bytes or 32 hex digits. Raises ArgumentError for anything else. */
void spate_take_key(VALUE text, uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES]);
/* Accepts 32 hex digits. Raises ArgumentError for anything else. Calls no Ruby code. */
void spate_take_hex16(VALUE hex, uint8_t bytes[16]);
/*
 * Converts [size, mtime_ns, ctime_ns, hash, recorded_ns, inode = 0, flags = 0]. Raises TypeError or ArgumentError.
 * Calls no Ruby code.
 */
spate_compile_cache_file spate_take_state(VALUE state);
/* Raises SystemCallError, NoMemoryError or ArgumentError, depending on the status. */
NORETURN(void spate_raise(const spate_error *error));

/* Converts an Array of Strings to a NULL-terminated array of C strings. `taken` needs one more element than the Array.
 * Valid until the Array or its Strings change. */
void spate_take_texts(VALUE texts, char **taken);

/* Whether SPATE_TRUST_STORE=1 is set, for volumes without meaningful owners. */
bool spate_trusts_owners(void);

/* ---- compile caches ---- */

/* Returns the compile cache of a Spate::Native::CompileCache. It is never unmapped after this call. */
spate_compile_cache *spate_compile_cache_pinned(VALUE object);
/* Returns the path of the compile cache, which is valid as long as `object`. */
const char *spate_compile_cache_path_of(VALUE object);

void spate_init_apart(VALUE native);
void spate_init_compile_cache(VALUE native);
void spate_init_inputs(VALUE native);
void spate_init_loader(VALUE native);
void spate_init_marks(VALUE native);
void spate_init_load_path_cache(VALUE native);
void spate_init_require(VALUE native);
void spate_init_warm(VALUE native);

/* A compile cache from which files are loaded. It is never unmapped. */
typedef struct spate_loaded_compile_cache {
    spate_compile_cache *compile_cache;
    const char *path;
} spate_loaded_compile_cache;

/* ---- compile caches of gems, opened on the first request for a file below a root ---- */

void spate_gem_caches_set(VALUE hash);
VALUE spate_gem_caches_hash(void);
void spate_gem_caches_rest(void);
/*
 * Finds the compile caches of gems whose root contains the path, innermost first. Opens them with `key` if necessary.
 * Returns their number.
 */
size_t spate_gem_caches_of(const char *path, size_t length, const uint8_t *key, spate_loaded_compile_cache *found,
                           size_t max);

/* ---- records: counts and paths of loaded files, and unusable compile caches ---- */

typedef enum spate_outcome {
    SPATE_HIT,
    SPATE_MISS,
    SPATE_OUTDATED,
    SPATE_REVALIDATED,
    SPATE_DAMAGED,
    SPATE_WARNING_DUE,
    SPATE_OUTCOMES
} spate_outcome;

VALUE spate_outcome_symbol(spate_outcome outcome);
/* If `lasting`, the memory of the path is never freed, so that it need not be copied. */
void spate_record(const char *path, size_t length, bool lasting, spate_outcome outcome);
/* Records a compile cache with the reason, only once. */
void spate_record_problem(const char *compile_cache_path, const char *reason);
void spate_records_clear(void);
void spate_init_records(VALUE loader);

#endif

/*
 * Bindings of the core for installing. They convert arguments, release the GVL and raise exceptions; decisions are made
 * in the core.
 */
#ifndef SPATE_NATIVE_H
#define SPATE_NATIVE_H

#include "link/link.h"
#include "manifest/manifest.h"
#include "shared/status.h"
#include "store/store.h"
#include "unpack/unpack.h"

#include <ruby.h>
#include <ruby/util.h>

extern VALUE spate_native;
extern VALUE spate_native_error;
extern VALUE spate_native_stale_manifest;

/* ---- errors ---- */

/* Raise Spate::Native::Error, or the given class, with the details of the error. */
NORETURN(void spate_raise(const spate_error *error));
NORETURN(void spate_raise_as(VALUE type, const spate_error *error));

/* ---- conversions ---- */

/* Returns a copy that is valid without the String and the GVL; free it with ruby_xfree. Calls to_path. Raises
 * TypeError, or ArgumentError if the path contains a NUL. */
char *spate_copy_path(VALUE path);
VALUE spate_utf8(const char *text, size_t length);
VALUE spate_hex_string(const uint8_t *bytes, size_t length);
/* Raises ArgumentError unless the text consists of exactly 2 * length hex digits. */
void spate_take_hex(VALUE hex, uint8_t *bytes, size_t length);
/* Returns {path:, type:, mode:, size:, mtime_ns:, sha256:, target:}. */
VALUE spate_entry_hash(const spate_entry *entry);
/* The reverse of spate_entry_hash. The strings are owned by the Hash's values. */
spate_entry spate_take_entry(VALUE hash, bool with_path);
VALUE spate_status_symbol(spate_status status);
VALUE spate_state_symbol(spate_object_state state);

/* ---- classes ---- */

spate_manifest *spate_manifest_of(VALUE object);
VALUE spate_manifest_object(spate_manifest *manifest);
VALUE spate_unpacked_object(void); /* empty; fill it in through spate_unpacked_of */
spate_unpacked *spate_unpacked_of(VALUE object);

VALUE spate_init_store(void); /* returns the class */
void spate_init_manifest(void);
void spate_init_unpacked(void);
void spate_init_link(VALUE store_class);
void spate_init_digest(void);
void spate_init_metadata(void);
void spate_init_zstd(void);

/* The store and thread pools of a Store object; never NULL. */
typedef struct spate_native_store {
    spate_store *store;
    spate_pool *unpack;
    spate_pool *link;
} spate_native_store;
spate_native_store *spate_store_of(VALUE object);

/*
 * Runs long work without the GVL.
 *
 * If called on the main thread, the work runs in a separate thread and the main thread waits, so that Ruby can run
 * signal traps on it. On other threads, the work runs directly. It is cancelled by Spate::Native.cancel = true, and by
 * an exception raised in the Ruby thread (Thread#kill, Timeout, Interrupt). After an interrupt that does not raise, the
 * work continues or is restarted.
 */

/* May run several times for one call of spate_release, each time from the start. Must not call Ruby. */
typedef spate_status (*spate_work)(void *context, const spate_cancel *cancel);

/* May raise after the work has ended, so free the context's data in an rb_ensure. */
spate_status spate_release(spate_work work, void *context);

/* The value of Spate::Native.cancel. */
bool spate_cancel_requested(void);
void spate_cancel_request(bool requested);

#endif

/*
 * Spate::Native::Requirer: a faster `require` and `load`. require.c implements them, requirer.c defines the Ruby
 * interface, load_path.c tracks $LOAD_PATH for the resolver, features.c searches $LOADED_FEATURES by path endings, and
 * hook.c installs the functions.
 */
#ifndef SPATE_BOOT_REQUIRER_H
#define SPATE_BOOT_REQUIRER_H

#include "native.h"

#include "load_path_cache/resolve/resolve.h"

VALUE spate_aligned_bytes(VALUE bytes);

/* ---- require.c ---- */

typedef enum spate_require_outcome {
    REQUIRE_HIT,
    REQUIRE_MISS,
    REQUIRE_UNSURE,
    REQUIRE_PROVIDED,
    REQUIRE_VERIFIED_MISS,
    REQUIRE_OUTCOMES
} spate_require_outcome;

extern const char *const spate_require_outcomes[REQUIRE_OUTCOMES];

/* The state of the requirer. There is only one, because there is only one $LOAD_PATH. */
typedef struct spate_requirer {
    VALUE bytes; /* the load-path cache that the resolver reads */
    spate_resolver *resolver;
    bool enabled, installed;
    /* 1 if Ruby's own extensions are files, -1 if not, 0 if unknown. If they are linked into Ruby, a missing file
     * proves nothing. */
    int extensions_are_files;
    uint64_t counts[REQUIRE_OUTCOMES];
} spate_requirer;

extern spate_requirer requirer;

void spate_require_init(void);
/* Whether the name may be in the load-path cache. Ruby converts other names, or looks for them elsewhere. */
bool spate_plain_name(VALUE name);
/* Looks up a feature. For `load` and `fresh` see spate_resolver_find. May call `to_path` of load-path entries. */
spate_answer spate_ask(VALUE name, bool load, bool fresh, spate_found *found);
/* Returns the path as a String with the encoding that Ruby's own search would use: that of the name, or UTF-8 if the
 * path is not ASCII. */
VALUE spate_path_string(VALUE name, const spate_found *found);
/* The implementations of `require` and `load`. */
VALUE spate_require(VALUE self, VALUE given);
VALUE spate_load(int argc, VALUE *argv, VALUE self);

/* ---- load_path.c ---- */

void spate_load_path_init(void);
/* Updates the resolver if $LOAD_PATH has changed. May call `to_path` of entries. Returns false on failure. */
bool spate_load_path_sync(void);
/* Must be called when the resolver is replaced: the next sync passes the whole load path to the new one. */
void spate_load_path_forget(void);

/* ---- features.c ---- */

typedef enum spate_loaded {
    SPATE_NOT_LOADED, /* neither this file nor another one with the same ending is loaded */
    SPATE_LOADED,     /* this file is loaded */
    SPATE_ALIKE       /* another file with the same ending is loaded, and Ruby may accept it for the feature */
} spate_loaded;

void spate_features_init(void);
/* Checks a feature against $LOADED_FEATURES and the files being loaded. `path` may be NULL. */
spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length);
/* Marks a file as being loaded, until spate_features_done. */
void spate_features_begin(VALUE path);
void spate_features_done(VALUE path);

/* ---- hook.c ---- */

/* Replaces Ruby's own `require` and `load`, and all their aliases. */
bool spate_hook_install(VALUE (*require)(VALUE, VALUE), VALUE (*load)(int, VALUE *, VALUE));
/* Calls Ruby's own `load`. This adds a stack frame. */
VALUE spate_hook_original_load(VALUE self, VALUE path, VALUE wrap);

#endif

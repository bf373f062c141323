/*
 * Spate::Native::Requirer: faster `require` and `load`. require.c implements a call, requirer.c the Ruby interface,
 * load_path.c tracks $LOAD_PATH for the resolver, features.c searches $LOADED_FEATURES by path endings, hook.c installs
 * the functions.
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

/* There is only one, like $LOAD_PATH. */
typedef struct spate_requirer {
    VALUE bytes; /* bytes of the load-path cache, read by the resolver */
    spate_resolver *resolver;
    bool enabled, installed;
    /* Whether Ruby's own extensions are files; if they are linked in, a missing file proves nothing. 0: unknown. */
    int extensions_are_files;
    uint64_t counts[REQUIRE_OUTCOMES];
} spate_requirer;

extern spate_requirer requirer;

void spate_require_init(void);
/* Whether a name may be in the load-path cache. Ruby converts other names, or looks for them elsewhere. */
bool spate_plain_name(VALUE name);
/* `name` is a path's String; `load` and `fresh`: see spate_resolver_find. May call `to_path` of entries. */
spate_answer spate_ask(VALUE name, bool load, bool fresh, spate_found *found);
/* The path as a String in the encoding that Ruby's own search would use: the name's, unless the path is not ASCII. */
VALUE spate_path_string(VALUE name, const spate_found *found);
/* The functions that replace Ruby's own. */
VALUE spate_require(VALUE self, VALUE given);
VALUE spate_load(int argc, VALUE *argv, VALUE self);

/* ---- load_path.c ---- */

void spate_load_path_init(void);
/* Passes a changed $LOAD_PATH to the requirer's resolver. May call `to_path` of entries. */
bool spate_load_path_sync(void);
/* Discards the last update, because another resolver is used from now on. */
void spate_load_path_forget(void);

/* ---- features.c ---- */

typedef enum spate_loaded {
    SPATE_NOT_LOADED, /* neither this file nor another one with the same ending */
    SPATE_LOADED,     /* exactly this file */
    SPATE_ALIKE       /* another file with the same ending, which Ruby may accept for the feature */
} spate_loaded;

void spate_features_init(void);
/* The state of a feature in $LOADED_FEATURES and among the files being loaded; path may be NULL. */
spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length);
/* Marks a file as being loaded, until spate_features_done. */
void spate_features_begin(VALUE path);
void spate_features_done(VALUE path);

/* ---- hook.c ---- */

/* Replaces Ruby's own `require` and `load`, under these names and under every alias. */
bool spate_hook_install(VALUE (*require)(VALUE, VALUE), VALUE (*load)(int, VALUE *, VALUE));
/* Ruby's own load. Adds a frame to Spate's. */
VALUE spate_hook_original_load(VALUE self, VALUE path, VALUE wrap);

#endif

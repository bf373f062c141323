/*
 * Spate::Native::Requirer: Ruby's own `require` and `load`, with an answer at hand. require.c is what a call does,
 * requirer.c what Ruby sees of it, load_path.c $LOAD_PATH as the resolver knows it, features.c $LOADED_FEATURES by the
 * ends of its paths, hook.c puts it in place.
 */
#ifndef SPATE_BOOT_REQUIRER_H
#define SPATE_BOOT_REQUIRER_H

#include "native.h"

#include "index/resolve/resolve.h"

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

/* There is one, as there is one $LOAD_PATH. */
typedef struct spate_requirer {
    VALUE bytes; /* the index's, which the resolver reads */
    spate_resolver *resolver;
    bool enabled, installed;
    /* Whether Ruby's own extensions are files; if they are linked in, a missing file proves nothing. 0 = not known. */
    int extensions_are_files;
    uint64_t counts[REQUIRE_OUTCOMES];
} spate_requirer;

extern spate_requirer requirer;

void spate_require_init(void);
/* Names that the index can have: Ruby converts others, or looks elsewhere for them. */
bool spate_plain_name(VALUE name);
/* `name` is a path's String, `load` and `fresh` as spate_resolver_find has them. May call `to_path` of entries. */
spate_answer spate_ask(VALUE name, bool load, bool fresh, spate_found *found);
/* In the encoding that Ruby's own search would give the path: the name's, unless the path is not ASCII. */
VALUE spate_path_string(VALUE name, const spate_found *found);
/* They replace Ruby's own. */
VALUE spate_require(VALUE self, VALUE given);
VALUE spate_load(int argc, VALUE *argv, VALUE self);

/* ---- load_path.c ---- */

void spate_load_path_init(void);
/* Tells the requirer's resolver what $LOAD_PATH is now, if that has changed. May call `to_path` of entries. */
bool spate_load_path_sync(void);
/* Forgets what was told: another resolver is asked from now on. */
void spate_load_path_forget(void);

/* ---- features.c ---- */

typedef enum spate_loaded {
    SPATE_NOT_LOADED, /* nor another file that ends like the feature */
    SPATE_LOADED,     /* exactly this file */
    SPATE_ALIKE       /* another that Ruby may take for the feature */
} spate_loaded;

void spate_features_init(void);
/* The state of a feature in $LOADED_FEATURES and among the files being loaded; path may be NULL. */
spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length);
/* A file that is being loaded, from here to spate_features_done. */
void spate_features_begin(VALUE path);
void spate_features_done(VALUE path);

/* ---- hook.c ---- */

/* Replaces Ruby's own `require` and `load`, under these names and under every alias. */
bool spate_hook_install(VALUE (*require)(VALUE, VALUE), VALUE (*load)(int, VALUE *, VALUE));
/* Ruby's own load, with a frame more than by Spate's. */
VALUE spate_hook_original_load(VALUE self, VALUE path, VALUE wrap);

#endif

/*
 * Spate::Native::Requirer: Ruby's own `require` and `load` with an answer at hand. In order: require.c (what a call does),
 * load_path.c ($LOAD_PATH as the resolver knows it), features.c ($LOADED_FEATURES by the end of its paths), hook.c
 * (whose place is taken).
 */
#ifndef SPATE_BOOT_REQUIRER_H
#define SPATE_BOOT_REQUIRER_H

#include "native.h"

#include "index_resolve.h"

VALUE spate_aligned_bytes(VALUE bytes);
void spate_init_require(VALUE native);

/* ---- load_path.c ---- */

void spate_load_path_init(void);
/* Tells the resolver what $LOAD_PATH is now, where that changed since the last call. May call `to_path` of entries. */
bool spate_load_path_sync(spate_resolver *resolver);
/* Forgets what was told: another resolver is asked from now on. */
void spate_load_path_forget(void);

/* ---- features.c ---- */

typedef enum spate_loaded {
    SPATE_NOT_LOADED, /* and no other file that ends like the feature */
    SPATE_LOADED,     /* exactly this file */
    SPATE_ALIKE       /* another that Ruby may take for the feature */
} spate_loaded;

void spate_features_init(void);
/* What $LOADED_FEATURES, and the files being loaded, have for a feature; path may be NULL. */
spate_loaded spate_features_ask(const char *feature, size_t length, const char *path, size_t path_length);
/* A file that is being loaded, from here to spate_features_done. */
void spate_features_begin(VALUE path);
void spate_features_done(VALUE path);

/* ---- hook.c ---- */

/* Puts the functions where Ruby's own `require` and `load` are: under these names and under every alias. */
bool spate_hook_install(VALUE (*require)(VALUE, VALUE), VALUE (*load)(int, VALUE *, VALUE));
/* Ruby's own load, with a frame more than by Spate's. */
VALUE spate_hook_original_load(VALUE self, VALUE path, VALUE wrap);

#endif

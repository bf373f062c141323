/*
 * Reads the YAML that RubyGems writes for a gem's metadata: block collections, a few tags, scalars of every style
 * except the folded one. It never guesses: if it is not sure to read the same as Psych, it refuses the whole text.
 * Complex scalars are left to the caller, as text.
 */
#ifndef SPATE_METADATA_H
#define SPATE_METADATA_H

#include "shared/status.h"

typedef enum spate_node_kind {
    SPATE_NODE_MAP,    /* children, each with a key */
    SPATE_NODE_LIST,   /* children */
    SPATE_NODE_TAGGED, /* a map under a tag: text is the tag's class, the only child a map */
    SPATE_NODE_ALIAS,  /* the node `target` again, the same object */
    SPATE_NODE_NONE,   /* empty */
    SPATE_NODE_TRUE,
    SPATE_NODE_FALSE,
    SPATE_NODE_STRING,  /* text is the string */
    SPATE_NODE_SYMBOL,  /* text is the symbol's name */
    SPATE_NODE_PLAIN,   /* from here on: text is the scalar as written, with all its lines */
    SPATE_NODE_SINGLE,  /* with its quotes */
    SPATE_NODE_DOUBLE,  /* the same */
    SPATE_NODE_LITERAL, /* a block scalar, from its "|" on; `indent` is that of its collection, -1 without one */
} spate_node_kind;

/* Offsets and lengths are of the text, in bytes. */
typedef struct spate_node {
    spate_node_kind kind;
    uint32_t key; /* in a map */
    uint32_t key_length;
    uint32_t text;
    uint32_t text_length;
    uint32_t source; /* of a tagged map: its lines, which mean the same in any place, unless `shares` */
    uint32_t source_length;
    uint32_t count; /* children; the first follows this node, each further one is the previous one's `after` */
    uint32_t after; /* index of the node behind this one and its descendants */
    uint32_t target;
    int32_t indent;
    bool shares; /* contains an anchor or an alias */
} spate_node;

/* Zero it first; freed with spate_metadata_free. */
typedef struct spate_metadata {
    spate_node *nodes; /* the first is the document */
    size_t count;
    size_t capacity;
} spate_metadata;

/*
 * SPATE_OK, SPATE_NO_MEMORY, or SPATE_REFUSED if it is not sure. Lists named "files" and "test_files" of the outermost
 * map are left empty: no installed specification has them.
 */
spate_status spate_metadata_read(const char *text, size_t length, spate_metadata *metadata);
void spate_metadata_free(spate_metadata *metadata);

#endif

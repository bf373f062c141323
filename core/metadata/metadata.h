/*
 * Reads the YAML that RubyGems writes for a gem's metadata: block collections, a few tags, and scalars of every style
 * except folded. It never guesses: if it cannot be sure to read the same as Psych, it rejects the whole text. Complex
 * scalars are returned as text for the caller to parse.
 */
#ifndef SPATE_METADATA_H
#define SPATE_METADATA_H

#include "shared/status.h"

typedef enum spate_node_kind {
    SPATE_NODE_MAP,    /* children, each with a key */
    SPATE_NODE_LIST,   /* children */
    SPATE_NODE_TAGGED, /* a map with a tag: `text` is the tag's class, the only child is the map */
    SPATE_NODE_ALIAS,  /* refers to the node `target`, as the same object */
    SPATE_NODE_NONE,   /* an empty value */
    SPATE_NODE_TRUE,
    SPATE_NODE_FALSE,
    SPATE_NODE_STRING,  /* `text` is the string */
    SPATE_NODE_SYMBOL,  /* `text` is the name of the symbol */
    SPATE_NODE_PLAIN,   /* from here on, `text` is the scalar as written, including all its lines */
    SPATE_NODE_SINGLE,  /* including its quotes */
    SPATE_NODE_DOUBLE,  /* including its quotes */
    SPATE_NODE_LITERAL, /* a block scalar, including its "|"; `indent` is that of the parent collection, or -1 if it has
                         * none */
} spate_node_kind;

/* Offsets and lengths refer to the text, in bytes. */
typedef struct spate_node {
    spate_node_kind kind;
    uint32_t key; /* only in a map */
    uint32_t key_length;
    uint32_t text;
    uint32_t text_length;
    uint32_t source; /* the lines of a tagged map. They have the same meaning elsewhere unless `shares` is set */
    uint32_t source_length;
    uint32_t count; /* number of children; the first one follows this node, each other one is at the `after` of the
                     * previous one */
    uint32_t after; /* index after the last descendant of this node */
    uint32_t target;
    int32_t indent;
    bool shares; /* contains an anchor or an alias */
} spate_node;

/* Zero it before use and release it with spate_metadata_free. */
typedef struct spate_metadata {
    spate_node *nodes; /* the first node is the document */
    size_t count;
    size_t capacity;
} spate_metadata;

/*
 * Returns SPATE_REFUSED if it cannot read the text with certainty, or SPATE_NO_MEMORY. Lists named "files" and
 * "test_files" in the outermost map are left empty, because installed gemspecs do not have them.
 */
spate_status spate_metadata_read(const char *text, size_t length, spate_metadata *metadata);
void spate_metadata_free(spate_metadata *metadata);

#endif

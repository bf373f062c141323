#include "profile.h"

#include <ruby/st.h>
#include <stdlib.h>
#include <string.h>

/* A node's key holds all of it: parent, frame, line. Past these a tick is dropped. */
#define PARENT_BITS 24
#define FRAME_BITS 20
#define LINE_BITS 20

typedef struct spate_list {
    void *items;
    size_t count, room;
} spate_list;

struct spate_tree {
    st_table *numbers;  /* object of a frame => its number */
    st_table *children; /* key of a node => the node */
    spate_list frames, nodes, samples;
    size_t limit;
    uint64_t dropped;
};

/* A place at the list's end, or NULL. */
static void *append(spate_list *list, size_t size) {
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 1024 : list->room * 2;
        void *items = realloc(list->items, room * size);
        if (items == NULL) return NULL;
        list->items = items;
        list->room = room;
    }
    return (char *)list->items + list->count++ * size;
}

static bool begin(spate_tree *tree) {
    spate_tree_node *root = append(&tree->nodes, sizeof *root);
    if (root == NULL) return false;
    memset(root, 0, sizeof *root);
    return true;
}

spate_tree *spate_tree_new(size_t limit) {
    spate_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL) return NULL;
    tree->limit = limit;
    tree->numbers = st_init_numtable();
    tree->children = st_init_numtable();
    if (begin(tree)) return tree;
    spate_tree_free(tree);
    return NULL;
}

void spate_tree_free(spate_tree *tree) {
    if (tree == NULL) return;
    st_free_table(tree->numbers);
    st_free_table(tree->children);
    free(tree->frames.items);
    free(tree->nodes.items);
    free(tree->samples.items);
    free(tree);
}

void spate_tree_mark(const spate_tree *tree) {
    const VALUE *frames = tree->frames.items;
    for (size_t index = 0; index < tree->frames.count; index++) rb_gc_mark(frames[index]);
}

size_t spate_tree_size(const spate_tree *tree) {
    return sizeof *tree + st_memsize(tree->numbers) + st_memsize(tree->children) + tree->frames.room * sizeof(VALUE) +
           tree->nodes.room * sizeof(spate_tree_node) + tree->samples.room * sizeof(spate_tree_sample);
}

/* The number of an object's frame; false where there is no room for another. */
static bool number_of(spate_tree *tree, VALUE object, uint32_t *number) {
    st_data_t found;
    if (st_lookup(tree->numbers, (st_data_t)object, &found)) {
        *number = (uint32_t)found;
        return true;
    }
    if (tree->frames.count + SPATE_FRAME_OWN_COUNT >= (size_t)1 << FRAME_BITS) return false;
    VALUE *place = append(&tree->frames, sizeof *place);
    if (place == NULL) return false;
    *place = object;
    *number = (uint32_t)(tree->frames.count - 1) + SPATE_FRAME_OWN_COUNT;
    st_insert(tree->numbers, (st_data_t)object, *number);
    return true;
}

static bool child_of(spate_tree *tree, uint32_t parent, uint32_t frame, uint32_t line, uint32_t *node) {
    if (line >= 1u << LINE_BITS) line = 0;
    st_data_t key = (st_data_t)parent << (FRAME_BITS + LINE_BITS) | (st_data_t)frame << LINE_BITS | line;
    st_data_t found;
    if (st_lookup(tree->children, key, &found)) {
        *node = (uint32_t)found;
        return true;
    }
    if (tree->nodes.count >= (size_t)1 << PARENT_BITS) return false;
    spate_tree_node *place = append(&tree->nodes, sizeof *place);
    if (place == NULL) return false;
    *place = (spate_tree_node){.parent = parent, .frame = frame, .line = line};
    *node = (uint32_t)(tree->nodes.count - 1);
    st_insert(tree->children, key, *node);
    return true;
}

/* The node of a tick's stack. */
static bool find(spate_tree *tree, const spate_tick *tick, uint32_t *node) {
    *node = 0;
    if (tick->kind == SPATE_TICK_GC) return child_of(tree, 0, SPATE_FRAME_GC, 0, node);
    if (tick->kind == SPATE_TICK_FOREIGN) return child_of(tree, 0, SPATE_FRAME_FOREIGN, 0, node);
    for (int index = tick->depth - 1; index >= 0; index--) {
        uint32_t frame;
        int line = tick->lines[index] > 0 ? tick->lines[index] : 0;
        if (!number_of(tree, tick->frames[index], &frame)) return false;
        if (!child_of(tree, *node, frame, (uint32_t)line, node)) return false;
    }
    return true;
}

bool spate_tree_add(spate_tree *tree, const spate_tick *tick) {
    uint32_t node;
    spate_tree_sample *place = NULL;
    if (tree->samples.count < tree->limit && find(tree, tick, &node)) place = append(&tree->samples, sizeof *place);
    if (place == NULL) {
        tree->dropped++;
        return false;
    }
    uint64_t cpu = tick->cpu / 1000;
    *place = (spate_tree_sample){.at = tick->at,
                                 .thread = tick->thread,
                                 .cpu = cpu > UINT32_MAX ? UINT32_MAX : (uint32_t)cpu,
                                 .node = node,
                                 .kind = tick->kind};
    return true;
}

const spate_tree_node *spate_tree_nodes(const spate_tree *tree, size_t *count) {
    *count = tree->nodes.count;
    return tree->nodes.items;
}

const spate_tree_sample *spate_tree_samples(const spate_tree *tree, size_t *count) {
    *count = tree->samples.count;
    return tree->samples.items;
}

const VALUE *spate_tree_frames(const spate_tree *tree, size_t *count) {
    *count = tree->frames.count;
    return tree->frames.items;
}

uint64_t spate_tree_dropped(const spate_tree *tree) {
    return tree->dropped;
}

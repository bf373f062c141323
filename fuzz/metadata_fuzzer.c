/* Fuzzes the reader of gem metadata: all nodes refer to bytes within the text, the counts of children are right, and
 * aliases refer to earlier nodes. */
#include <stdlib.h>
#include <string.h>

#include "metadata/metadata.h"

static void require(bool condition) {
    if (!condition)
        abort();
}

static bool holds_children(spate_node_kind kind) {
    return kind == SPATE_NODE_MAP || kind == SPATE_NODE_LIST || kind == SPATE_NODE_TAGGED;
}

static void require_whole(const spate_metadata *read, size_t index, size_t length) {
    const spate_node *node = &read->nodes[index];
    require((uint64_t)node->text + node->text_length <= length && (uint64_t)node->key + node->key_length <= length &&
            (uint64_t)node->source + node->source_length <= length && node->kind <= SPATE_NODE_LITERAL);
    require(node->after > index && node->after <= read->count);
    require(node->kind != SPATE_NODE_ALIAS || (node->target < index && read->nodes[node->target].after <= index));
    require(holds_children(node->kind) || (node->count == 0 && node->after == index + 1));
    size_t children = 0;
    for (size_t at = index + 1; at < node->after; at = read->nodes[at].after)
        children++;
    require(children == node->count);
    require(node->kind != SPATE_NODE_TAGGED ||
            (children == 1 && read->nodes[index + 1].kind == SPATE_NODE_MAP && node->text_length > 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t length) {
    spate_metadata read = {0};
    if (spate_metadata_read((const char *)input, length, &read) == SPATE_OK) {
        require(read.nodes[0].kind == SPATE_NODE_TAGGED && read.nodes[0].after == read.count);
        for (size_t i = 0; i < read.count; i++)
            require_whole(&read, i, length);
    }
    spate_metadata_free(&read);
    return 0;
}

#ifndef SPATE_BUFFER_H
#define SPATE_BUFFER_H

#include "shared/status.h"

/*
 * A growing byte buffer. Zero it first; owned by the caller, freed with spate_buffer_free. It may start with borrowed
 * memory, which is used while it suffices, never freed, and replaced by allocated memory when it has to grow.
 */
typedef struct spate_buffer {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    bool borrowed;
} spate_buffer;

spate_status spate_buffer_reserve(spate_buffer *buffer, size_t capacity);
void spate_buffer_free(spate_buffer *buffer);

#endif

#ifndef SPATE_BUFFER_H
#define SPATE_BUFFER_H

#include "shared/status.h"

/*
 * A growing byte buffer. Zero it to begin; owned by the caller, freed with spate_buffer_free. It may begin with
 * borrowed memory: that is used while it suffices, is never freed, and is given up for memory of its own once it has to
 * grow.
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

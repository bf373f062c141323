#ifndef SPATE_BUFFER_H
#define SPATE_BUFFER_H

#include "shared/status.h"

/*
 * Bytes that grow. Zero it to begin; owned by the caller, freed with spate_buffer_free. It may begin with memory that is
 * somebody else's (borrowed): that is written while it suffices, never freed, and left for memory of its own to grow.
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

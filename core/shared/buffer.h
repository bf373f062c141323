#ifndef SPATE_BUFFER_H
#define SPATE_BUFFER_H

#include "shared/status.h"

/*
 * A growing byte buffer. Zero it before use and release it with spate_buffer_free. It may start with borrowed memory,
 * which is never freed. When that is too small, its content is copied to allocated memory.
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

#include "shared/buffer.h"

#include <stdlib.h>
#include <string.h>

spate_status spate_buffer_reserve(spate_buffer *buffer, size_t capacity) {
    if (capacity <= buffer->capacity)
        return SPATE_OK;
    uint8_t *bytes = realloc(buffer->borrowed ? NULL : buffer->bytes, capacity);
    if (bytes == NULL)
        return SPATE_NO_MEMORY;
    if (buffer->borrowed && buffer->length > 0)
        memcpy(bytes, buffer->bytes, buffer->length);
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    buffer->borrowed = false;
    return SPATE_OK;
}

void spate_buffer_free(spate_buffer *buffer) {
    if (!buffer->borrowed)
        free(buffer->bytes);
    memset(buffer, 0, sizeof *buffer);
}

/* The contents of a boot image to be written, and the place of each part. */
#ifndef SPATE_IMAGE_PLAN_H
#define SPATE_IMAGE_PLAN_H

#include "image/format.h"

typedef struct image_plan {
    const spate_image_file *files;
    size_t file_count;
    const spate_image_data *data;
    size_t data_count;
    disk_header header;
    uint8_t *tables; /* header.tables_length bytes, zeroed; owned by the caller */
} image_plan;

static inline uint64_t spate_image_aligned(uint64_t offset) {
    return (offset + IMAGE_ALIGNMENT - 1) & ~(uint64_t)(IMAGE_ALIGNMENT - 1);
}

/* Fills in the header. SPATE_REFUSED, SPATE_LIMIT: see spate_image_write. `path` is for errors. */
spate_status spate_image_lay_out(image_plan *plan, const uint8_t *key, const char *path, spate_error *error);
/* Fills in the tables, the checksum last. SPATE_REFUSED if a path or name occurs twice. */
spate_status spate_image_fill(const image_plan *plan, const char *path, spate_error *error);

#endif

/* Internals of the reader of boot images: check.c validates, open.c opens, image.c reads. */
#ifndef SPATE_IMAGE_INNER_H
#define SPATE_IMAGE_INNER_H

#include "image/format.h"

#include <stdatomic.h>

struct spate_image {
    const uint8_t *bytes;
    size_t length;
    bool mapped; /* else the bytes are borrowed */
    const disk_slot *slots;
    const disk_entry *entries;
    const disk_data *data;
    const char *strings;
    uint32_t slot_mask;
    uint32_t entry_count;
    uint32_t data_count;
    atomic_uchar *checked; /* of each blob, then of each data */
};

/*
 * Why the bytes (8-aligned) are not an image with this key. SPATE_IMAGE_FINE: all offsets and lengths of the tables are
 * valid, and *header is filled in. Reads no blob.
 */
spate_image_fault spate_image_fault_of(const uint8_t *bytes, size_t length, const uint8_t *key, disk_header *header);

#endif

/* Identifies the current boot of the kernel. Recorded times and stats of files are only trusted within the same
 * boot. */
#ifndef SPATE_BOOT_ID_H
#define SPATE_BOOT_ID_H

#include <stdint.h>

#define SPATE_BOOT_BYTES 16

/* Returns 16 bytes that are unique to this boot. They are read once. Returns NULL if the system has no boot ID; records
 * are then never trusted. */
const uint8_t *spate_boot_id(void);

#endif

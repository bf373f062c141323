/* Identifies the current boot of the kernel: times and stats of files are trusted within one boot only. */
#ifndef SPATE_BOOT_ID_H
#define SPATE_BOOT_ID_H

#include <stdint.h>

#define SPATE_BOOT_BYTES 16

/* 16 bytes unique to this boot, read once; NULL if the system has none: then nothing counts as of this boot. */
const uint8_t *spate_boot_id(void);

#endif

/* The names in a folder, as one digest. */
#ifndef SPATE_INPUTS_NAMES_H
#define SPATE_INPUTS_NAMES_H

#include "digest/sha256.h"

/*
 * SHA-256 over "<type><name>\0" of all names except "." and "..", sorted; type: f, d, l, or o for anything else.
 * Changes the read position of the open folder. Returns 0 or an errno.
 */
int spate_inputs_names(int descriptor, uint8_t out[SPATE_SHA256_LENGTH]);

#endif

/* Converts bytes to hex digits and back. */
#ifndef SPATE_HEX_H
#define SPATE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes lower-case hex digits and a NUL: `out` must have 2 * length + 1 bytes. */
void spate_hex(const uint8_t *bytes, size_t length, char *out);
/* Returns false unless `hex` consists of exactly 2 * length hex digits, in either case. */
bool spate_unhex(const char *hex, size_t hex_length, uint8_t *bytes, size_t length);

#endif

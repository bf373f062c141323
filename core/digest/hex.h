/* Bytes as hex digits, and back. */
#ifndef SPATE_HEX_H
#define SPATE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lower case hex with a final NUL: out has 2 * length + 1 bytes. */
void spate_hex(const uint8_t *bytes, size_t length, char *out);
/* false unless hex is exactly 2 * length hex digits of either case. */
bool spate_unhex(const char *hex, size_t hex_length, uint8_t *bytes, size_t length);

#endif

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4), by the processor's instruction if it has one. */
#ifndef SPATE_CRC32C_H
#define SPATE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* `crc` is 0 to begin, or the sum of the bytes before these. From any thread. */
uint32_t spate_crc32c(uint32_t crc, const void *bytes, size_t length);
/* The same from tables alone, on any processor. */
uint32_t spate_crc32c_portable(uint32_t crc, const void *bytes, size_t length);
/* "sse4.2", "arm" or "table": what spate_crc32c uses here. */
const char *spate_crc32c_backend(void);

#endif

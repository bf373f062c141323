/* CRC-32C (Castagnoli, RFC 3720 appendix B.4). Uses the processor's instruction if it has one. */
#ifndef SPATE_CRC32C_H
#define SPATE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* `crc` is 0, or the sum of the preceding bytes. Thread-safe. */
uint32_t spate_crc32c(uint32_t crc, const void *bytes, size_t length);
/* The same computed with tables, on any processor. */
uint32_t spate_crc32c_portable(uint32_t crc, const void *bytes, size_t length);
/* The implementation that spate_crc32c uses: "sse4.2", "arm" or "table". */
const char *spate_crc32c_backend(void);

#endif

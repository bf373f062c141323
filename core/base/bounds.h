/* Bounds checks and byte order for file formats that are read in place, from mapped memory. */
#ifndef SPATE_BOUNDS_H
#define SPATE_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool spate_inside(uint64_t offset, uint64_t length, uint64_t end) {
    return offset <= end && length <= end - offset;
}

/* Whether a text is within `strings` and contains no NUL except the one at its end. */
static inline bool spate_text_inside(const char *strings, uint64_t strings_length, uint64_t offset, uint64_t length) {
    return spate_inside(offset, length + 1, strings_length) &&
           memchr(strings + offset, '\0', (size_t)length + 1) == strings + offset + length;
}

/* Whether a component of the path is "..". */
static inline bool spate_climbs(const char *path) {
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

/* Convert integers from and to little-endian, the byte order of the files. */

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LE16(value) __builtin_bswap16(value)
#define LE32(value) __builtin_bswap32(value)
#define LE64(value) __builtin_bswap64(value)
#else
#define LE16(value) (value)
#define LE32(value) (value)
#define LE64(value) (value)
#endif

#endif

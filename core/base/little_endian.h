/* Integers to and from their form in a file: little-endian, which needs no conversion on most machines. */
#ifndef SPATE_LITTLE_ENDIAN_H
#define SPATE_LITTLE_ENDIAN_H

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

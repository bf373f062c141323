#include "digest/crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#define HARDWARE "sse4.2"
#elif defined(__aarch64__)
#define HARDWARE "arm"
#if defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif
#endif

#define POLYNOMIAL UINT32_C(0x82f63b78) /* bits reversed */

typedef uint32_t update(uint32_t crc, const uint8_t *bytes, size_t length);

static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;
static update *chosen;
static const char *chosen_name;

static inline uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* ---- portable: eight bytes per step, one table for each of them ---- */

static uint32_t table[8][256];

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
        table[0][i] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++)
            table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xff];
}

static uint32_t by_table(uint32_t crc, const uint8_t *bytes, size_t length) {
    pthread_once(&table_once, make_table);
    for (; length >= 8; bytes += 8, length -= 8) {
        uint32_t low =
            crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
              table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    }
    for (; length > 0; bytes++, length--)
        crc = (crc >> 8) ^ table[0][(crc ^ *bytes) & 0xff];
    return crc;
}

#ifdef HARDWARE

/* ---- with the processor's instruction ---- */

#if defined(__x86_64__)
#define WITH_INSTRUCTION __attribute__((target("sse4.2")))
#define STEP8(crc, word) ((uint32_t)__builtin_ia32_crc32di((crc), (word)))
#define STEP1(crc, byte) __builtin_ia32_crc32qi((crc), (byte))

static int has_instruction(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}
#else
/* Does not use arm_acle.h: it may declare the intrinsics only if the whole file is compiled for CRC instructions. */
#ifdef __clang__
#define WITH_INSTRUCTION __attribute__((target("crc")))
#define STEP8(crc, word) __builtin_arm_crc32cd((crc), (word))
#define STEP1(crc, byte) __builtin_arm_crc32cb((crc), (byte))
#else
#define WITH_INSTRUCTION __attribute__((target("+crc")))
#define STEP8(crc, word) __builtin_aarch64_crc32cx((crc), (word))
#define STEP1(crc, byte) __builtin_aarch64_crc32cb((crc), (byte))
#endif

static int has_instruction(void) {
#if defined(__APPLE__)
    return 1;
#elif defined(__linux__)
    return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
    return 0;
#endif
}
#endif

/*
 * ---- three streams ---- The instruction has a latency of three cycles and a throughput of one per cycle, so three
 * parts of the input are summed in parallel. The sum over A followed by B is the sum over A, shifted by the length of
 * B, xor the sum over B. The shift is linear, so four tables suffice, one for each byte of the sum.
 */
#define LONG_PART 1024
#define SHORT_PART 128

typedef struct shift {
    uint32_t of_byte[4][256];
} shift;

static shift long_shift, short_shift;

WITH_INSTRUCTION static uint32_t over_zeros(uint32_t crc, size_t length) {
    for (; length > 0; length -= 8)
        crc = STEP8(crc, UINT64_C(0));
    return crc;
}

static void make_shift(shift *made, size_t length) {
    for (int byte = 0; byte < 4; byte++) {
        uint32_t *row = made->of_byte[byte];
        row[0] = 0;
        for (unsigned bit = 1; bit < 256; bit <<= 1) {
            row[bit] = over_zeros((uint32_t)bit << 8 * byte, length);
            for (unsigned lower = 1; lower < bit; lower++)
                row[bit | lower] = row[bit] ^ row[lower];
        }
    }
}

static inline uint32_t shifted(const shift *by, uint32_t crc) {
    return by->of_byte[0][crc & 0xff] ^ by->of_byte[1][crc >> 8 & 0xff] ^ by->of_byte[2][crc >> 16 & 0xff] ^
           by->of_byte[3][crc >> 24];
}

#define THREE_STREAMS(part, by)                                                                                        \
    for (; length >= 3 * (part); bytes += 3 * (part), length -= 3 * (part)) {                                          \
        uint32_t second = 0;                                                                                           \
        uint32_t third = 0;                                                                                            \
        for (size_t i = 0; i < (part); i += 8) {                                                                       \
            crc = STEP8(crc, load64(bytes + i));                                                                       \
            second = STEP8(second, load64(bytes + (part) + i));                                                        \
            third = STEP8(third, load64(bytes + 2 * (part) + i));                                                      \
        }                                                                                                              \
        crc = shifted(&(by), shifted(&(by), crc) ^ second) ^ third;                                                    \
    }

WITH_INSTRUCTION static uint32_t by_instruction(uint32_t crc, const uint8_t *bytes, size_t length) {
    THREE_STREAMS(LONG_PART, long_shift)
    THREE_STREAMS(SHORT_PART, short_shift)
    for (; length >= 8; bytes += 8, length -= 8)
        crc = STEP8(crc, load64(bytes));
    for (; length > 0; bytes++, length--)
        crc = STEP1(crc, *bytes);
    return crc;
}

#endif

static void choose(void) {
#ifdef HARDWARE
    if (has_instruction()) {
        make_shift(&long_shift, LONG_PART);
        make_shift(&short_shift, SHORT_PART);
        chosen = by_instruction;
        chosen_name = HARDWARE;
        return;
    }
#endif
    chosen = by_table;
    chosen_name = "table";
}

uint32_t spate_crc32c(uint32_t crc, const void *bytes, size_t length) {
    pthread_once(&chosen_once, choose);
    return ~chosen(~crc, bytes, length);
}

uint32_t spate_crc32c_portable(uint32_t crc, const void *bytes, size_t length) {
    return ~by_table(~crc, bytes, length);
}

const char *spate_crc32c_backend(void) {
    pthread_once(&chosen_once, choose);
    return chosen_name;
}

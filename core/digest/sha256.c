#include "digest/sha256.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define BLOCK_BYTES 64

typedef void take_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* ---- plain C ---- */

static inline uint32_t turned(uint32_t word, int bits) {
    return word >> bits | word << (32 - bits);
}

static inline uint32_t load32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline void store32(uint8_t *bytes, uint32_t word) {
    bytes[0] = (uint8_t)(word >> 24);
    bytes[1] = (uint8_t)(word >> 16);
    bytes[2] = (uint8_t)(word >> 8);
    bytes[3] = (uint8_t)word;
}

static void expand(uint32_t w[64], const uint8_t *block) {
    for (int i = 0; i < 16; i++)
        w[i] = load32(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t low = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t high = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + low + w[i - 7] + high;
    }
}

static void take_block(uint32_t state[8], const uint8_t *block) {
    uint32_t w[64];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    expand(w, block);
    for (int i = 0; i < 64; i++) {
        uint32_t first =
            h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + first;
        d = c, c = b, b = a, a = first + second;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void by_c(uint32_t state[8], const uint8_t *bytes, size_t count) {
    for (; count > 0; count--, bytes += BLOCK_BYTES)
        take_block(state, bytes);
}

/* ---- x86's SHA extensions: four rounds at a time, with the state as ABEF and CDGH ---- */

#if defined(__x86_64__)
#define BY_INSTRUCTION __attribute__((target("sha,sse4.1,ssse3")))

static inline __m128i load128(const void *bytes) {
    return _mm_loadu_si128((const __m128i *)bytes);
}

BY_INSTRUCTION static void block_by_instruction(__m128i *abef, __m128i *cdgh, const uint8_t *block) {
    const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i w[4];
    __m128i s0 = *abef, s1 = *cdgh;
    for (int i = 0; i < 4; i++)
        w[i] = _mm_shuffle_epi8(load128(block + 16 * i), big_endian);
#pragma GCC unroll 16
    for (int step = 0; step < 16; step++) {
        __m128i *now = &w[step & 3];
        __m128i last = w[(step + 3) & 3];
        if (step >= 4) {
            __m128i sum = _mm_sha256msg1_epu32(*now, w[(step + 1) & 3]);
            sum = _mm_add_epi32(sum, _mm_alignr_epi8(last, w[(step + 2) & 3], 4));
            *now = _mm_sha256msg2_epu32(sum, last);
        }
        __m128i words = _mm_add_epi32(*now, load128(&constants[4 * step]));
        s1 = _mm_sha256rnds2_epu32(s1, s0, words);
        s0 = _mm_sha256rnds2_epu32(s0, s1, _mm_shuffle_epi32(words, 0x0e));
    }
    *abef = _mm_add_epi32(*abef, s0);
    *cdgh = _mm_add_epi32(*cdgh, s1);
}

BY_INSTRUCTION static void by_instruction(uint32_t state[8], const uint8_t *bytes, size_t count) {
    __m128i cdab = _mm_shuffle_epi32(load128(&state[0]), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(load128(&state[4]), 0x1b);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
    __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
    for (; count > 0; count--, bytes += BLOCK_BYTES)
        block_by_instruction(&abef, &cdgh, bytes);
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
    __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)&state[0], _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)&state[4], _mm_alignr_epi8(dchg, feba, 8));
}

static bool has_instruction(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_SSSE3) == 0 || (c & bit_SSE4_1) == 0)
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29) != 0;
}
#endif

/* ---- choice of the implementation ---- */

static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;
static take_blocks *chosen;

static void choose(void) {
    chosen = by_c;
#if defined(__x86_64__)
    if (has_instruction())
        chosen = by_instruction;
#endif
}

static take_blocks *best(void) {
    pthread_once(&chosen_once, choose);
    return chosen;
}

bool spate_sha256_by_instruction(void) {
    return best() != by_c;
}

const char *spate_sha256_backend(void) {
    return spate_sha256_by_instruction() ? "sha-ni" : "c";
}

/* ---- messages ---- */

void spate_sha256_begin(spate_sha256 *hash) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(hash->state, start, sizeof(start));
    hash->length = 0;
}

static void add(spate_sha256 *hash, take_blocks *take, const uint8_t *bytes, size_t length) {
    size_t waiting = hash->length % BLOCK_BYTES;
    if (length == 0)
        return;
    hash->length += length;
    if (waiting > 0) {
        size_t taken = length < BLOCK_BYTES - waiting ? length : BLOCK_BYTES - waiting;
        memcpy(hash->rest + waiting, bytes, taken);
        bytes += taken, length -= taken;
        if (waiting + taken < BLOCK_BYTES)
            return;
        take(hash->state, hash->rest, 1);
    }
    take(hash->state, bytes, length / BLOCK_BYTES);
    memcpy(hash->rest, bytes + length / BLOCK_BYTES * BLOCK_BYTES, length % BLOCK_BYTES);
}

static void end(spate_sha256 *hash, take_blocks *take, uint8_t out[SPATE_SHA256_LENGTH]) {
    uint8_t padding[2 * BLOCK_BYTES] = {0x80};
    uint64_t bits = hash->length * 8;
    size_t waiting = hash->length % BLOCK_BYTES;
    size_t length = (waiting < BLOCK_BYTES - 8 ? BLOCK_BYTES : 2 * BLOCK_BYTES) - waiting;
    store32(padding + length - 8, (uint32_t)(bits >> 32));
    store32(padding + length - 4, (uint32_t)bits);
    add(hash, take, padding, length);
    for (int i = 0; i < 8; i++)
        store32(out + 4 * i, hash->state[i]);
}

void spate_sha256_add(spate_sha256 *hash, const void *bytes, size_t length) {
    add(hash, best(), bytes, length);
}

void spate_sha256_end(spate_sha256 *hash, uint8_t out[SPATE_SHA256_LENGTH]) {
    end(hash, best(), out);
}

void spate_sha256_of(const void *bytes, size_t length, uint8_t out[SPATE_SHA256_LENGTH]) {
    spate_sha256 hash;
    spate_sha256_begin(&hash);
    spate_sha256_add(&hash, bytes, length);
    spate_sha256_end(&hash, out);
}

void spate_sha256_portable(const void *bytes, size_t length, uint8_t out[SPATE_SHA256_LENGTH]) {
    spate_sha256 hash;
    spate_sha256_begin(&hash);
    add(&hash, by_c, bytes, length);
    end(&hash, by_c, out);
}

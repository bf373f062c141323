#include "digest/siphash.h"

#include "base/bounds.h"

#include <string.h>

#define KEY0 UINT64_C(0x0706050403020100)
#define KEY1 UINT64_C(0x0f0e0d0c0b0a0908)

static inline uint64_t rotated(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static inline void rounds(uint64_t v[4], int count) {
    for (int i = 0; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

static inline void take(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

static inline uint64_t load64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return LE64(word);
}

static inline void store64(uint8_t *bytes, uint64_t word) {
    word = LE64(word);
    memcpy(bytes, &word, sizeof(word));
}

void spate_siphash_begin(spate_siphash *hash) {
    hash->v[0] = KEY0 ^ UINT64_C(0x736f6d6570736575);
    hash->v[1] = KEY1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee;
    hash->v[2] = KEY0 ^ UINT64_C(0x6c7967656e657261);
    hash->v[3] = KEY1 ^ UINT64_C(0x7465646279746573);
    hash->length = 0;
}

void spate_siphash_add(spate_siphash *hash, const void *bytes, size_t length) {
    const uint8_t *from = bytes;
    size_t waiting = hash->length % 8;
    uint64_t v[4] = {hash->v[0], hash->v[1], hash->v[2], hash->v[3]};
    hash->length += length;
    if (waiting > 0) {
        size_t missing = 8 - waiting < length ? 8 - waiting : length;
        memcpy(hash->rest + waiting, from, missing);
        from += missing;
        length -= missing;
        if (waiting + missing < 8)
            return;
        take(v, load64(hash->rest));
    }
    for (; length >= 8; from += 8, length -= 8)
        take(v, load64(from));
    if (length > 0)
        memcpy(hash->rest, from, length);
    memcpy(hash->v, v, sizeof(v));
}

void spate_siphash_end(spate_siphash *hash, uint8_t out[SPATE_SIPHASH_BYTES]) {
    uint64_t last = hash->length << 56;
    for (size_t i = 0; i < hash->length % 8; i++)
        last |= (uint64_t)hash->rest[i] << 8 * i;
    take(hash->v, last);
    hash->v[2] ^= 0xee;
    rounds(hash->v, 4);
    store64(out, hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3]);
    hash->v[1] ^= 0xdd;
    rounds(hash->v, 4);
    store64(out + 8, hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3]);
}

void spate_siphash_of(const void *bytes, size_t length, uint8_t out[SPATE_SIPHASH_BYTES]) {
    spate_siphash hash;
    spate_siphash_begin(&hash);
    spate_siphash_add(&hash, bytes, length);
    spate_siphash_end(&hash, out);
}

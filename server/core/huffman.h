#ifndef SPATE_HUFFMAN_H
#define SPATE_HUFFMAN_H

/* The static Huffman code of HPACK: RFC 7541, section 5.2 and appendix B. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills the tables. Must be called before any other function. Later calls do nothing. Not thread-safe. */
void spate_huffman_init(void);

/* Returns the encoded length, in bytes, of `length` bytes. */
size_t spate_huffman_encoded_length(const uint8_t *bytes, size_t length);

/* Encodes into `out`, which has space for spate_huffman_encoded_length bytes. Returns the bytes written. */
size_t spate_huffman_encode(const uint8_t *bytes, size_t length, uint8_t *out);

/* Upper limit of the decoded length, in bytes, of `length` encoded bytes. The shortest code has 5 bits. */
static inline size_t spate_huffman_decoded_bound(size_t length) {
    return length * 8 / 5;
}

/*
 * Decodes into `out`, which has space for spate_huffman_decoded_bound bytes, and sets `*written` to the decoded length.
 * Returns false if the bytes contain EOS, or if the padding is not a prefix of EOS or is longer than 7 bits.
 */
bool spate_huffman_decode(const uint8_t *bytes, size_t length, uint8_t *out, size_t *written);

#endif

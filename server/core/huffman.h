#ifndef SPATE_HUFFMAN_H
#define SPATE_HUFFMAN_H

/* The static Huffman code of HPACK: RFC 7541, section 5.2 and appendix B. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fills the tables. To be called once before anything else; calling it again changes nothing. */
void spate_huffman_init(void);

/* Bytes that `length` bytes take when they are encoded. */
size_t spate_huffman_encoded_length(const uint8_t *bytes, size_t length);

/* Encodes into `out`, which has room for spate_huffman_encoded_length. Answers the bytes written. */
size_t spate_huffman_encode(const uint8_t *bytes, size_t length, uint8_t *out);

/* No code is shorter than 5 bits: what `length` encoded bytes may become at most. */
static inline size_t spate_huffman_decoded_bound(size_t length) {
    return length * 8 / 5;
}

/*
 * Decodes into `out`, which has room for spate_huffman_decoded_bound; `*written` is the result's length. False where the
 * bytes hold the code of EOS, or end in padding that is no prefix of EOS or longer than 7 bits.
 */
bool spate_huffman_decode(const uint8_t *bytes, size_t length, uint8_t *out, size_t *written);

#endif

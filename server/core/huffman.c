#include "huffman.h"

#include <string.h>

#define SYMBOLS 257
#define EOS 256
/*
 * The decoder's states are the inner nodes of the code's tree: 256 for a full binary tree with 257 leaves. State 0 is
 * the root.
 */
#define STATES 256

/*
 * Number of bits of each symbol's code (appendix B). The code is canonical: codes of one length ascend with the
 * symbols, and the first code of a length follows from the last code of the previous length. The lengths therefore
 * determine all codes.
 */
static const uint8_t lengths[SYMBOLS] = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 6,  10, 10, 12, 13, 6,  8,  11, 10, 10, 8,  11, 8,  6,  6,  6,  5,  5,  5,  6,  6,  6,  6,  6,  6,  6,
    7,  8,  15, 6,  12, 10, 13, 6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,
    7,  8,  7,  8,  13, 19, 13, 14, 6,  15, 5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,  6,  7,  6,  5,
    5,  6,  7,  7,  7,  7,  7,  15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24,
    24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22,
    23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26,
    27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23,
    22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
};

enum {
    EMITS = 1,  /* a symbol ends within this nibble */
    BROKEN = 2, /* EOS */
};

/*
 * The transition of a state for four bits of input. The shortest code has 5 bits, so at most one symbol ends in four
 * bits.
 */
typedef struct step {
    uint8_t next;
    uint8_t flags;
    uint8_t symbol;
} step;

static uint32_t codes[SYMBOLS];
static step steps[STATES][16];
/* States in which the input may end. They are reached from the root by at most seven 1 bits, which are the padding. */
static bool accepting[STATES];
static bool ready;

static void assign_codes(void) {
    uint32_t code = 0;
    for (unsigned length = 1; length <= 30; length++) {
        code <<= 1;
        for (unsigned symbol = 0; symbol < SYMBOLS; symbol++)
            if (lengths[symbol] == length)
                codes[symbol] = code++;
    }
}

/* Fills in the children of the inner nodes. A child is the number of an inner node, or -1 - symbol. */
static void build_tree(int16_t children[STATES][2]) {
    int nodes = 1;
    memset(children, 0, sizeof(int16_t[STATES][2]));
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        int node = 0;
        for (int bit = lengths[symbol] - 1; bit > 0; bit--) {
            int16_t *child = &children[node][codes[symbol] >> bit & 1];
            if (*child == 0)
                *child = (int16_t)nodes++;
            node = *child;
        }
        children[node][codes[symbol] & 1] = (int16_t)(-1 - symbol);
    }
}

static step walk(int16_t children[STATES][2], int node, unsigned nibble) {
    step result = {0, 0, 0};
    for (int bit = 3; bit >= 0; bit--) {
        int child = children[node][nibble >> bit & 1];
        if (child >= 0) {
            node = child;
        } else if (child == -1 - EOS) {
            result.flags |= BROKEN;
            return result;
        } else {
            result.flags |= EMITS;
            result.symbol = (uint8_t)(-1 - child);
            node = 0;
        }
    }
    result.next = (uint8_t)node;
    return result;
}

void spate_huffman_init(void) {
    int16_t children[STATES][2];
    if (ready)
        return;
    assign_codes();
    build_tree(children);
    for (int state = 0; state < STATES; state++)
        for (unsigned nibble = 0; nibble < 16; nibble++)
            steps[state][nibble] = walk(children, state, nibble);
    for (int bits = 0, node = 0; bits <= 7; bits++, node = children[node][1])
        accepting[node] = true;
    ready = true;
}

size_t spate_huffman_encoded_length(const uint8_t *bytes, size_t length) {
    size_t bits = 0;
    for (size_t i = 0; i < length; i++)
        bits += lengths[bytes[i]];
    return (bits + 7) / 8;
}

size_t spate_huffman_encode(const uint8_t *bytes, size_t length, uint8_t *out) {
    uint64_t pending = 0;
    unsigned bits = 0;
    uint8_t *at = out;
    for (size_t i = 0; i < length; i++) {
        pending = pending << lengths[bytes[i]] | codes[bytes[i]];
        bits += lengths[bytes[i]];
        while (bits >= 8) {
            bits -= 8;
            *at++ = (uint8_t)(pending >> bits);
        }
    }
    if (bits > 0)
        *at++ = (uint8_t)(pending << (8 - bits) | 0xffu >> bits);
    return (size_t)(at - out);
}

bool spate_huffman_decode(const uint8_t *bytes, size_t length, uint8_t *out, size_t *written) {
    uint8_t *at = out;
    uint8_t state = 0;
    for (size_t i = 0; i < length; i++) {
        step high = steps[state][bytes[i] >> 4];
        step low = steps[high.next][bytes[i] & 15];
        if ((high.flags | low.flags) & BROKEN)
            return false;
        if (high.flags & EMITS)
            *at++ = high.symbol;
        if (low.flags & EMITS)
            *at++ = low.symbol;
        state = low.next;
    }
    *written = (size_t)(at - out);
    return accepting[state];
}

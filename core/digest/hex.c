#include "digest/hex.h"

void spate_hex(const uint8_t *bytes, size_t length, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < length; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * length] = '\0';
}

static int value_of_digit(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool spate_unhex(const char *hex, size_t hex_length, uint8_t *bytes, size_t length) {
    if (hex_length % 2 != 0 || hex_length / 2 != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        int high = value_of_digit(hex[2 * i]);
        int low = value_of_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

#include "archive/tar_header.h"

#include <string.h>

/*
 * offset  0 name (100)        100 mode (8)    108 uid (8)     116 gid (8)
 *       124 size (12)         136 mtime (12)  148 chksum (8)  156 typeflag
 *       157 linkname (100)    257 magic (6)   263 version (2) 265 uname (32)
 *       297 gname (32)        329 devmajor (8)  337 devminor (8)  345 prefix (155)
 */
typedef struct header_field {
    size_t offset;
    size_t length;
} header_field;

static const header_field name_field = {0, 100};
static const header_field mode_field = {100, 8};
static const header_field size_field = {124, 12};
static const header_field checksum_field = {148, 8};
static const header_field link_field = {157, 100};
static const header_field prefix_field = {345, 155};
/* star and npm's packers store two timestamps in the last 24 bytes of the prefix. */
static const header_field short_prefix_field = {345, 131};
static const header_field star_times_field = {476, 24};
#define TYPE_FLAG_OFFSET 156
#define MAGIC_OFFSET 257

bool spate_tar_is_zero(const uint8_t *bytes, size_t length) {
    return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* Parses octal digits with leading blanks and trailing blanks or NULs. An empty field is 0, as in other readers. */
static bool parse_octal(const uint8_t *bytes, size_t length, uint64_t *value) {
    size_t at = 0;

    *value = 0;
    while (at < length && bytes[at] == ' ')
        at++;
    for (; at < length && bytes[at] >= '0' && bytes[at] <= '7'; at++)
        *value = *value << 3 | (uint64_t)(bytes[at] - '0'); /* at most 12 digits: 36 bits */
    for (; at < length; at++)
        if (bytes[at] != ' ' && bytes[at] != '\0')
            return false;
    return true;
}

/* Parses GNU base-256: bit 7 of the first byte is set, the rest is a big-endian two's complement number. */
static bool parse_binary(const uint8_t *bytes, size_t length, uint64_t *value) {
    if (bytes[0] & 0x40) /* negative */
        return false;
    *value = bytes[0] & 0x3f;
    for (size_t at = 1; at < length; at++) {
        if (*value > (uint64_t)INT64_MAX >> 8)
            return false;
        *value = *value << 8 | bytes[at];
    }
    return true;
}

static bool parse_number(const uint8_t *block, header_field field, uint64_t *value) {
    const uint8_t *bytes = block + field.offset;
    return bytes[0] & 0x80 ? parse_binary(bytes, field.length, value) : parse_octal(bytes, field.length, value);
}

/* Copies the field up to its first NUL. Returns false if there are other bytes after that NUL. */
static bool copy_text(const uint8_t *block, header_field field, char *out, size_t *length) {
    const uint8_t *bytes = block + field.offset;
    const uint8_t *nul = memchr(bytes, 0, field.length);
    *length = nul == NULL ? field.length : (size_t)(nul - bytes);
    memcpy(out, bytes, *length);
    out[*length] = '\0';
    return spate_tar_is_zero(bytes + *length, field.length - *length);
}

static int sum_of(const uint8_t *bytes, size_t length) {
    int sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += bytes[i];
    return sum;
}

static int signed_sum_of(const uint8_t *bytes, size_t length) {
    int sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (int8_t)bytes[i];
    return sum;
}

/* Compares the checksum with the sum of all bytes of the header, with the checksum field itself as blanks. Some old
 * tars summed signed bytes. */
static bool checksum_matches(const uint8_t *block) {
    const uint8_t *own = block + checksum_field.offset;
    int blanks = ' ' * (int)checksum_field.length;
    uint64_t expected;

    if (!parse_octal(own, checksum_field.length, &expected))
        return false;
    int sum = sum_of(block, SPATE_TAR_BLOCK) - sum_of(own, checksum_field.length) + blanks;
    if ((int64_t)expected == sum)
        return true;
    sum = signed_sum_of(block, SPATE_TAR_BLOCK) - signed_sum_of(own, checksum_field.length) + blanks;
    return (int64_t)expected == sum;
}

static bool has_star_times(const uint8_t *block) {
    const uint8_t *times = block + star_times_field.offset;
    for (size_t i = 0; i < star_times_field.length; i++) {
        bool end = i % 12 == 11;
        if (end ? times[i] != ' ' && times[i] != '\0' : times[i] < '0' || times[i] > '7')
            return false;
    }
    return times[-1] == '\0';
}

/* Only ustar has a prefix: GNU stores times there, and v7 nothing. Returns SPATE_CORRUPT for a prefix in a header of
 * another kind, because readers disagree on whether it is part of the name. */
static spate_status parse_name(spate_tar_header *header, const uint8_t *block, spate_error *error) {
    char name[101];
    size_t length = 0;
    size_t prefix = 0;
    bool ustar = memcmp(block + MAGIC_OFFSET, "ustar\0", 6) == 0;
    bool gnu = memcmp(block + MAGIC_OFFSET, "ustar ", 6) == 0;

    bool whole = copy_text(block, name_field, name, &length);
    if (!ustar && !gnu && !spate_tar_is_zero(block + prefix_field.offset, prefix_field.length))
        return spate_fail(error, SPATE_CORRUPT, name, "a header of unknown kind with a name prefix");
    if (ustar) {
        whole =
            copy_text(block, has_star_times(block) ? short_prefix_field : prefix_field, header->name, &prefix) && whole;
        if (prefix > 0)
            header->name[prefix++] = '/';
    }
    memcpy(header->name + prefix, name, length + 1);
    if (!whole)
        return spate_fail(error, SPATE_REFUSED, header->name, "the name contains a null byte");
    return SPATE_OK;
}

spate_status spate_tar_header_parse(spate_tar_header *header, const uint8_t block[SPATE_TAR_BLOCK],
                                    spate_error *error) {
    uint64_t mode = 0;
    size_t length = 0;

    memset(header, 0, sizeof *header);
    if (!checksum_matches(block))
        return spate_fail(error, SPATE_CORRUPT, NULL, "missing tar header: its checksum is wrong");
    header->type_flag = (char)block[TYPE_FLAG_OFFSET];
    spate_status status = parse_name(header, block, error);
    if (status != SPATE_OK)
        return status;
    if (!copy_text(block, link_field, header->link_name, &length))
        return spate_fail(error, SPATE_REFUSED, header->name, "the link's target contains a null byte");
    if (!parse_number(block, size_field, &header->size))
        return spate_fail(error, SPATE_CORRUPT, header->name, "the size is negative, too large or not a number");
    if (!parse_octal(block + mode_field.offset, mode_field.length, &mode))
        return spate_fail(error, SPATE_CORRUPT, header->name, "the mode is not an octal number");
    header->mode = (uint32_t)(mode & 07777);
    return SPATE_OK;
}

/*
 * A tar reader (ustar, PAX, GNU long names) for untrusted input. It reads either from memory or from an inflate stream.
 * In memory mode, payloads point into the input. It does not check paths: see path.h.
 */
#ifndef SPATE_TAR_H
#define SPATE_TAR_H

#include "shared/inflate.h"
#include "shared/status.h"

typedef enum spate_tar_type {
    SPATE_TAR_FILE, SPATE_TAR_DIRECTORY, SPATE_TAR_SYMLINK, SPATE_TAR_HARDLINK,
    SPATE_TAR_DEVICE, /* or a FIFO */
    SPATE_TAR_OTHER   /* a type that POSIX does not define */
} spate_tar_type;

typedef struct spate_tar_entry {
    spate_tar_type type;
    char type_flag;           /* as in the header, for messages */
    const char *name;         /* NUL-terminated, as in the archive; valid until the next spate_tar_next */
    size_t name_length;       /* bytes; spate_tar_next returns SPATE_REFUSED for a name that contains a NUL */
    const char *link_name;    /* "" if not a link */
    uint32_t mode;            /* & 07777 */
    uint64_t size;            /* from the PAX header if it has one */
    const uint8_t *payload;   /* points into the input in memory mode; NULL in stream mode */
} spate_tar_entry;

typedef struct spate_tar spate_tar;

/* `input` must stay valid until spate_tar_close. */
spate_status spate_tar_open_memory(spate_tar **tar, const uint8_t *input, size_t length, spate_error *error);
/* `stream` must stay valid until spate_tar_close. */
spate_status spate_tar_open_stream(spate_tar **tar, spate_inflate_stream *stream, spate_error *error);
/* Reads members of type 'X' as PAX headers, like node-tar; otherwise they are SPATE_TAR_OTHER. Call it before the first
 * spate_tar_next. */
void spate_tar_read_old_pax(spate_tar *tar);
/*
 * Reads the next member. Sets *more to false after the last one. Skips the unread rest of the previous member.
 *
 * The archive ends at its first block of zeros, or where the input ends between members. Missing zero blocks are
 * tolerated, and so is missing padding after the last member. Data after the end is ignored, but a stream is read to
 * its end to verify its checksum.
 *
 * Returns SPATE_TRUNCATED, SPATE_CORRUPT (wrong checksum, invalid octal number, a directory or link with content) or
 * SPATE_REFUSED (sparse file, NUL in a name, extended header over 1 MiB, global PAX path or size). After a failure,
 * every later call returns the same one.
 */
spate_status spate_tar_next(spate_tar *tar, spate_tar_entry *entry, bool *more, spate_error *error);
/* Reads up to `capacity` bytes of the current payload, in both modes. Reads fewer only at the end of the payload;
 * *produced is 0 after that. */
spate_status spate_tar_read(spate_tar *tar, uint8_t *out, size_t capacity, size_t *produced, spate_error *error);
void spate_tar_close(spate_tar *tar);

#endif

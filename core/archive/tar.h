/*
 * A tar reader (ustar, PAX, GNU long names), written for hostile input. It reads from memory, where payloads are
 * borrowed, or from an inflate stream, from which they are pulled. It decides nothing about paths: see path.h.
 */
#ifndef SPATE_TAR_H
#define SPATE_TAR_H

#include "shared/inflate.h"
#include "shared/status.h"

typedef enum spate_tar_type {
    SPATE_TAR_FILE, SPATE_TAR_DIRECTORY, SPATE_TAR_SYMLINK, SPATE_TAR_HARDLINK,
    SPATE_TAR_DEVICE, /* or a FIFO */
    SPATE_TAR_OTHER   /* of no type that POSIX defines */
} spate_tar_type;

typedef struct spate_tar_entry {
    spate_tar_type type;
    char type_flag;           /* the header's own byte, for messages */
    const char *name;         /* NUL-terminated, as in the archive; valid until the next call of next */
    size_t name_length;       /* bytes; a name that contains a NUL is SPATE_REFUSED by the walker */
    const char *link_name;    /* "" unless a link */
    uint32_t mode;            /* & 07777 */
    uint64_t size;            /* PAX size wins over the header's */
    const uint8_t *payload;   /* borrowed from the input in memory mode; NULL in stream mode */
} spate_tar_entry;

typedef struct spate_tar spate_tar;

/* input is borrowed until spate_tar_close. */
spate_status spate_tar_open_memory(spate_tar **tar, const uint8_t *input, size_t length, spate_error *error);
/* stream is borrowed until spate_tar_close. */
spate_status spate_tar_open_stream(spate_tar **tar, spate_inflate_stream *stream, spate_error *error);
/* Reads members of type X as PAX headers, as node-tar does; otherwise they are SPATE_TAR_OTHER. Call it before next. */
void spate_tar_read_old_pax(spate_tar *tar);
/*
 * The next member; *more is false after the last. Skips the unread rest of the previous one. The archive ends at its
 * first block of zeros, or where its bytes end between members (missing zero blocks, and padding missing after the
 * last member, are tolerated); what follows is ignored, but a stream is read to its end, so that its checksum counts.
 * SPATE_TRUNCATED, SPATE_CORRUPT (checksum, octal, content of a directory or link), SPATE_REFUSED (sparse, NUL in a
 * name, extended headers over 1 MiB, global PAX paths and sizes). Every later call returns the same failure.
 */
spate_status spate_tar_next(spate_tar *tar, spate_tar_entry *entry, bool *more, spate_error *error);
/* Up to capacity bytes of the current payload, and fewer only at its end; *produced is 0 after that. Both modes. */
spate_status spate_tar_read(spate_tar *tar, uint8_t *out, size_t capacity, size_t *produced, spate_error *error);
void spate_tar_close(spate_tar *tar);

#endif

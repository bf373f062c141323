/*
 * The protocol between a client of warm boots (core/front/warm) and a warm parent (core/warm).
 *
 * Request: the first bytes are sent together with descriptors: stdin, stdout, stderr, the working directory, and other
 * descriptors that the client has inherited.
 *
 *   uint32, little-endian      number of bytes that follow
 *   NUL-terminated texts       SPATE_WARM_MAGIC, ignored signals, blocked signals, numbers of the other descriptors
 *                              ("10,251,"), number of words, words, number of environment entries, entries
 *
 * Signals are decimal masks, in which bit 0 is signal 1. Numbers are decimal. The first word is the program's name.
 *
 * Reply: 8 bytes: uint32 kind, int32 value, both little-endian.
 *
 * A client that receives no reply within some seconds boots instead. It first shuts down reading on the connection, so
 * that the parent cannot send STARTED. A parent that cannot send it kills the child, because the command would
 * otherwise run twice.
 */
#ifndef SPATE_WARM_PROTOCOL_H
#define SPATE_WARM_PROTOCOL_H

#include <stddef.h>

/* The last character is the version of the protocol. */
#define SPATE_WARM_MAGIC "SPATEW2"
#define SPATE_WARM_REQUEST_MAX ((size_t)4 << 20)
#define SPATE_WARM_STANDARD 4 /* number of descriptors that are always sent */
#define SPATE_WARM_DESCRIPTORS 64
#define SPATE_WARM_REPLY_BYTES 8

typedef enum spate_warm_reply_kind {
    SPATE_WARM_STARTED = 1,  /* value: process ID of the child */
    SPATE_WARM_EXITED = 2,   /* value: exit status; the last reply */
    SPATE_WARM_SIGNALED = 3, /* value: the signal that killed it; the last reply */
    SPATE_WARM_REFUSED = 4,  /* value: 0; there is no child; the last reply */
    SPATE_WARM_STOPPED = 5   /* value: the signal that stopped it */
} spate_warm_reply_kind;

#endif

/*
 * What a client of warm boots (core/front/warm) and a parent (core/warm) send each other.
 *
 * A request. The first bytes come with descriptors: stdin, stdout, stderr, the working directory, and the others that
 * the client has inherited.
 *
 *   uint32, little-endian      bytes that follow
 *   texts, each with its NUL   SPATE_WARM_MAGIC, ignored signals, blocked signals, numbers of the other descriptors
 *                              ("10,251,"), number of words, words, number of environment entries, entries
 *
 * Signals are masks in decimal: bit 0 is signal 1. Numbers are decimal. The words begin with the program's name.
 *
 * Replies, of 8 bytes: uint32 kind, int32 value, little-endian.
 *
 * A client that has no reply after some seconds boots instead. It then shuts the connection down, so that the parent
 * cannot write STARTED: a parent that cannot do so ends the child, or the command would run twice.
 */
#ifndef SPATE_WARM_PROTOCOL_H
#define SPATE_WARM_PROTOCOL_H

#include <stddef.h>

/* The last character is the version. */
#define SPATE_WARM_MAGIC "SPATEW2"
#define SPATE_WARM_REQUEST_MAX ((size_t)4 << 20)
#define SPATE_WARM_STANDARD 4 /* descriptors without the others */
#define SPATE_WARM_DESCRIPTORS 64
#define SPATE_WARM_REPLY_BYTES 8

typedef enum spate_warm_reply_kind {
    SPATE_WARM_STARTED = 1,  /* the child's process id */
    SPATE_WARM_EXITED = 2,   /* its exit status; nothing follows */
    SPATE_WARM_SIGNALED = 3, /* the signal that ended it; nothing follows */
    SPATE_WARM_REFUSED = 4,  /* 0: there is no child; nothing follows */
    SPATE_WARM_STOPPED = 5   /* the signal that stopped it */
} spate_warm_reply_kind;

#endif

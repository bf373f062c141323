/*
 * The functions of libcrypto that digest.c calls. On Linux the extension loads the library on first use. Loading and
 * initializing it takes 3 ms of processor time, a tenth of an install with nothing to do, and such an install does not
 * need it.
 */
#ifndef SPATE_LIBCRYPTO_H
#define SPATE_LIBCRYPTO_H

#include "digest/digest.h"

#include <openssl/evp.h>

#define SPATE_DIGEST_KINDS 3

typedef struct spate_libcrypto {
    EVP_MD_CTX *(*context_new)(void);
    void (*context_free)(EVP_MD_CTX *context);
    int (*begin)(EVP_MD_CTX *context, const EVP_MD *algorithm, ENGINE *engine);
    int (*update)(EVP_MD_CTX *context, const void *bytes, size_t length);
    int (*finish)(EVP_MD_CTX *context, unsigned char *out, unsigned *length);
    /* Indexed by spate_digest_kind. NULL if libcrypto does not support it (SHA-1 under a strict policy). */
    const EVP_MD *algorithms[SPATE_DIGEST_KINDS];
} spate_libcrypto;

/* Returns NULL if libcrypto cannot be loaded. Thread-safe. */
const spate_libcrypto *spate_libcrypto_load(void);

#endif

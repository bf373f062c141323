#include "digest/digest.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

#define KINDS 3

struct spate_digest {
    EVP_MD_CTX *context;
    const EVP_MD *algorithm;
};

/* What one thread keeps for spate_digest_once: a context for each kind it has used. */
typedef struct thread_contexts {
    EVP_MD_CTX *of_kind[KINDS];
} thread_contexts;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t contexts_key;
static bool key_made;
static const EVP_MD *algorithms[KINDS];

static void free_contexts(void *value) {
    thread_contexts *contexts = value;
    for (int i = 0; i < KINDS; i++)
        EVP_MD_CTX_free(contexts->of_kind[i]);
    free(contexts);
}

/* An implicit fetch at each EVP_DigestInit costs more than hashing a small file: fetch once and keep it. */
static const EVP_MD *fetch(const char *name, const EVP_MD *implicit) {
#if OPENSSL_VERSION_NUMBER >= 0x30000000L
    (void)implicit;
    return EVP_MD_fetch(NULL, name, NULL);
#else
    (void)name;
    return implicit;
#endif
}

static void set_up(void) {
    algorithms[SPATE_SHA1] = fetch("SHA1", EVP_sha1());
    algorithms[SPATE_SHA256] = fetch("SHA2-256", EVP_sha256());
    algorithms[SPATE_SHA512] = fetch("SHA2-512", EVP_sha512());
    key_made = pthread_key_create(&contexts_key, free_contexts) == 0;
}

/* NULL where this libcrypto does not offer it (SHA-1 under a strict policy). */
static const EVP_MD *algorithm_of(spate_digest_kind kind) {
    if ((unsigned)kind >= KINDS || pthread_once(&once, set_up) != 0)
        return NULL;
    return algorithms[kind];
}

spate_status spate_digest_new(spate_digest **digest, spate_digest_kind kind) {
    *digest = NULL;
    const EVP_MD *algorithm = algorithm_of(kind);
    if (algorithm == NULL)
        return SPATE_SYSTEM;
    spate_digest *made = malloc(sizeof *made);
    if (made == NULL)
        return SPATE_NO_MEMORY;
    made->algorithm = algorithm;
    made->context = EVP_MD_CTX_new();
    if (made->context == NULL) {
        free(made);
        return SPATE_NO_MEMORY;
    }
    if (EVP_DigestInit_ex(made->context, algorithm, NULL) != 1) {
        spate_digest_free(made);
        return SPATE_SYSTEM;
    }
    *digest = made;
    return SPATE_OK;
}

spate_status spate_digest_update(spate_digest *digest, const void *bytes, size_t length) {
    if (length == 0)
        return SPATE_OK;
    return EVP_DigestUpdate(digest->context, bytes, length) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

spate_status spate_digest_finish(spate_digest *digest, uint8_t *out) {
    if (EVP_DigestFinal_ex(digest->context, out, NULL) != 1)
        return SPATE_SYSTEM;
    return EVP_DigestInit_ex(digest->context, digest->algorithm, NULL) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

void spate_digest_free(spate_digest *digest) {
    if (digest == NULL)
        return;
    EVP_MD_CTX_free(digest->context);
    free(digest);
}

size_t spate_digest_bytes(spate_digest_kind kind) {
    switch (kind) {
    case SPATE_SHA1: return 20;
    case SPATE_SHA256: return SPATE_SHA256_BYTES;
    case SPATE_SHA512: return 64;
    }
    return 0;
}

/* This thread's context for the kind, made at its first use and freed when the thread ends. */
static EVP_MD_CTX *context_of_thread(spate_digest_kind kind) {
    thread_contexts *contexts = pthread_getspecific(contexts_key);
    if (contexts == NULL) {
        contexts = calloc(1, sizeof *contexts);
        if (contexts == NULL)
            return NULL;
        if (pthread_setspecific(contexts_key, contexts) != 0) {
            free(contexts);
            return NULL;
        }
    }
    if (contexts->of_kind[kind] == NULL)
        contexts->of_kind[kind] = EVP_MD_CTX_new();
    return contexts->of_kind[kind];
}

spate_status spate_digest_once(spate_digest_kind kind, const void *bytes, size_t length, uint8_t *out) {
    const EVP_MD *algorithm = algorithm_of(kind);
    if (algorithm == NULL || !key_made)
        return SPATE_SYSTEM;
    EVP_MD_CTX *context = context_of_thread(kind);
    if (context == NULL)
        return SPATE_NO_MEMORY;
    if (EVP_DigestInit_ex(context, algorithm, NULL) != 1)
        return SPATE_SYSTEM;
    if (length > 0 && EVP_DigestUpdate(context, bytes, length) != 1)
        return SPATE_SYSTEM;
    return EVP_DigestFinal_ex(context, out, NULL) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

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

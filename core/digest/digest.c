#include "digest/digest.h"

#include "base/descriptor.h"
#include "digest/libcrypto.h"
#include "digest/sha256.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct spate_digest {
    EVP_MD_CTX *context;
    const EVP_MD *algorithm; /* NULL for SHA-256 without libcrypto */
    spate_sha256 sha256;
};

/* Contexts that a thread reuses in spate_digest_once, one for each kind that it has used. */
typedef struct thread_contexts {
    EVP_MD_CTX *of_kind[SPATE_DIGEST_KINDS];
} thread_contexts;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t contexts_key;
static bool key_made;
static const spate_libcrypto *crypto;

static void free_contexts(void *value) {
    thread_contexts *contexts = value;
    for (int i = 0; i < SPATE_DIGEST_KINDS; i++)
        crypto->context_free(contexts->of_kind[i]);
    free(contexts);
}

static void set_up(void) {
    crypto = spate_libcrypto_load();
    key_made = crypto != NULL && pthread_key_create(&contexts_key, free_contexts) == 0;
}

/* Returns NULL if libcrypto does not support the algorithm. */
static const EVP_MD *algorithm_of(spate_digest_kind kind) {
    if ((unsigned)kind >= SPATE_DIGEST_KINDS || pthread_once(&once, set_up) != 0 || crypto == NULL)
        return NULL;
    return crypto->algorithms[kind];
}

/* Whether to use the implementation in sha256.c. With SHA instructions, it is as fast as libcrypto, which then need not
 * be loaded. Without them, libcrypto is faster. */
static bool is_own(spate_digest_kind kind) {
    return kind == SPATE_SHA256 && (spate_sha256_by_instruction() || algorithm_of(kind) == NULL);
}

static spate_status make_context(spate_digest *made, spate_digest_kind kind) {
    made->algorithm = algorithm_of(kind);
    if (made->algorithm == NULL)
        return SPATE_SYSTEM;
    made->context = crypto->context_new();
    if (made->context == NULL)
        return SPATE_NO_MEMORY;
    return crypto->begin(made->context, made->algorithm, NULL) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

spate_status spate_digest_new(spate_digest **digest, spate_digest_kind kind) {
    *digest = NULL;
    spate_digest *made = calloc(1, sizeof *made);
    if (made == NULL)
        return SPATE_NO_MEMORY;
    spate_sha256_begin(&made->sha256);
    spate_status status = is_own(kind) ? SPATE_OK : make_context(made, kind);
    if (status == SPATE_OK)
        *digest = made;
    else
        spate_digest_free(made);
    return status;
}

spate_status spate_digest_update(spate_digest *digest, const void *bytes, size_t length) {
    if (length == 0)
        return SPATE_OK;
    if (digest->algorithm != NULL)
        return crypto->update(digest->context, bytes, length) == 1 ? SPATE_OK : SPATE_SYSTEM;
    spate_sha256_add(&digest->sha256, bytes, length);
    return SPATE_OK;
}

spate_status spate_digest_finish(spate_digest *digest, uint8_t *out) {
    if (digest->algorithm == NULL) {
        spate_sha256_end(&digest->sha256, out);
        spate_sha256_begin(&digest->sha256);
        return SPATE_OK;
    }
    if (crypto->finish(digest->context, out, NULL) != 1)
        return SPATE_SYSTEM;
    return crypto->begin(digest->context, digest->algorithm, NULL) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

void spate_digest_free(spate_digest *digest) {
    if (digest == NULL)
        return;
    if (digest->context != NULL)
        crypto->context_free(digest->context);
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

/* Returns this thread's context for the kind. It is created on first use and freed when the thread ends. */
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
        contexts->of_kind[kind] = crypto->context_new();
    return contexts->of_kind[kind];
}

spate_status spate_digest_once(spate_digest_kind kind, const void *bytes, size_t length, uint8_t *out) {
    if (is_own(kind)) {
        spate_sha256_of(bytes, length, out);
        return SPATE_OK;
    }
    const EVP_MD *algorithm = algorithm_of(kind);
    if (algorithm == NULL || !key_made)
        return SPATE_SYSTEM;
    EVP_MD_CTX *context = context_of_thread(kind);
    if (context == NULL)
        return SPATE_NO_MEMORY;
    if (crypto->begin(context, algorithm, NULL) != 1)
        return SPATE_SYSTEM;
    if (length > 0 && crypto->update(context, bytes, length) != 1)
        return SPATE_SYSTEM;
    return crypto->finish(context, out, NULL) == 1 ? SPATE_OK : SPATE_SYSTEM;
}

#define READ_STEP ((size_t)64 << 10)

static size_t next_step(uint64_t left) {
    return left < READ_STEP ? (size_t)left : READ_STEP;
}

spate_status spate_digest_descriptor(int descriptor, const char *path, uint64_t *length, const spate_cancel *cancel,
                                     uint8_t sha256[SPATE_SHA256_BYTES], spate_error *error) {
    static _Thread_local uint8_t step[READ_STEP];
    spate_digest *digest = NULL;
    uint64_t wanted = *length;
    spate_status status = SPATE_OK;
    *length = 0;
    int64_t got = spate_read_full(descriptor, step, next_step(wanted));
    if (got >= 0 && got < (int64_t)sizeof(step)) { /* most files fit into one step and need no context */
        *length = (uint64_t)got;
        status = spate_digest_once(SPATE_SHA256, step, (size_t)got, sha256);
    } else if (got >= 0) {
        status = spate_digest_new(&digest, SPATE_SHA256);
        while (status == SPATE_OK && got > 0) {
            *length += (uint64_t)got;
            status = spate_digest_update(digest, step, (size_t)got);
            if (status == SPATE_OK)
                status = spate_cancelled(cancel, error);
            if (status == SPATE_OK)
                got = spate_read_full(descriptor, step, next_step(wanted - *length));
        }
        if (status == SPATE_OK && got >= 0)
            status = spate_digest_finish(digest, sha256);
        spate_digest_free(digest);
    }
    if (got < 0)
        return spate_fail_errno(error, path, "read");
    if (status == SPATE_OK || status == SPATE_CANCELLED)
        return status;
    return spate_fail(error, status, path, "cannot compute SHA-256");
}

spate_status spate_digest_file(const char *path, const spate_cancel *cancel, uint8_t sha256[SPATE_SHA256_BYTES],
                               spate_error *error) {
    uint64_t length = UINT64_MAX;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return spate_fail_errno(error, path, "open");
    spate_status status = spate_digest_descriptor(descriptor, path, &length, cancel, sha256, error);
    close(descriptor);
    return status;
}

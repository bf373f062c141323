#include "digest/file.h"

#include "base/descriptor.h"

#include <fcntl.h>
#include <unistd.h>

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
    if (got >= 0 && got < (int64_t)sizeof(step)) { /* most files: one message, without a context */
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
    return spate_fail(error, status, path, "no SHA-256 could be computed");
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

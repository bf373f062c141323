/* Writes a compile cache to its file. */
#include "compile_cache/inner.h"

#include "base/descriptor.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)256 << 10)

typedef struct output {
    int descriptor;
    size_t used;
    uint8_t bytes[BUFFER_BYTES];
} output;

static bool flush(output *out) {
    size_t length = out->used;
    out->used = 0;
    return spate_write_all(out->descriptor, out->bytes, length);
}

static bool put(output *out, const void *bytes, size_t length) {
    if (length > BUFFER_BYTES - out->used && !flush(out))
        return false;
    if (length > BUFFER_BYTES)
        return spate_write_all(out->descriptor, bytes, length);
    if (length > 0)
        memcpy(out->bytes + out->used, bytes, length);
    out->used += length;
    return true;
}

static bool put_aligned(output *out, const void *bytes, size_t length) {
    static const uint8_t zeros[COMPILE_CACHE_ALIGNMENT];
    return put(out, bytes, length) && put(out, zeros, (size_t)(spate_compile_cache_aligned(length) - length));
}

static bool put_plan(output *out, const compile_cache_plan *plan) {
    if (!put(out, plan->tables, (size_t)plan->header.tables_length))
        return false;
    for (size_t i = 0; i < plan->data_count; i++)
        if (!put_aligned(out, plan->data[i].bytes, plan->data[i].length))
            return false;
    for (size_t i = 0; i < plan->file_count; i++)
        if (!put_aligned(out, plan->files[i].blob, plan->files[i].blob_length))
            return false;
    return flush(out);
}

static spate_status write_whole(output *out, const compile_cache_plan *plan, const char *path, spate_error *error) {
    char temporary[PATH_MAX];
    out->used = 0;
    out->descriptor = spate_open_temporary(temporary, sizeof(temporary), path);
    if (out->descriptor < 0)
        return spate_fail_errno(error, path, "open");
    return spate_publish(out->descriptor, put_plan(out, plan), temporary, path, error);
}

spate_status spate_compile_cache_write(const char *path, const uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES],
                                       const spate_compile_cache_file *files, size_t file_count,
                                       const spate_compile_cache_data *data, size_t data_count, spate_error *error) {
    compile_cache_plan plan = {.files = files, .file_count = file_count, .data = data, .data_count = data_count};
    spate_status status = spate_compile_cache_lay_out(&plan, key, path, error);
    if (status != SPATE_OK)
        return status;
    plan.tables = calloc(1, (size_t)plan.header.tables_length);
    output *out = malloc(sizeof(*out));
    if (!plan.tables || !out)
        status = spate_fail(error, SPATE_NO_MEMORY, path, "no memory for a compile cache");
    if (status == SPATE_OK)
        status = spate_compile_cache_fill(&plan, path, error);
    if (status == SPATE_OK)
        status = write_whole(out, &plan, path, error);
    free(out);
    free(plan.tables);
    return status;
}

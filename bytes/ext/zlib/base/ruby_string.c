#include "base/ruby_string.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/release.h"

/* A returned String leaves at most this fraction of its memory unused. */
#define SLACK_PARTS 8

typedef struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t length;
} copy;

static void run_copy(void *context) {
    copy *is = context;
    memcpy(is->to, is->from, is->length);
}

VALUE spate_string_hidden(size_t capacity) {
    if (capacity > LONG_MAX / 2)
        rb_memerror();
    VALUE string = rb_str_buf_new((long)(capacity < 1024 ? 1024 : capacity)); /* a smaller String might be embedded */
    rb_obj_hide(string);
    return string;
}

VALUE spate_string_of(const uint8_t *bytes, size_t length) {
    if (length < SPATE_STRING_RELEASED_FROM)
        return rb_str_new((const char *)bytes, (long)length);
    VALUE string = spate_string_hidden(length);
    copy is = {(uint8_t *)RSTRING_PTR(string), bytes, length};
    spate_release_briefly(run_copy, &is);
    rb_str_set_len(string, (long)length);
    return rb_obj_reveal(string, rb_cString);
}

VALUE spate_string_reveal(VALUE owner, size_t length) {
    size_t capacity = rb_str_capacity(owner);
    rb_str_set_len(owner, (long)length);
    if (capacity - length > length / SLACK_PARTS)
        rb_str_resize(owner, (long)length);
    return rb_obj_reveal(owner, rb_cString);
}

static pthread_key_t scratch_key;

uint8_t *spate_scratch(void) {
    uint8_t *bytes = pthread_getspecific(scratch_key);
    if (bytes == NULL) {
        bytes = malloc(SPATE_SCRATCH);
        if (bytes != NULL && pthread_setspecific(scratch_key, bytes) != 0) {
            free(bytes);
            bytes = NULL;
        }
    }
    return bytes;
}

void spate_init_ruby_string(void) {
    if (pthread_key_create(&scratch_key, free) != 0)
        rb_raise(rb_eRuntimeError, "pthread_key_create failed: too many thread-specific keys");
}

#include "oneshot/without_gvl.h"

#include <stdlib.h>

#include "base/release.h"
#include "base/ruby_string.h"

static void free_whole(void *context) {
    spate_oneshot *is = context;
    spate_buffer_free(&is->output);
    free(is);
}

static VALUE free_whole_of(VALUE argument) {
    free_whole((spate_oneshot *)argument);
    return Qnil;
}

static VALUE copy_whole(VALUE argument) {
    spate_oneshot *is = (spate_oneshot *)argument;
    return spate_string_of(is->output.bytes, is->output.length);
}

VALUE spate_oneshot_without_gvl(void (*work)(void *), spate_oneshot given, VALUE string, size_t capacity, bool as_job,
                                size_t *consumed, spate_status *status) {
    VALUE source = rb_str_new_frozen(string);
    VALUE owner = spate_string_hidden(capacity);
    spate_oneshot *is = malloc(sizeof *is);
    if (is == NULL)
        rb_memerror();
    *is = given;
    is->input = (const uint8_t *)RSTRING_PTR(source);
    is->length = (size_t)RSTRING_LEN(source);
    is->output =
        (spate_buffer){.bytes = (uint8_t *)RSTRING_PTR(owner), .capacity = rb_str_capacity(owner), .borrowed = true};
    spate_job job = {.work = work, .finish = free_whole, .context = is, .keep = {source, owner}};
    if (!as_job)
        spate_release_job_in_place(&job);
    else if (!spate_release_job(&job))
        return spate_oneshot_without_gvl(work, given, string, capacity, as_job, consumed, status);
    RB_GC_GUARD(source);
    *status = is->status;
    if (consumed != NULL)
        *consumed = is->consumed;
    VALUE answer = Qundef;
    if (is->status == SPATE_OK && is->output.borrowed)
        answer = spate_string_reveal(owner, is->output.length);
    else if (is->status == SPATE_OK)
        return rb_ensure(copy_whole, (VALUE)is, free_whole_of, (VALUE)is);
    RB_GC_GUARD(owner);
    free_whole(is);
    return answer;
}

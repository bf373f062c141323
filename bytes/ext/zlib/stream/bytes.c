#include "stream/internal.h"

#include <string.h>

#include "base/ruby_string.h"

/* The input and output buffers of a stream. */

/* Maximum capacity of the output buffer that a stream keeps for the next call. */
#define KEPT_CAPACITY ((size_t)64 * 1024)

static const uint8_t nothing[1];

/* ---- Waiting input ----------------------------------------------------------------------------------------------- */

size_t spate_zstream_input_length(const spate_zstream *z) {
    return NIL_P(z->input) ? 0 : (size_t)RSTRING_LEN(z->input) - z->input_at;
}

const uint8_t *spate_zstream_input(const spate_zstream *z) {
    return NIL_P(z->input) ? nothing : (const uint8_t *)RSTRING_PTR(z->input) + z->input_at;
}

void spate_zstream_reset_input(spate_zstream *z) {
    spate_zstream_set(z, &z->input, Qnil);
    z->input_at = 0;
}

void spate_zstream_set_input(spate_zstream *z, VALUE string, size_t at) {
    if (at >= (size_t)RSTRING_LEN(string)) {
        spate_zstream_reset_input(z);
        return;
    }
    spate_zstream_set(z, &z->input, string);
    z->input_at = at;
}

void spate_zstream_feed(spate_zstream *z, VALUE string) {
    size_t waiting = spate_zstream_input_length(z);
    if (RSTRING_LEN(string) == 0)
        return;
    if (waiting == 0) {
        spate_zstream_set_input(z, rb_str_new_frozen(string), 0);
        return;
    }
    VALUE both = rb_str_buf_new((long)waiting + RSTRING_LEN(string));
    rb_str_cat(both, (const char *)spate_zstream_input(z), (long)waiting);
    rb_str_cat(both, RSTRING_PTR(string), RSTRING_LEN(string)); /* bytes, regardless of its encoding */
    RB_GC_GUARD(string);
    spate_zstream_set_input(z, rb_str_freeze(both), 0);
}

void spate_zstream_discard_input(spate_zstream *z, size_t length) {
    if (length >= spate_zstream_input_length(z))
        spate_zstream_reset_input(z);
    else
        z->input_at += length;
}

VALUE spate_zstream_detach_input(spate_zstream *z) {
    VALUE rest = rb_str_new((const char *)spate_zstream_input(z), (long)spate_zstream_input_length(z));
    spate_zstream_reset_input(z);
    return rest;
}

/* ---- Waiting output ---------------------------------------------------------------------------------------------- */

size_t spate_zstream_output_length(const spate_zstream *z) {
    return z->output.length - z->output_at;
}

const uint8_t *spate_zstream_output(const spate_zstream *z) {
    return z->output.bytes == NULL ? nothing : z->output.bytes + z->output_at;
}

void spate_zstream_forget_output(spate_zstream *z) {
    spate_zstream_set(z, &z->owner, Qnil);
    spate_buffer_free(&z->output);
    z->output_at = 0;
}

/* Called when the output is empty. Keeps its memory, unless it is large. */
static void emptied(spate_zstream *z) {
    z->output.length = z->output_at = 0;
    if (z->output.borrowed || z->output.capacity > KEPT_CAPACITY)
        spate_zstream_forget_output(z);
}

void spate_zstream_compact(spate_zstream *z) {
    if (z->output_at == 0)
        return;
    size_t length = spate_zstream_output_length(z);
    memmove(z->output.bytes, z->output.bytes + z->output_at, length);
    z->output.length = length;
    z->output_at = 0;
}

void spate_zstream_disown(spate_zstream *z) {
    if (!z->output.borrowed)
        spate_zstream_set(z, &z->owner, Qnil);
}

void spate_zstream_reserve(spate_zstream *z, size_t length) {
    if (z->output.capacity - z->output.length >= length)
        return;
    if (z->output_at >= length && z->output_at >= z->output.length / 2) {
        spate_zstream_compact(z);
        return;
    }
    if (length > SIZE_MAX / 2 - z->output.capacity ||
        spate_buffer_reserve(&z->output, z->output.length + length + z->output.capacity / 2) != SPATE_OK)
        rb_memerror();
    spate_zstream_disown(z);
}

void spate_zstream_append(spate_zstream *z, const uint8_t *bytes, size_t length) {
    if (length == 0)
        return;
    spate_zstream_reserve(z, length);
    memcpy(z->output.bytes + z->output.length, bytes, length);
    z->output.length += length;
}

static void discard(spate_zstream *z, size_t length) {
    if (length >= spate_zstream_output_length(z))
        emptied(z);
    else
        z->output_at += length;
}

VALUE spate_zstream_shift(spate_zstream *z, size_t length) {
    size_t waiting = spate_zstream_output_length(z);
    if (length >= waiting)
        return spate_zstream_detach(z);
    VALUE shifted = spate_string_of(spate_zstream_output(z), length);
    discard(z, length);
    return shifted;
}

/* Returns the owner, the formerly hidden String, with all output. */
static VALUE reveal_owner(spate_zstream *z) {
    VALUE string = spate_string_reveal(z->owner, z->output.length);
    z->output.length = 0;
    spate_zstream_forget_output(z);
    return string;
}

VALUE spate_zstream_fill_reused(spate_zstream *z, size_t length) {
    VALUE string = z->reused;
    rb_str_modify(string);
    rb_str_resize(string, (long)length);
    memcpy(RSTRING_PTR(string), spate_zstream_output(z), length);
    discard(z, length);
    return string;
}

VALUE spate_zstream_detach(spate_zstream *z) {
    if (!NIL_P(z->reused))
        return spate_zstream_fill_reused(z, spate_zstream_output_length(z));
    if (z->output.borrowed && z->output_at == 0)
        return reveal_owner(z);
    VALUE string = spate_string_of(spate_zstream_output(z), spate_zstream_output_length(z));
    emptied(z);
    return string;
}

static VALUE detach(VALUE argument) {
    return spate_zstream_detach((spate_zstream *)argument);
}

static VALUE detached(VALUE argument) {
    ((spate_zstream *)argument)->in_progress = false;
    return Qnil;
}

static VALUE detach_locked(VALUE argument) {
    ((spate_zstream *)argument)->in_progress = true;
    return rb_ensure(detach, argument, detached, argument);
}

/* Copying a long output releases the GVL. The lock prevents other threads from writing meanwhile. */
static VALUE take(spate_zstream *z) {
    if (spate_zstream_output_length(z) < SPATE_STRING_RELEASED_FROM)
        return spate_zstream_detach(z);
    return rb_mutex_synchronize(spate_zstream_lock(z), detach_locked, (VALUE)z);
}

VALUE spate_zstream_take_output(spate_zstream *z) {
    if (!rb_block_given_p())
        return take(z);
    if (z->finished)
        rb_yield(take(z));
    return Qnil;
}

void spate_zstream_passthrough(spate_zstream *z) {
    spate_zstream_append(z, spate_zstream_input(z), spate_zstream_input_length(z));
    spate_zstream_reset_input(z);
}

#include "native.h"

#include "machine/apart.h"

void spate_take_texts(VALUE texts, char **taken) {
    long count = RARRAY_LEN(texts);
    for (long i = 0; i < count; i++) {
        VALUE text = RARRAY_AREF(texts, i);
        Check_Type(text, T_STRING);
        taken[i] = StringValueCStr(text);
    }
    taken[count] = NULL;
}

/*
 * start_apart(words, environment, output): starts the program words[0] (an absolute path) as a daemon. `environment` is
 * ["NAME=value", ...], `output` a descriptor. Raises SystemCallError if it cannot be started.
 */
static VALUE native_start_apart(VALUE self, VALUE words, VALUE environment, VALUE output) {
    VALUE word_buffer, environment_buffer;
    spate_error error;
    int descriptor = NUM2INT(output);
    Check_Type(words, T_ARRAY);
    Check_Type(environment, T_ARRAY);
    if (RARRAY_LEN(words) == 0)
        rb_raise(rb_eArgError, "no program");
    char **word_texts = ALLOCV_N(char *, word_buffer, RARRAY_LEN(words) + 1);
    char **environment_texts = ALLOCV_N(char *, environment_buffer, RARRAY_LEN(environment) + 1);
    spate_take_texts(words, word_texts);
    spate_take_texts(environment, environment_texts);
    spate_status status = spate_start_apart(word_texts, environment_texts, descriptor, &error);
    ALLOCV_END(environment_buffer);
    ALLOCV_END(word_buffer);
    RB_GC_GUARD(words);
    RB_GC_GUARD(environment);
    if (status != SPATE_OK)
        spate_raise(&error);
    return Qtrue;
}

/* Whether orphaned processes, including programs started by start_apart, become children of this process. */
static VALUE native_adopts_orphans(VALUE self) {
    return spate_adopts_orphans() ? Qtrue : Qfalse;
}

/* Gives the calling thread idle priority. A background process calls it before it starts threads, which inherit the
 * priority. */
static VALUE native_become_idle(VALUE self) {
    spate_become_idle();
    return Qnil;
}

void spate_init_apart(VALUE native) {
    rb_define_singleton_method(native, "become_idle", native_become_idle, 0);
    rb_define_singleton_method(native, "start_apart", native_start_apart, 3);
    rb_define_singleton_method(native, "adopts_orphans?", native_adopts_orphans, 0);
}

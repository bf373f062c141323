#include "native.h"

#include "inputs/inputs.h"

#include <ruby/thread.h>
#ifdef __APPLE__
#include <crt_externs.h>
#endif

/* Unlike the rest of this extension, this may take long. It runs without the GVL, on copies of all Ruby values. */

#define MAGIC "SPATEIN1"

/* On macOS, libraries cannot use `environ`. */
static char **own_environment(void) {
#ifdef __APPLE__
    return *_NSGetEnviron();
#else
    extern char **environ;
    return environ;
#endif
}

static VALUE memo_class;

/* Copies of the arguments of one call. They are freed when the call returns or raises. */
typedef struct call {
    VALUE arguments[5];
    char **texts; /* all copies; NULL before the first one */
    size_t text_count;
    size_t text_capacity;
    spate_inputs_root *roots;
    const char **environment;
    spate_input *inputs;
    uint8_t (*digests)[SPATE_SHA256_LENGTH];
    size_t count;
    const char *path;
    spate_inputs_place place;
    spate_inputs_options options;
    spate_cancel cancel;
    spate_inputs *record;
    spate_inputs_memo *memo;
    const char *renew_to;
    bool renewed;
    spate_inputs_answer *answer;
    spate_status status;
    spate_error error;
} call;

/* ---- copies ---- */

static char *room_for(call *c, size_t length) {
    if (c->text_count == c->text_capacity) {
        c->text_capacity = c->text_capacity ? 2 * c->text_capacity : 64;
        REALLOC_N(c->texts, char *, c->text_capacity);
    }
    char *text = ALLOC_N(char, length + 1);
    return c->texts[c->text_count++] = text;
}

static char *copy_text(call *c, const char *text, size_t length) {
    char *copy = room_for(c, length);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Accepts only a String without NUL. Runs no Ruby code. */
static const char *keep_string(call *c, VALUE text) {
    Check_Type(text, T_STRING);
    const char *bytes = StringValueCStr(text);
    const char *copy = copy_text(c, bytes, (size_t)RSTRING_LEN(text));
    RB_GC_GUARD(text);
    return copy;
}

static int take_root(VALUE name, VALUE path, VALUE argument) {
    call *c = (call *)argument;
    spate_inputs_root *root = &c->roots[c->place.root_count];
    root->name = keep_string(c, name);
    root->path = keep_string(c, path);
    c->place.root_count++;
    return ST_CONTINUE;
}

static int take_variable(VALUE name, VALUE value, VALUE argument) {
    call *c = (call *)argument;
    if (NIL_P(value))
        return ST_CONTINUE;
    const char *left = keep_string(c, name);
    const char *right = keep_string(c, value);
    size_t length = strlen(left) + 1 + strlen(right);
    char *pair = room_for(c, length);
    snprintf(pair, length + 1, "%s=%s", left, right);
    c->environment[c->count++] = pair;
    return ST_CONTINUE;
}

static void take_own_environment(call *c) {
    char **own = own_environment();
    size_t count = 0;
    while (own && own[count])
        count++;
    c->environment = ZALLOC_N(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        c->environment[i] = copy_text(c, own[i], strlen(own[i]));
}

/* `roots` is {name => path}. `environment` is {name => value}, or nil for this process's environment. */
static void take_place(call *c, VALUE roots, VALUE environment) {
    Check_Type(roots, T_HASH);
    c->roots = ZALLOC_N(spate_inputs_root, RHASH_SIZE(roots) + 1);
    rb_hash_foreach(roots, take_root, (VALUE)c);
    if (NIL_P(environment)) {
        take_own_environment(c);
    } else {
        Check_Type(environment, T_HASH);
        c->environment = ZALLOC_N(const char *, RHASH_SIZE(environment) + 1);
        c->count = 0;
        rb_hash_foreach(environment, take_variable, (VALUE)c);
    }
    c->place.roots = c->roots;
    c->place.environment = c->environment;
    /* Examines every input, so that a trace contains all of them: see CLI::InPlace. */
    c->place.thorough = getenv("SPATE_IN_PLACE") != NULL;
}

static VALUE call_end(VALUE argument) {
    call *c = (call *)argument;
    for (size_t i = 0; i < c->text_count; i++)
        xfree(c->texts[i]);
    xfree(c->texts);
    xfree(c->roots);
    xfree((void *)c->environment);
    xfree(c->inputs);
    xfree(c->digests);
    xfree(c->answer);
    spate_inputs_close(c->record);
    return Qnil;
}

/* ---- writing ---- */

static spate_input_kind take_kind(VALUE kind) {
    Check_Type(kind, T_SYMBOL);
    for (int i = 0; i < SPATE_INPUT_KINDS; i++)
        if (kind == ID2SYM(rb_intern(spate_input_kind_name((spate_input_kind)i))))
            return (spate_input_kind)i;
    rb_raise(rb_eArgError, "not a kind of input: %" PRIsVALUE, rb_inspect(kind));
}

static uint32_t take_flag(VALUE flag) {
    if (flag == ID2SYM(rb_intern("nofollow")))
        return SPATE_INPUT_NOFOLLOW;
    if (flag == ID2SYM(rb_intern("mtime")))
        return SPATE_INPUT_MTIME;
    if (flag == ID2SYM(rb_intern("type")))
        return SPATE_INPUT_TYPE;
    rb_raise(rb_eArgError, "not a flag of an input: %" PRIsVALUE, rb_inspect(flag));
}

static void take_input(call *c, VALUE item, size_t index) {
    spate_input *input = &c->inputs[index];
    Check_Type(item, T_ARRAY);
    VALUE path = rb_ary_entry(item, 1);
    VALUE digest = rb_ary_entry(item, 2);
    input->kind = take_kind(rb_ary_entry(item, 0));
    input->path = NIL_P(path) ? copy_text(c, "", 0) : keep_string(c, path);
    for (long i = 3; i < RARRAY_LEN(item); i++)
        input->flags |= take_flag(rb_ary_entry(item, i));
    if (NIL_P(digest))
        return;
    Check_Type(digest, T_STRING);
    if (RSTRING_LEN(digest) != 2 * SPATE_SHA256_LENGTH)
        rb_raise(rb_eArgError, "not a SHA-256: %" PRIsVALUE, rb_inspect(digest));
    spate_take_hex16(rb_str_substr(digest, 0, 32), c->digests[index]);
    spate_take_hex16(rb_str_substr(digest, 32, 32), c->digests[index] + 16);
    input->sha256 = c->digests[index];
}

static void *write_released(void *argument) {
    call *c = argument;
    c->status = spate_inputs_write(c->path, c->inputs, c->count, &c->place, &c->options, &c->cancel, &c->error);
    return NULL;
}

static void cancel_write(void *argument) {
    call *c = argument;
    c->cancel.requested = 1;
}

static VALUE write_body(VALUE argument) {
    call *c = (call *)argument;
    VALUE inputs = c->arguments[1];
    Check_Type(inputs, T_ARRAY);
    c->path = keep_string(c, c->arguments[0]);
    take_place(c, c->arguments[2], c->arguments[3]);
    c->count = (size_t)RARRAY_LEN(inputs);
    c->inputs = ZALLOC_N(spate_input, c->count + 1);
    c->digests = xcalloc(c->count + 1, sizeof(*c->digests));
    for (size_t i = 0; i < c->count; i++)
        take_input(c, rb_ary_entry(inputs, (long)i), i);
    c->options.portable = RTEST(c->arguments[4]);
    do {
        c->cancel.requested = 0;
        rb_thread_call_without_gvl(write_released, c, cancel_write, c);
        rb_thread_check_ints(); /* after an interrupt that does not raise, the work is restarted */
    } while (c->status == SPATE_CANCELLED);
    if (c->status == SPATE_STALE)
        return rb_assoc_new(spate_utf8(c->error.message, strlen(c->error.message)),
                            spate_utf8(c->error.member, strlen(c->error.member)));
    if (c->status != SPATE_OK)
        spate_raise(&c->error);
    return Qnil;
}

/*
 * write(path, inputs, roots, environment = nil, portable = false) -> nil, or [message, path] of an input that has
 * changed
 *
 * `inputs` is [[kind, path, sha256 = nil, *flags], ...]: the kind is a name from spate_input_kind_name, the path may be
 * the name of a variable, sha256 is the hex digest of the content that was read, and the flags are :nofollow, :mtime
 * and :type. `roots` is {name => path}. `environment` is {name => value}, or nil for this process's environment. Raises
 * SystemCallError if an input cannot be read or the record cannot be written, and ArgumentError for an invalid path.
 */
static VALUE inputs_write(int argc, VALUE *argv, VALUE self) {
    call c = {.status = SPATE_OK};
    rb_scan_args(argc, argv, "32", &c.arguments[0], &c.arguments[1], &c.arguments[2], &c.arguments[3], &c.arguments[4]);
    return rb_ensure(write_body, (VALUE)&c, call_end, (VALUE)&c);
}

/* ---- memo ---- */

static void memo_free(void *data) {
    spate_inputs_memo_free(data);
}

static const rb_data_type_t memo_type = {
    "Spate::Native::Inputs::Memo", {NULL, memo_free, NULL, NULL, {NULL}}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE memo_allocate(VALUE class) {
    spate_inputs_memo *memo;
    if (spate_inputs_memo_new(&memo) != SPATE_OK)
        rb_memerror();
    return TypedData_Wrap_Struct(class, &memo_type, memo);
}

static void *forget_released(void *memo) {
    spate_inputs_memo_forget(memo);
    return NULL;
}

/* Clears the memo, so that later checks read the files again. Returns self. */
static VALUE memo_forget(VALUE self) {
    spate_inputs_memo *memo;
    TypedData_Get_Struct(self, spate_inputs_memo, &memo_type, memo);
    rb_thread_call_without_gvl(forget_released, memo, NULL, NULL);
    RB_GC_GUARD(self);
    return self;
}

/* ---- checking ---- */

/* Opens a record from a path or from its bytes. Returns false with the reason in c->error if it cannot be used. */
static bool open_record(call *c, VALUE source) {
    Check_Type(source, T_STRING);
    size_t length = (size_t)RSTRING_LEN(source);
    bool bytes = length >= sizeof(MAGIC) - 1 && memcmp(RSTRING_PTR(source), MAGIC, sizeof(MAGIC) - 1) == 0;
    if (bytes)
        c->status = spate_inputs_parse(&c->record, (const uint8_t *)RSTRING_PTR(source), length, &c->error);
    else
        c->status = spate_inputs_open(&c->record, keep_string(c, source), &c->error);
    RB_GC_GUARD(source);
    if (c->status == SPATE_NO_MEMORY)
        rb_memerror();
    return c->status == SPATE_OK;
}

static void *check_released(void *argument) {
    call *c = argument;
    c->status = spate_inputs_check(c->record, &c->place, c->memo, c->answer);
    if (c->status == SPATE_OK && c->answer->renew && c->renew_to)
        c->renewed = spate_inputs_renew(c->record, c->renew_to, &c->error) == SPATE_OK;
    return NULL;
}

static VALUE symbol(const char *name) {
    return ID2SYM(rb_intern(name));
}

static VALUE answer_of(const call *c) {
    const spate_inputs_answer *answer = c->answer;
    if (answer->change != SPATE_INPUTS_SAME)
        return rb_ary_new_from_args(3, symbol(spate_inputs_change_name(answer->change)),
                                    spate_utf8(answer->path, strlen(answer->path)),
                                    symbol(spate_input_kind_name(answer->kind)));
    if (c->renewed)
        return symbol("renewed");
    return answer->hashed ? symbol("renew") : Qnil;
}

static VALUE check_body(VALUE argument) {
    call *c = (call *)argument;
    if (!NIL_P(c->arguments[3]))
        TypedData_Get_Struct(c->arguments[3], spate_inputs_memo, &memo_type, c->memo);
    if (!NIL_P(c->arguments[4]))
        c->renew_to = keep_string(c, c->arguments[4]);
    if (!open_record(c, c->arguments[0]))
        return rb_ary_new_from_args(3, symbol("record"), spate_utf8(c->error.message, strlen(c->error.message)), Qnil);
    take_place(c, c->arguments[1], c->arguments[2]);
    c->answer = ALLOC(spate_inputs_answer);
    rb_thread_call_without_gvl(check_released, c, NULL, NULL);
    if (c->status != SPATE_OK)
        rb_memerror();
    return answer_of(c);
}

/*
 * check(record, roots, environment = nil, memo = nil, renew_to = nil)
 *
 * Returns nil if nothing has changed. Returns :renew if nothing has changed, but with new stamps the next check would
 * hash fewer files; or :renewed if the new stamps were written to the path renew_to. Otherwise returns [reason, path,
 * kind] of the first change. The reason is a name from spate_inputs_change_name, or :record with a message if the
 * record itself cannot be used.
 *
 * `record` is a path, or bytes (which start with MAGIC). For roots and environment see write.
 */
static VALUE inputs_check(int argc, VALUE *argv, VALUE self) {
    call c = {.status = SPATE_OK};
    rb_scan_args(argc, argv, "23", &c.arguments[0], &c.arguments[1], &c.arguments[2], &c.arguments[3], &c.arguments[4]);
    VALUE memo = c.arguments[3];
    VALUE answer = rb_ensure(check_body, (VALUE)&c, call_end, (VALUE)&c);
    RB_GC_GUARD(memo);
    return answer;
}

/* ---- removing stamps ---- */

static VALUE portable_body(VALUE argument) {
    call *c = (call *)argument;
    size_t length;
    if (!open_record(c, c->arguments[0]))
        spate_raise(&c->error);
    const uint8_t *bytes = spate_inputs_portable(c->record, &length);
    return rb_str_new((const char *)bytes, (long)length);
}

/* portable(record) -> the bytes of the record without stamps. Raises the same errors as items. */
static VALUE inputs_portable(VALUE self, VALUE record) {
    call c = {.arguments = {record}};
    return rb_ensure(portable_body, (VALUE)&c, call_end, (VALUE)&c);
}

/* ---- listing ---- */

static VALUE text_or_nil(const char *text) {
    return text ? spate_utf8(text, strlen(text)) : Qnil;
}

static void show(void *context, const spate_inputs_item *item) {
    VALUE facts = rb_hash_new();
    VALUE values[4] = {symbol(spate_input_kind_name(item->kind)), text_or_nil(item->root), text_or_nil(item->path),
                       facts};
    if (item->sha256)
        rb_hash_aset(facts, symbol("sha256"), spate_hex_string(item->sha256, SPATE_SHA256_LENGTH));
    if (item->target)
        rb_hash_aset(facts, symbol("target"), text_or_nil(item->target));
    if (item->target_root)
        rb_hash_aset(facts, symbol("target_root"), text_or_nil(item->target_root));
    if (item->mode != 0) {
        rb_hash_aset(facts, symbol("mode"), UINT2NUM(item->mode));
        rb_hash_aset(facts, symbol("size"), ULL2NUM(item->size));
    }
    if ((item->flags & SPATE_INPUT_NOFOLLOW) != 0)
        rb_hash_aset(facts, symbol("nofollow"), Qtrue);
    if ((item->flags & SPATE_INPUT_MTIME) != 0)
        rb_hash_aset(facts, symbol("mtime"), Qtrue);
    if ((item->flags & SPATE_INPUT_TYPE) != 0)
        rb_hash_aset(facts, symbol("type"), Qtrue);
    if (item->stamped)
        rb_hash_aset(facts, symbol("stamped"), Qtrue);
    rb_ary_push((VALUE)context, rb_ary_new_from_values(4, values));
}

static VALUE items_body(VALUE argument) {
    call *c = (call *)argument;
    VALUE list = rb_ary_new();
    if (!open_record(c, c->arguments[0]))
        spate_raise(&c->error);
    if (spate_inputs_each(c->record, show, (void *)list) != SPATE_OK)
        rb_raise(rb_eArgError, "a path of the record is too long");
    RB_GC_GUARD(list);
    return list;
}

/*
 * items(record) -> [[kind, root, path, facts], ...] in the order of the record. `root` is the name of the root that
 * contains the path, or nil. `facts` is a Hash with the keys :sha256, :target, :target_root, :mode, :size, :nofollow,
 * :mtime, :type and :stamped, each only if it applies. Raises ArgumentError or SystemCallError if the record cannot be
 * used.
 */
static VALUE inputs_items(VALUE self, VALUE record) {
    call c = {.arguments = {record}};
    return rb_ensure(items_body, (VALUE)&c, call_end, (VALUE)&c);
}

void spate_init_inputs(VALUE native) {
    VALUE inputs = rb_define_module_under(native, "Inputs");
    rb_define_const(inputs, "MAGIC", rb_obj_freeze(rb_str_new_cstr(MAGIC))); /* the first bytes of a record */
    memo_class = rb_define_class_under(inputs, "Memo", rb_cObject);
    rb_define_alloc_func(memo_class, memo_allocate);
    rb_define_method(memo_class, "forget", memo_forget, 0);
    rb_define_singleton_method(inputs, "write", inputs_write, -1);
    rb_define_singleton_method(inputs, "check", inputs_check, -1);
    rb_define_singleton_method(inputs, "portable", inputs_portable, 1);
    rb_define_singleton_method(inputs, "items", inputs_items, 1);
}

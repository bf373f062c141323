#include "native.h"

#include "digest/crc32c.h"

static VALUE compile_cache_class;
static VALUE unusable_class;

typedef struct native_compile_cache {
    spate_compile_cache *compile_cache;
    char *path;
    bool pinned; /* pointers into the mapping exist that do not keep this object alive */
} native_compile_cache;

static void compile_cache_free(void *data) {
    native_compile_cache *compile_cache = data;
    if (!compile_cache->pinned) {
        spate_compile_cache_close(compile_cache->compile_cache);
        free(compile_cache->path);
    }
    xfree(compile_cache);
}

static size_t compile_cache_size(const void *data) {
    const native_compile_cache *compile_cache = data;
    return sizeof(*compile_cache) +
           (compile_cache->compile_cache ? spate_compile_cache_count(compile_cache->compile_cache) : 0);
}

static const rb_data_type_t compile_cache_type = {
    "Spate::Native::CompileCache", {NULL, compile_cache_free, compile_cache_size, NULL, {NULL}}, NULL, NULL,
    RUBY_TYPED_FREE_IMMEDIATELY,
};

static native_compile_cache *native_of(VALUE object) {
    native_compile_cache *compile_cache;
    TypedData_Get_Struct(object, native_compile_cache, &compile_cache_type, compile_cache);
    return compile_cache;
}

static spate_compile_cache *compile_cache_of(VALUE object) {
    return native_of(object)->compile_cache;
}

spate_compile_cache *spate_compile_cache_pinned(VALUE object) {
    native_compile_cache *compile_cache = native_of(object);
    compile_cache->pinned = true;
    return compile_cache->compile_cache;
}

const char *spate_compile_cache_path_of(VALUE object) {
    return native_of(object)->path;
}

/* ---- writing ---- */

static VALUE fetch(VALUE array, long index, VALUE fallback) {
    return index < RARRAY_LEN(array) ? rb_ary_entry(array, index) : fallback;
}

/* Raises TypeError instead of converting: a conversion would run Ruby code, which could change values that were already
 * read. */
static VALUE integer(VALUE number) {
    if (!RB_INTEGER_TYPE_P(number))
        rb_raise(rb_eTypeError, "not an Integer: %" PRIsVALUE, rb_inspect(number));
    return number;
}

static VALUE string(VALUE text) {
    Check_Type(text, T_STRING);
    return text;
}

spate_compile_cache_file spate_take_state(VALUE state) {
    Check_Type(state, T_ARRAY);
    spate_compile_cache_file file = {
        .size = NUM2ULL(integer(fetch(state, 0, Qnil))),
        .mtime_ns = NUM2LL(integer(fetch(state, 1, Qnil))),
        .ctime_ns = NUM2LL(integer(fetch(state, 2, Qnil))),
        .recorded_ns = NUM2LL(integer(fetch(state, 4, Qnil))),
        .inode = NUM2ULL(integer(fetch(state, 5, INT2FIX(0)))),
        .flags = NUM2UINT(integer(fetch(state, 6, INT2FIX(0)))),
    };
    spate_take_hex16(fetch(state, 3, Qnil), file.hash);
    return file;
}

static spate_compile_cache_file take_file(VALUE item) {
    Check_Type(item, T_ARRAY);
    VALUE path = string(fetch(item, 0, Qnil));
    VALUE blob = string(fetch(item, 2, Qnil));
    spate_compile_cache_file file = spate_take_state(fetch(item, 1, Qnil));
    file.path = RSTRING_PTR(path);
    file.path_length = (size_t)RSTRING_LEN(path);
    file.blob = RSTRING_PTR(blob);
    file.blob_length = (size_t)RSTRING_LEN(blob);
    return file;
}

static spate_compile_cache_data take_data(VALUE pair) {
    VALUE name = string(rb_ary_entry(pair, 0));
    VALUE bytes = string(rb_ary_entry(pair, 1));
    return (spate_compile_cache_data){
        .name = RSTRING_PTR(name),
        .name_length = (size_t)RSTRING_LEN(name),
        .bytes = RSTRING_PTR(bytes),
        .length = (size_t)RSTRING_LEN(bytes),
    };
}

/*
 * write(path, key:, files: [], data: {}) -> path. Writes a compile cache atomically, with mode 0644.
 *
 * `key` is 16 bytes or 32 hex digits. `files` is [[path, state, blob], ...], where state is [size, mtime_ns, ctime_ns,
 * hash (32 hex digits), recorded_ns, inode = 0, flags = 0]; their order is preserved. `data` is {name => bytes}. Raises
 * SystemCallError, or ArgumentError if a path occurs twice or a limit is exceeded.
 */
static VALUE compile_cache_write(int argc, VALUE *argv, VALUE self) {
    static ID names[3];
    VALUE path;
    VALUE options;
    VALUE values[3];
    uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES];
    if (!names[0]) {
        names[0] = rb_intern("key");
        names[1] = rb_intern("files");
        names[2] = rb_intern("data");
    }
    rb_scan_args(argc, argv, "1:", &path, &options);
    rb_get_kwargs(options, names, 1, 2, values);
    path = rb_get_path(path);
    const char *text = StringValueCStr(path);
    spate_take_key(values[0], key);
    VALUE files = values[1] == Qundef ? rb_ary_new() : rb_convert_type(values[1], T_ARRAY, "Array", "to_ary");
    VALUE pairs = rb_ary_new();
    if (values[2] != Qundef)
        pairs = rb_funcall(rb_convert_type(values[2], T_HASH, "Hash", "to_hash"), rb_intern("to_a"), 0);

    /* Runs no Ruby code from here on, so that the pointers stay valid. */
    VALUE file_buffer;
    VALUE data_buffer;
    size_t file_count = (size_t)RARRAY_LEN(files);
    size_t data_count = (size_t)RARRAY_LEN(pairs);
    spate_compile_cache_file *taken = ALLOCV_N(spate_compile_cache_file, file_buffer, file_count + 1);
    spate_compile_cache_data *data = ALLOCV_N(spate_compile_cache_data, data_buffer, data_count + 1);
    for (size_t i = 0; i < file_count; i++)
        taken[i] = take_file(rb_ary_entry(files, (long)i));
    for (size_t i = 0; i < data_count; i++)
        data[i] = take_data(rb_ary_entry(pairs, (long)i));
    spate_error error;
    spate_status status = spate_compile_cache_write(text, key, taken, file_count, data, data_count, &error);
    ALLOCV_END(file_buffer);
    ALLOCV_END(data_buffer);
    RB_GC_GUARD(files);
    RB_GC_GUARD(pairs);
    if (status != SPATE_OK)
        spate_raise(&error);
    return path;
}

/* ---- reading ---- */

NORETURN(static void raise_unusable(VALUE path, spate_compile_cache_fault fault));
static void raise_unusable(VALUE path, spate_compile_cache_fault fault) {
    const char *reason = spate_compile_cache_fault_name(fault);
    VALUE message = rb_sprintf("compile cache %" PRIsVALUE " cannot be used: %s", path, reason);
    VALUE exception = rb_exc_new_str(unusable_class, message);
    rb_ivar_set(exception, rb_intern("@reason"), ID2SYM(rb_intern(reason)));
    rb_ivar_set(exception, rb_intern("@path"), path);
    rb_exc_raise(exception);
}

/*
 * open(path, key:, trust: ENV["SPATE_TRUST_STORE"] == "1"): opens a compile cache. Raises Unusable if it must not be
 * used; the reason is :missing, :foreign_owner, :writable, :symlink, :short, :magic, :version, :key, :checksum or
 * :limits. `trust` skips the checks of owner and mode.
 */
static VALUE compile_cache_open(int argc, VALUE *argv, VALUE self) {
    static ID names[2];
    VALUE path;
    VALUE options;
    VALUE values[2];
    uint8_t key[SPATE_COMPILE_CACHE_KEY_BYTES];
    native_compile_cache *compile_cache;
    if (!names[0]) {
        names[0] = rb_intern("key");
        names[1] = rb_intern("trust");
    }
    rb_scan_args(argc, argv, "1:", &path, &options);
    rb_get_kwargs(options, names, 1, 1, values);
    path = rb_get_path(path);
    spate_take_key(values[0], key);
    VALUE object = TypedData_Make_Struct(compile_cache_class, native_compile_cache, &compile_cache_type, compile_cache);
    const char *text = StringValueCStr(path);
    spate_compile_cache_fault fault;
    spate_error error;
    bool trust = values[1] == Qundef ? spate_trusts_owners() : RTEST(values[1]);
    spate_status status = spate_compile_cache_open(&compile_cache->compile_cache, text, key, trust, &fault, &error);
    if (status == SPATE_STALE)
        raise_unusable(path, fault);
    if (status != SPATE_OK)
        spate_raise(&error);
    compile_cache->path = strdup(text);
    if (!compile_cache->path)
        rb_memerror();
    return object;
}

static VALUE compile_cache_path(VALUE self) {
    const char *path = native_of(self)->path;
    return spate_utf8(path, strlen(path));
}

/* Returns the number of files. */
static VALUE compile_cache_count(VALUE self) {
    return SIZET2NUM(spate_compile_cache_count(compile_cache_of(self)));
}

/* Returns the length of the compile cache in bytes. */
static VALUE compile_cache_bytes(VALUE self) {
    return ULL2NUM(spate_compile_cache_length(compile_cache_of(self)));
}

static VALUE compile_cache_paths(VALUE self) {
    const spate_compile_cache *compile_cache = compile_cache_of(self);
    size_t count = spate_compile_cache_count(compile_cache);
    VALUE paths = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) {
        spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, i);
        rb_ary_push(paths, spate_utf8(file.path, file.path_length));
    }
    return paths;
}

static bool find(VALUE self, VALUE path, size_t *index) {
    path = rb_get_path(path);
    size_t length = (size_t)RSTRING_LEN(path);
    const char *text = RSTRING_PTR(path);
    return spate_compile_cache_find(compile_cache_of(self), spate_compile_cache_hash(text, length), text, length,
                                    index);
}

static VALUE symbol(const char *name) {
    return ID2SYM(rb_intern(name));
}

/* Returns the recorded state of a file in the form that `write` accepts, or nil if there is no such file. */
static VALUE compile_cache_state(VALUE self, VALUE path) {
    size_t index;
    if (!find(self, path, &index))
        return Qnil;
    spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache_of(self), index);
    return rb_ary_new_from_args(7, ULL2NUM(file.size), LL2NUM(file.mtime_ns), LL2NUM(file.ctime_ns),
                                spate_hex_string(file.hash, sizeof(file.hash)), LL2NUM(file.recorded_ns),
                                ULL2NUM(file.inode), UINT2NUM(file.flags));
}

/* Returns what is recorded about a file: {size:, mtime_ns:, ctime_ns:, hash:, recorded_ns:, inode:, flags:, bytes:},
 * where `bytes` is the length of the blob. */
static VALUE compile_cache_entry(VALUE self, VALUE path) {
    size_t index;
    if (!find(self, path, &index))
        return Qnil;
    spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache_of(self), index);
    VALUE entry = rb_hash_new();
    rb_hash_aset(entry, symbol("size"), ULL2NUM(file.size));
    rb_hash_aset(entry, symbol("mtime_ns"), LL2NUM(file.mtime_ns));
    rb_hash_aset(entry, symbol("ctime_ns"), LL2NUM(file.ctime_ns));
    rb_hash_aset(entry, symbol("hash"), spate_hex_string(file.hash, sizeof(file.hash)));
    rb_hash_aset(entry, symbol("recorded_ns"), LL2NUM(file.recorded_ns));
    rb_hash_aset(entry, symbol("inode"), ULL2NUM(file.inode));
    rb_hash_aset(entry, symbol("flags"), UINT2NUM(file.flags));
    rb_hash_aset(entry, symbol("bytes"), SIZET2NUM(file.blob_length));
    return entry;
}

/* Returns a copy of the blob, or nil if it is missing or damaged. */
static VALUE compile_cache_blob(VALUE self, VALUE path) {
    size_t index;
    spate_compile_cache *compile_cache = compile_cache_of(self);
    if (!find(self, path, &index) || !spate_compile_cache_check_blob(compile_cache, index))
        return Qnil;
    spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, index);
    return rb_str_new(file.blob, (long)file.blob_length);
}

/* Returns the data as a frozen binary String that points into the mapping, or nil if it is missing or damaged. */
static VALUE compile_cache_data(VALUE self, VALUE name) {
    size_t index;
    StringValue(name);
    spate_compile_cache *compile_cache = compile_cache_of(self);
    if (!spate_compile_cache_find_data(compile_cache, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), &index) ||
        !spate_compile_cache_check_data(compile_cache, index))
        return Qnil;
    spate_compile_cache_data data = spate_compile_cache_data_at(spate_compile_cache_pinned(self), index);
    return rb_str_freeze(rb_str_new_static(data.bytes, (long)data.length));
}

static VALUE compile_cache_data_names(VALUE self) {
    const spate_compile_cache *compile_cache = compile_cache_of(self);
    VALUE names = rb_ary_new();
    for (size_t i = 0; i < spate_compile_cache_data_count(compile_cache); i++) {
        spate_compile_cache_data data = spate_compile_cache_data_at(compile_cache, i);
        rb_ary_push(names, spate_utf8(data.name, data.name_length));
    }
    return names;
}

/* Verifies all content. Returns the paths of damaged blobs, and "data:NAME" for damaged data. */
static VALUE compile_cache_verify(VALUE self) {
    spate_compile_cache *compile_cache = compile_cache_of(self);
    VALUE damaged = rb_ary_new();
    for (size_t i = 0; i < spate_compile_cache_count(compile_cache); i++) {
        spate_compile_cache_file file = spate_compile_cache_file_at(compile_cache, i);
        if (!spate_compile_cache_check_blob(compile_cache, i))
            rb_ary_push(damaged, spate_utf8(file.path, file.path_length));
    }
    for (size_t i = 0; i < spate_compile_cache_data_count(compile_cache); i++) {
        spate_compile_cache_data data = spate_compile_cache_data_at(compile_cache, i);
        if (!spate_compile_cache_check_data(compile_cache, i))
            rb_ary_push(damaged, rb_str_concat(rb_utf8_str_new_cstr("data:"), spate_utf8(data.name, data.name_length)));
    }
    return damaged;
}

/* Returns "sse4.2", "arm" or "table". */
static VALUE compile_cache_checksum_backend(VALUE self) {
    return spate_utf8(spate_crc32c_backend(), strlen(spate_crc32c_backend()));
}

void spate_init_compile_cache(VALUE native) {
    compile_cache_class = rb_define_class_under(native, "CompileCache", rb_cObject);
    rb_undef_alloc_func(compile_cache_class);
    unusable_class = rb_define_class_under(compile_cache_class, "Unusable", rb_eStandardError);
    rb_define_attr(unusable_class, "reason", 1, 0);
    rb_define_attr(unusable_class, "path", 1, 0);
    rb_define_const(compile_cache_class, "VERSION", INT2FIX(SPATE_COMPILE_CACHE_VERSION));
    rb_define_const(compile_cache_class, "WARNS", INT2FIX(SPATE_COMPILE_CACHE_WARNS));
    rb_define_const(compile_cache_class, "WARNS_VERBOSE", INT2FIX(SPATE_COMPILE_CACHE_WARNS_VERBOSE));
    rb_define_singleton_method(compile_cache_class, "write", compile_cache_write, -1);
    rb_define_singleton_method(compile_cache_class, "open", compile_cache_open, -1);
    rb_define_singleton_method(compile_cache_class, "checksum_backend", compile_cache_checksum_backend, 0);
    rb_define_method(compile_cache_class, "path", compile_cache_path, 0);
    rb_define_method(compile_cache_class, "count", compile_cache_count, 0);
    rb_define_method(compile_cache_class, "bytes", compile_cache_bytes, 0);
    rb_define_method(compile_cache_class, "paths", compile_cache_paths, 0);
    rb_define_method(compile_cache_class, "entry", compile_cache_entry, 1);
    rb_define_method(compile_cache_class, "state", compile_cache_state, 1);
    rb_define_method(compile_cache_class, "blob", compile_cache_blob, 1);
    rb_define_method(compile_cache_class, "data", compile_cache_data, 1);
    rb_define_method(compile_cache_class, "data_names", compile_cache_data_names, 0);
    rb_define_method(compile_cache_class, "verify", compile_cache_verify, 0);
}

#include "native.h"

#include "digest/crc32c.h"

static VALUE image_class;
static VALUE unusable_class;

typedef struct native_image {
    spate_image *image;
    char *path;
    bool pinned; /* pointers into the mapping exist that no object keeps alive */
} native_image;

static void image_free(void *data) {
    native_image *image = data;
    if (!image->pinned) {
        spate_image_close(image->image);
        free(image->path);
    }
    xfree(image);
}

static size_t image_size(const void *data) {
    const native_image *image = data;
    return sizeof(*image) + (image->image ? spate_image_count(image->image) : 0);
}

static const rb_data_type_t image_type = {
    "Spate::Native::Image", {NULL, image_free, image_size, NULL, {NULL}}, NULL, NULL, RUBY_TYPED_FREE_IMMEDIATELY,
};

static native_image *native_of(VALUE object) {
    native_image *image;
    TypedData_Get_Struct(object, native_image, &image_type, image);
    return image;
}

static spate_image *image_of(VALUE object) {
    return native_of(object)->image;
}

spate_image *spate_image_pinned(VALUE object) {
    native_image *image = native_of(object);
    image->pinned = true;
    return image->image;
}

const char *spate_image_path_of(VALUE object) {
    return native_of(object)->path;
}

/* ---- writing ---- */

static VALUE fetch(VALUE array, long index, VALUE fallback) {
    return index < RARRAY_LEN(array) ? rb_ary_entry(array, index) : fallback;
}

/* No conversion that could run Ruby code, which might change values read before. */
static VALUE integer(VALUE number) {
    if (!RB_INTEGER_TYPE_P(number))
        rb_raise(rb_eTypeError, "not an Integer: %" PRIsVALUE, rb_inspect(number));
    return number;
}

static VALUE string(VALUE text) {
    Check_Type(text, T_STRING);
    return text;
}

spate_image_file spate_take_state(VALUE state) {
    Check_Type(state, T_ARRAY);
    spate_image_file file = {
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

static spate_image_file take_file(VALUE item) {
    Check_Type(item, T_ARRAY);
    VALUE path = string(fetch(item, 0, Qnil));
    VALUE blob = string(fetch(item, 2, Qnil));
    spate_image_file file = spate_take_state(fetch(item, 1, Qnil));
    file.path = RSTRING_PTR(path);
    file.path_length = (size_t)RSTRING_LEN(path);
    file.blob = RSTRING_PTR(blob);
    file.blob_length = (size_t)RSTRING_LEN(blob);
    return file;
}

static spate_image_data take_data(VALUE pair) {
    VALUE name = string(rb_ary_entry(pair, 0));
    VALUE bytes = string(rb_ary_entry(pair, 1));
    return (spate_image_data){
        .name = RSTRING_PTR(name),
        .name_length = (size_t)RSTRING_LEN(name),
        .bytes = RSTRING_PTR(bytes),
        .length = (size_t)RSTRING_LEN(bytes),
    };
}

/*
 * write(path, key:, files: [], data: {}): writes an image with these files, in this order, atomically, with mode 0644.
 * key: 16 bytes or 32 hex digits. files: [[path, state, blob], ...], state = [size, mtime_ns, ctime_ns, hash (32 hex
 * digits), recorded_ns, inode = 0, flags = 0]. data: {name => bytes}. SystemCallError; ArgumentError for a path that
 * occurs twice and beyond the limits. -> path
 */
static VALUE image_write(int argc, VALUE *argv, VALUE self) {
    static ID names[3];
    VALUE path;
    VALUE options;
    VALUE values[3];
    uint8_t key[SPATE_IMAGE_KEY_BYTES];
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

    /* No Ruby code runs from here on, so that the pointers stay valid. */
    VALUE file_buffer;
    VALUE data_buffer;
    size_t file_count = (size_t)RARRAY_LEN(files);
    size_t data_count = (size_t)RARRAY_LEN(pairs);
    spate_image_file *taken = ALLOCV_N(spate_image_file, file_buffer, file_count + 1);
    spate_image_data *data = ALLOCV_N(spate_image_data, data_buffer, data_count + 1);
    for (size_t i = 0; i < file_count; i++)
        taken[i] = take_file(rb_ary_entry(files, (long)i));
    for (size_t i = 0; i < data_count; i++)
        data[i] = take_data(rb_ary_entry(pairs, (long)i));
    spate_error error;
    spate_status status = spate_image_write(text, key, taken, file_count, data, data_count, &error);
    ALLOCV_END(file_buffer);
    ALLOCV_END(data_buffer);
    RB_GC_GUARD(files);
    RB_GC_GUARD(pairs);
    if (status != SPATE_OK)
        spate_raise(&error);
    return path;
}

/* ---- reading ---- */

NORETURN(static void raise_unusable(VALUE path, spate_image_fault fault));
static void raise_unusable(VALUE path, spate_image_fault fault) {
    const char *reason = spate_image_fault_name(fault);
    VALUE message = rb_sprintf("boot image %" PRIsVALUE " cannot be used: %s", path, reason);
    VALUE exception = rb_exc_new_str(unusable_class, message);
    rb_ivar_set(exception, rb_intern("@reason"), ID2SYM(rb_intern(reason)));
    rb_ivar_set(exception, rb_intern("@path"), path);
    rb_exc_raise(exception);
}

/*
 * open(path, key:, trust: ENV["SPATE_TRUST_STORE"] == "1"): Unusable with its reason (:missing, :foreign_owner,
 * :writable, :symlink, :short, :magic, :version, :key, :checksum, :limits) if it must not be used. trust: ignores owner
 * and modes.
 */
static VALUE image_open(int argc, VALUE *argv, VALUE self) {
    static ID names[2];
    VALUE path;
    VALUE options;
    VALUE values[2];
    uint8_t key[SPATE_IMAGE_KEY_BYTES];
    native_image *image;
    if (!names[0]) {
        names[0] = rb_intern("key");
        names[1] = rb_intern("trust");
    }
    rb_scan_args(argc, argv, "1:", &path, &options);
    rb_get_kwargs(options, names, 1, 1, values);
    path = rb_get_path(path);
    spate_take_key(values[0], key);
    VALUE object = TypedData_Make_Struct(image_class, native_image, &image_type, image);
    const char *text = StringValueCStr(path);
    spate_image_fault fault;
    spate_error error;
    bool trust = values[1] == Qundef ? spate_trusts_owners() : RTEST(values[1]);
    spate_status status = spate_image_open(&image->image, text, key, trust, &fault, &error);
    if (status == SPATE_STALE)
        raise_unusable(path, fault);
    if (status != SPATE_OK)
        spate_raise(&error);
    image->path = strdup(text);
    if (!image->path)
        rb_memerror();
    return object;
}

static VALUE image_path(VALUE self) {
    const char *path = native_of(self)->path;
    return spate_utf8(path, strlen(path));
}

/* The number of files. */
static VALUE image_count(VALUE self) {
    return SIZET2NUM(spate_image_count(image_of(self)));
}

/* Length of the whole image. */
static VALUE image_bytes(VALUE self) {
    return ULL2NUM(spate_image_length(image_of(self)));
}

static VALUE image_paths(VALUE self) {
    const spate_image *image = image_of(self);
    size_t count = spate_image_count(image);
    VALUE paths = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) {
        spate_image_file file = spate_image_file_at(image, i);
        rb_ary_push(paths, spate_utf8(file.path, file.path_length));
    }
    return paths;
}

static bool find(VALUE self, VALUE path, size_t *index) {
    path = rb_get_path(path);
    size_t length = (size_t)RSTRING_LEN(path);
    const char *text = RSTRING_PTR(path);
    return spate_image_find(image_of(self), spate_image_hash(text, length), text, length, index);
}

static VALUE symbol(const char *name) {
    return ID2SYM(rb_intern(name));
}

/* A file's recorded state, in the form that `write` takes; nil if the image has no such file. */
static VALUE image_state(VALUE self, VALUE path) {
    size_t index;
    if (!find(self, path, &index))
        return Qnil;
    spate_image_file file = spate_image_file_at(image_of(self), index);
    return rb_ary_new_from_args(7, ULL2NUM(file.size), LL2NUM(file.mtime_ns), LL2NUM(file.ctime_ns),
                                spate_hex_string(file.hash, sizeof(file.hash)), LL2NUM(file.recorded_ns),
                                ULL2NUM(file.inode), UINT2NUM(file.flags));
}

/* {size:, mtime_ns:, ctime_ns:, hash:, recorded_ns:, inode:, flags:, bytes:} as recorded; bytes: of the blob. */
static VALUE image_entry(VALUE self, VALUE path) {
    size_t index;
    if (!find(self, path, &index))
        return Qnil;
    spate_image_file file = spate_image_file_at(image_of(self), index);
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

/* A copy; nil if it is missing or damaged. */
static VALUE image_blob(VALUE self, VALUE path) {
    size_t index;
    spate_image *image = image_of(self);
    if (!find(self, path, &index) || !spate_image_check_blob(image, index))
        return Qnil;
    spate_image_file file = spate_image_file_at(image, index);
    return rb_str_new(file.blob, (long)file.blob_length);
}

/* Frozen, binary, over the mapping; nil if it is missing or damaged. */
static VALUE image_data(VALUE self, VALUE name) {
    size_t index;
    StringValue(name);
    spate_image *image = image_of(self);
    if (!spate_image_find_data(image, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), &index) ||
        !spate_image_check_data(image, index))
        return Qnil;
    spate_image_data data = spate_image_data_at(spate_image_pinned(self), index);
    return rb_str_freeze(rb_str_new_static(data.bytes, (long)data.length));
}

static VALUE image_data_names(VALUE self) {
    const spate_image *image = image_of(self);
    VALUE names = rb_ary_new();
    for (size_t i = 0; i < spate_image_data_count(image); i++) {
        spate_image_data data = spate_image_data_at(image, i);
        rb_ary_push(names, spate_utf8(data.name, data.name_length));
    }
    return names;
}

/* Reads everything: paths whose blob is damaged, and "data:NAME". */
static VALUE image_verify(VALUE self) {
    spate_image *image = image_of(self);
    VALUE damaged = rb_ary_new();
    for (size_t i = 0; i < spate_image_count(image); i++) {
        spate_image_file file = spate_image_file_at(image, i);
        if (!spate_image_check_blob(image, i))
            rb_ary_push(damaged, spate_utf8(file.path, file.path_length));
    }
    for (size_t i = 0; i < spate_image_data_count(image); i++) {
        spate_image_data data = spate_image_data_at(image, i);
        if (!spate_image_check_data(image, i))
            rb_ary_push(damaged, rb_str_concat(rb_utf8_str_new_cstr("data:"), spate_utf8(data.name, data.name_length)));
    }
    return damaged;
}

/* "sse4.2", "arm" or "table". */
static VALUE image_checksum_backend(VALUE self) {
    return spate_utf8(spate_crc32c_backend(), strlen(spate_crc32c_backend()));
}

void spate_init_image(VALUE native) {
    image_class = rb_define_class_under(native, "Image", rb_cObject);
    rb_undef_alloc_func(image_class);
    unusable_class = rb_define_class_under(image_class, "Unusable", rb_eStandardError);
    rb_define_attr(unusable_class, "reason", 1, 0);
    rb_define_attr(unusable_class, "path", 1, 0);
    rb_define_const(image_class, "VERSION", INT2FIX(SPATE_IMAGE_VERSION));
    rb_define_const(image_class, "WARNS", INT2FIX(SPATE_IMAGE_WARNS));
    rb_define_const(image_class, "WARNS_VERBOSE", INT2FIX(SPATE_IMAGE_WARNS_VERBOSE));
    rb_define_singleton_method(image_class, "write", image_write, -1);
    rb_define_singleton_method(image_class, "open", image_open, -1);
    rb_define_singleton_method(image_class, "checksum_backend", image_checksum_backend, 0);
    rb_define_method(image_class, "path", image_path, 0);
    rb_define_method(image_class, "count", image_count, 0);
    rb_define_method(image_class, "bytes", image_bytes, 0);
    rb_define_method(image_class, "paths", image_paths, 0);
    rb_define_method(image_class, "entry", image_entry, 1);
    rb_define_method(image_class, "state", image_state, 1);
    rb_define_method(image_class, "blob", image_blob, 1);
    rb_define_method(image_class, "data", image_data, 1);
    rb_define_method(image_class, "data_names", image_data_names, 0);
    rb_define_method(image_class, "verify", image_verify, 0);
}

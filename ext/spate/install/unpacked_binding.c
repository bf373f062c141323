#include "native.h"

static VALUE unpacked_class;

/* `entries` is NULL if the object is closed or has not been filled in yet. */
static void unpacked_free(void *data) {
    spate_unpacked_free(data);
    ruby_xfree(data);
}

static size_t unpacked_size(const void *data) {
    const spate_unpacked *unpacked = data;
    return sizeof(*unpacked) + unpacked->count * 160 + unpacked->metadata.capacity;
}

static const rb_data_type_t unpacked_type = {
    "Spate::Native::Unpacked",   {NULL, unpacked_free, unpacked_size, NULL, {NULL}}, NULL, NULL,
    RUBY_TYPED_FREE_IMMEDIATELY,
};

VALUE spate_unpacked_object(void) {
    spate_unpacked *unpacked;
    VALUE object = TypedData_Make_Struct(unpacked_class, spate_unpacked, &unpacked_type, unpacked);
    return object;
}

spate_unpacked *spate_unpacked_of(VALUE object) {
    spate_unpacked *unpacked;
    TypedData_Get_Struct(object, spate_unpacked, &unpacked_type, unpacked);
    return unpacked;
}

static spate_unpacked *filled(VALUE self) {
    spate_unpacked *unpacked = spate_unpacked_of(self);
    if (!unpacked->entries)
        rb_raise(rb_eIOError, "closed");
    return unpacked;
}

/* Returns the hex SHA-256 of the archive. */
static VALUE unpacked_sha256(VALUE self) {
    return spate_hex_string(filled(self)->sha256, SPATE_SHA256_BYTES);
}

/* Returns a gem's metadata as YAML, or "" for other archives. */
static VALUE unpacked_metadata(VALUE self) {
    spate_unpacked *unpacked = filled(self);
    return spate_utf8((const char *)unpacked->metadata.bytes, unpacked->metadata.length);
}

static VALUE unpacked_count(VALUE self) {
    return SIZET2NUM(filled(self)->count);
}

/* Returns the total size of all files in bytes. */
static VALUE unpacked_bytes(VALUE self) {
    return ULL2NUM(filled(self)->bytes);
}

/* Returns [number, name] of members whose type RubyGems or npm ignores: how many there are, and the name of the first.
 * Returns nil if there are none. */
static VALUE unpacked_ignored(VALUE self) {
    spate_unpacked *unpacked = filled(self);
    if (unpacked->ignored == 0 || !unpacked->first_ignored)
        return Qnil;
    return rb_assoc_new(SIZET2NUM(unpacked->ignored),
                        spate_utf8(unpacked->first_ignored, strlen(unpacked->first_ignored)));
}

static VALUE unpacked_parallel(VALUE self) {
    return filled(self)->parallel ? Qtrue : Qfalse;
}

static VALUE unpacked_streamed(VALUE self) {
    return filled(self)->streamed ? Qtrue : Qfalse;
}

static VALUE unpacked_paths(VALUE self) {
    spate_unpacked *unpacked = filled(self);
    VALUE paths = rb_ary_new_capa((long)unpacked->count);
    for (size_t i = 0; i < unpacked->count; i++)
        rb_ary_push(paths, spate_utf8(unpacked->entries[i].path, strlen(unpacked->entries[i].path)));
    return paths;
}

static VALUE unpacked_entry(VALUE self, VALUE index) {
    spate_unpacked *unpacked = filled(self);
    size_t at = NUM2SIZET(index);
    if (at >= unpacked->count)
        rb_raise(rb_eIndexError, "entry %zu of %zu", at, unpacked->count);
    return spate_entry_hash(&unpacked->entries[at]);
}

/* Changes the mode and mtime of an entry. The caller must have created the object with this mode. */
static VALUE unpacked_change_mode(VALUE self, VALUE index, VALUE mode, VALUE mtime_ns) {
    spate_unpacked *unpacked = filled(self);
    size_t at = NUM2SIZET(index);
    uint32_t bits = NUM2UINT(mode);
    int64_t time = NUM2LL(mtime_ns);
    if (at >= unpacked->count)
        rb_raise(rb_eIndexError, "entry %zu of %zu", at, unpacked->count);
    unpacked->entries[at].mode = bits & 0777;
    unpacked->entries[at].mtime_ns = time;
    return self;
}

/* Writes the package's manifest atomically, with a text of the caller. After this the package exists. */
static VALUE unpacked_write_manifest(VALUE self, VALUE path, VALUE facts) {
    spate_error error;
    spate_unpacked *unpacked = filled(self);
    StringValue(facts);
    FilePathStringValue(path);
    /* Keeps the GVL: the write takes about 50 us, and reacquiring the GVL may take longer. */
    if (spate_manifest_write(StringValueCStr(path), unpacked->sha256, unpacked->entries, unpacked->count,
                             RSTRING_PTR(facts), (size_t)RSTRING_LEN(facts), &error) != SPATE_OK)
        spate_raise(&error);
    RB_GC_GUARD(facts);
    RB_GC_GUARD(path);
    return Qtrue;
}

/* Frees the memory now. Other methods raise IOError afterwards. */
static VALUE unpacked_close(VALUE self) {
    spate_unpacked_free(spate_unpacked_of(self));
    return Qnil;
}

void spate_init_unpacked(void) {
    unpacked_class = rb_define_class_under(spate_native, "Unpacked", rb_cObject);
    rb_gc_register_mark_object(unpacked_class);
    rb_undef_alloc_func(unpacked_class);
    rb_define_method(unpacked_class, "sha256", unpacked_sha256, 0);
    rb_define_method(unpacked_class, "metadata", unpacked_metadata, 0);
    rb_define_method(unpacked_class, "count", unpacked_count, 0);
    rb_define_method(unpacked_class, "bytes", unpacked_bytes, 0);
    rb_define_method(unpacked_class, "ignored", unpacked_ignored, 0);
    rb_define_method(unpacked_class, "parallel?", unpacked_parallel, 0);
    rb_define_method(unpacked_class, "streamed?", unpacked_streamed, 0);
    rb_define_method(unpacked_class, "paths", unpacked_paths, 0);
    rb_define_method(unpacked_class, "entry", unpacked_entry, 1);
    rb_define_method(unpacked_class, "change_mode", unpacked_change_mode, 3);
    rb_define_method(unpacked_class, "write_manifest", unpacked_write_manifest, 2);
    rb_define_method(unpacked_class, "close", unpacked_close, 0);
}

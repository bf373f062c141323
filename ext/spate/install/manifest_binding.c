#include "native.h"

static VALUE manifest_class;

static void manifest_free(void *data) {
    spate_manifest_close(data);
}

static size_t manifest_size(const void *data) {
    return data ? (size_t)spate_manifest_count(data) * 160 : 0;
}

static const rb_data_type_t manifest_type = {
    "Spate::Native::Manifest",   {NULL, manifest_free, manifest_size, NULL, {NULL}}, NULL, NULL,
    RUBY_TYPED_FREE_IMMEDIATELY,
};

spate_manifest *spate_manifest_of(VALUE object) {
    spate_manifest *manifest;
    TypedData_Get_Struct(object, spate_manifest, &manifest_type, manifest);
    return manifest;
}

VALUE spate_manifest_object(spate_manifest *manifest) {
    return TypedData_Wrap_Struct(manifest_class, &manifest_type, manifest);
}

/* Returns the hex SHA-256 of the package's archive. */
static VALUE manifest_sha256(VALUE self) {
    return spate_hex_string(spate_manifest_sha256(spate_manifest_of(self)), SPATE_SHA256_BYTES);
}

/* Returns the UTF-8 text stored in the manifest. */
static VALUE manifest_facts(VALUE self) {
    size_t length;
    const char *facts = spate_manifest_facts(spate_manifest_of(self), &length);
    return spate_utf8(facts, length);
}

static VALUE manifest_count(VALUE self) {
    return SIZET2NUM(spate_manifest_count(spate_manifest_of(self)));
}

/* Returns the total size of all files in bytes. */
static VALUE manifest_bytes(VALUE self) {
    return ULL2NUM(spate_manifest_bytes(spate_manifest_of(self)));
}

static VALUE manifest_this_boot(VALUE self) {
    return spate_manifest_of_this_boot(spate_manifest_of(self)) ? Qtrue : Qfalse;
}

static VALUE manifest_paths(VALUE self) {
    const spate_manifest *manifest = spate_manifest_of(self);
    size_t count = spate_manifest_count(manifest);
    VALUE paths = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++) {
        const char *path = spate_manifest_entry(manifest, i).path;
        rb_ary_push(paths, spate_utf8(path, strlen(path)));
    }
    return paths;
}

static VALUE manifest_entry(VALUE self, VALUE index) {
    const spate_manifest *manifest = spate_manifest_of(self);
    size_t at = NUM2SIZET(index);
    if (at >= spate_manifest_count(manifest))
        rb_raise(rb_eIndexError, "entry %zu of %zu", at, spate_manifest_count(manifest));
    spate_entry entry = spate_manifest_entry(manifest, at);
    return spate_entry_hash(&entry);
}

/* Returns the index of the entry with this path, or nil. */
static VALUE manifest_index(VALUE self, VALUE path) {
    size_t index;
    return spate_manifest_find(spate_manifest_of(self), StringValueCStr(path), &index) ? SIZET2NUM(index) : Qnil;
}

static VALUE manifest_include(VALUE self, VALUE path) {
    return NIL_P(manifest_index(self, path)) ? Qfalse : Qtrue;
}

/*
 * Writes the manifest with the current boot ID. Store#link or Store#verify_manifest must have hashed all of its objects
 * since the last boot; otherwise raises StaleManifest.
 */
static VALUE manifest_renew(VALUE self, VALUE path) {
    spate_error error;
    FilePathStringValue(path);
    if (spate_manifest_renew(spate_manifest_of(self), StringValueCStr(path), &error) != SPATE_OK)
        spate_raise_as(error.status == SPATE_STALE ? spate_native_stale_manifest : spate_native_error, &error);
    RB_GC_GUARD(self);
    return Qtrue;
}

void spate_init_manifest(void) {
    manifest_class = rb_define_class_under(spate_native, "Manifest", rb_cObject);
    rb_gc_register_mark_object(manifest_class);
    rb_undef_alloc_func(manifest_class);
    rb_define_method(manifest_class, "sha256", manifest_sha256, 0);
    rb_define_method(manifest_class, "facts", manifest_facts, 0);
    rb_define_method(manifest_class, "count", manifest_count, 0);
    rb_define_method(manifest_class, "bytes", manifest_bytes, 0);
    rb_define_method(manifest_class, "this_boot?", manifest_this_boot, 0);
    rb_define_method(manifest_class, "paths", manifest_paths, 0);
    rb_define_method(manifest_class, "entry", manifest_entry, 1);
    rb_define_method(manifest_class, "index", manifest_index, 1);
    rb_define_method(manifest_class, "include?", manifest_include, 1);
    rb_define_method(manifest_class, "renew", manifest_renew, 1);
}

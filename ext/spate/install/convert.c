#include "native.h"

#include "digest/hex.h"

#include <ruby/encoding.h>

VALUE spate_native;
VALUE spate_native_error;
VALUE spate_native_stale_manifest;

void spate_raise_as(VALUE type, const spate_error *error) {
    VALUE message = spate_utf8(error->message, strlen(error->message));
    VALUE exception = rb_exc_new_str(type, message);
    rb_ivar_set(exception, rb_intern("@status"), spate_status_symbol(error->status));
    rb_ivar_set(exception, rb_intern("@member"), spate_utf8(error->member, strlen(error->member)));
    rb_ivar_set(exception, rb_intern("@errno"), INT2NUM(error->system_errno));
    rb_exc_raise(exception);
}

void spate_raise(const spate_error *error) {
    spate_raise_as(spate_native_error, error);
}

char *spate_copy_path(VALUE path) {
    VALUE string = rb_get_path(path);
    return ruby_strdup(StringValueCStr(string));
}

VALUE spate_utf8(const char *text, size_t length) {
    return rb_utf8_str_new(text, (long)length);
}

VALUE spate_hex_string(const uint8_t *bytes, size_t length) {
    char hex[2 * SPATE_DIGEST_MAX + 1];
    spate_hex(bytes, length, hex);
    return rb_usascii_str_new(hex, 2 * (long)length);
}

void spate_take_hex(VALUE hex, uint8_t *bytes, size_t length) {
    StringValue(hex);
    if (!spate_unhex(RSTRING_PTR(hex), (size_t)RSTRING_LEN(hex), bytes, length))
        rb_raise(rb_eArgError, "not %d hex digits: %" PRIsVALUE, (int)(2 * length), rb_inspect(hex));
}

VALUE spate_status_symbol(spate_status status) {
    return ID2SYM(rb_intern(spate_status_name(status)));
}

VALUE spate_state_symbol(spate_object_state state) {
    static const char *const names[] = {"good", "missing", "changed"};
    return ID2SYM(rb_intern(names[state]));
}

static const char *const type_names[] = {"file", "symlink", "directory"};

static VALUE key(const char *name) {
    return ID2SYM(rb_intern(name));
}

VALUE spate_entry_hash(const spate_entry *entry) {
    bool file = entry->type == SPATE_ENTRY_FILE;
    bool symlink = entry->type == SPATE_ENTRY_SYMLINK;
    VALUE hash = rb_hash_new();
    if (entry->path)
        rb_hash_aset(hash, key("path"), spate_utf8(entry->path, strlen(entry->path)));
    rb_hash_aset(hash, key("type"), key(type_names[entry->type]));
    rb_hash_aset(hash, key("mode"), UINT2NUM(entry->mode));
    rb_hash_aset(hash, key("size"), ULL2NUM(entry->size));
    rb_hash_aset(hash, key("mtime_ns"), LL2NUM(entry->mtime_ns));
    rb_hash_aset(hash, key("sha256"), file ? spate_hex_string(entry->sha256, SPATE_SHA256_BYTES) : Qnil);
    rb_hash_aset(hash, key("target"), symlink ? spate_utf8(entry->target, strlen(entry->target)) : Qnil);
    return hash;
}

static VALUE fetch(VALUE hash, const char *name, VALUE fallback) {
    return rb_hash_lookup2(hash, key(name), fallback);
}

static spate_entry_type take_type(VALUE type) {
    for (int i = 0; i < 3; i++)
        if (type == key(type_names[i]))
            return (spate_entry_type)i;
    rb_raise(rb_eArgError, "an entry's type is :file, :symlink or :directory, not %" PRIsVALUE, rb_inspect(type));
}

spate_entry spate_take_entry(VALUE hash, bool with_path) {
    spate_entry entry = {.path = "", .target = ""};
    Check_Type(hash, T_HASH);
    entry.type = take_type(fetch(hash, "type", key("file")));
    entry.mode = NUM2UINT(fetch(hash, "mode", INT2FIX(entry.type == SPATE_ENTRY_DIRECTORY ? 0755 : 0777))) & 0777;
    if (with_path) {
        VALUE path = fetch(hash, "path", Qnil);
        entry.path = StringValueCStr(path);
    }
    if (entry.type == SPATE_ENTRY_SYMLINK) {
        VALUE target = fetch(hash, "target", Qnil);
        entry.target = StringValueCStr(target);
    }
    if (entry.type == SPATE_ENTRY_FILE) {
        entry.size = NUM2ULL(fetch(hash, "size", Qnil));
        entry.mtime_ns = NUM2LL(fetch(hash, "mtime_ns", INT2FIX(0)));
        spate_take_hex(fetch(hash, "sha256", Qnil), entry.sha256, SPATE_SHA256_BYTES);
    }
    return entry;
}

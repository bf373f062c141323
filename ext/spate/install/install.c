#include "native.h"

#include "base/file.h"
#include "base/trust.h"
#include "machine/boot_id.h"
#include "shared/inflate.h"

/*
 * cancel -> whether running work in the core should stop. Remains true until it is set to false; work that is started
 * meanwhile ends immediately with the status :cancelled.
 */
static VALUE native_cancel(VALUE self) {
    return spate_cancel_requested() ? Qtrue : Qfalse;
}

static VALUE native_set_cancel(VALUE self, VALUE requested) {
    spate_cancel_request(RTEST(requested));
    return requested;
}

/* Returns a name such as "libdeflate 1.14" or "zlib 1.2.13". */
static VALUE native_inflate_backend(VALUE self) {
    const char *name = spate_inflate_backend();
    return spate_utf8(name, strlen(name));
}

/* Returns the ID of the current boot in hex, or nil if the system has none. */
static VALUE native_boot_id(VALUE self) {
    const uint8_t *boot = spate_boot_id();
    return boot ? spate_hex_string(boot, SPATE_BOOT_BYTES) : Qnil;
}

/*
 * distrust(path, group, sticky) -> nil if only this user and root can change what the path resolves to, otherwise
 * [reason, path, owner, mode] for a directory or link in the path. The reason is :owner, :group, :others, :folder or
 * :search. See core/base/trust.h.
 */
static VALUE native_distrust(VALUE self, VALUE path, VALUE group, VALUE sticky) {
    spate_culprit culprit;
    path = rb_get_path(path);
    const char *name =
        spate_distrust_name(spate_trust_path(StringValueCStr(path), RTEST(group), RTEST(sticky), &culprit));
    RB_GC_GUARD(path);
    return name ? rb_ary_new_from_args(4, ID2SYM(rb_intern(name)), spate_utf8(culprit.path, strlen(culprit.path)),
                                       UINT2NUM(culprit.owner), UINT2NUM(culprit.mode))
                : Qnil;
}

typedef struct removal {
    char *path;
    spate_error error;
} removal;

static spate_status remove_tree(void *context, const spate_cancel *cancel) {
    removal *r = context;
    (void)cancel;
    return spate_remove_tree(r->path, &r->error);
}

static VALUE remove_body(VALUE argument) {
    removal *r = (removal *)argument;
    if (spate_release(remove_tree, r) != SPATE_OK)
        spate_raise(&r->error);
    return Qnil;
}

static VALUE remove_end(VALUE argument) {
    ruby_xfree(((removal *)argument)->path);
    return Qnil;
}

/*
 * Removes a file or a directory tree without following symlinks. A missing path is not an error. If some files cannot
 * be removed, removes all others and raises an Error for the first one, whose path is `member`.
 */
static VALUE native_remove_tree(VALUE self, VALUE path) {
    removal r = {.path = spate_copy_path(path)};
    return rb_ensure(remove_body, (VALUE)&r, remove_end, (VALUE)&r);
}

RUBY_FUNC_EXPORTED void Init_install(void) {
    VALUE spate = rb_define_module("Spate");
    spate_native = rb_define_module_under(spate, "Native");
    spate_native_error = rb_define_class_under(spate_native, "Error", rb_eStandardError);
    rb_define_attr(spate_native_error, "status", 1, 0);
    rb_define_attr(spate_native_error, "member", 1, 0);
    rb_define_attr(spate_native_error, "errno", 1, 0);
    spate_native_stale_manifest = rb_define_class_under(spate_native, "StaleManifest", spate_native_error);
    rb_define_singleton_method(spate_native, "cancel", native_cancel, 0);
    rb_define_singleton_method(spate_native, "cancel=", native_set_cancel, 1);
    rb_define_singleton_method(spate_native, "inflate_backend", native_inflate_backend, 0);
    rb_define_singleton_method(spate_native, "distrust", native_distrust, 3);
    rb_define_singleton_method(spate_native, "boot_id", native_boot_id, 0);
    rb_define_singleton_method(spate_native, "remove_tree", native_remove_tree, 1);
    spate_init_digest();
    spate_init_metadata();
    spate_init_zstd();
    spate_init_manifest();
    spate_init_unpacked();
    spate_init_link(spate_init_store());
}

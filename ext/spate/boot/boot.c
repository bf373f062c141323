#include "native.h"

#include "base/freshness.h"
#include "base/times.h"
#include "base/trust.h"
#include "digest/crc32c.h"

/*
 * content_hash(path) or content_hash(nil, bytes) -> the SipHash-2-4-128 of the content under a fixed key as 32 hex
 * digits, or nil if the file cannot be read.
 */
static VALUE native_content_hash(int argc, VALUE *argv, VALUE self) {
    VALUE path;
    VALUE bytes;
    uint8_t hash[SPATE_SIPHASH_BYTES];
    rb_scan_args(argc, argv, "11", &path, &bytes);
    if (NIL_P(path)) {
        StringValue(bytes);
        spate_siphash_of(RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes), hash);
        RB_GC_GUARD(bytes);
    } else {
        path = rb_get_path(path);
        if (!spate_source_hash(StringValueCStr(path), hash))
            return Qnil;
    }
    return spate_hex_string(hash, sizeof(hash));
}

/* crc32c(bytes) -> CRC-32C as an Integer. */
static VALUE native_crc32c(VALUE self, VALUE bytes) {
    StringValue(bytes);
    uint32_t sum = spate_crc32c(0, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    RB_GC_GUARD(bytes);
    return UINT2NUM(sum);
}

/* stat(path) -> [size, mtime_ns, ctime_ns, device, inode] of the file or directory, following symlinks; nil if it does
 * not exist. */
static VALUE native_stat(VALUE self, VALUE path) {
    spate_source source;
    path = rb_get_path(path);
    if (!spate_source_stat(StringValueCStr(path), &source))
        return Qnil;
    return rb_ary_new_from_args(5, ULL2NUM(source.size), LL2NUM(source.mtime_ns), LL2NUM(source.ctime_ns),
                                ULL2NUM(source.device), ULL2NUM(source.inode));
}

static bool content_is(const char *path, const uint8_t expected[SPATE_SIPHASH_BYTES]) {
    uint8_t hash[SPATE_SIPHASH_BYTES];
    return spate_source_hash(path, hash) && memcmp(hash, expected, sizeof(hash)) == 0;
}

/*
 * judge(path, state) -> [:hit, :revalidated or :stale, reason]: compares a file with a recorded state (see
 * CompileCache.write) by the rules for loading. For the reasons see Loader.judge.
 */
static VALUE native_judge(VALUE self, VALUE path, VALUE state) {
    spate_source source;
    path = rb_get_path(path);
    const char *text = StringValueCStr(path);
    spate_compile_cache_file recorded = spate_take_state(state);
    spate_outcome outcome = SPATE_OUTDATED;
    const char *why = "gone";
    if (spate_source_stat(text, &source)) {
        spate_source_state found = spate_source_compare(&source, &recorded);
        why = spate_source_state_name(found);
        if (found == SPATE_SOURCE_SAME)
            outcome = SPATE_HIT;
        else if (!spate_source_is_other(found) && content_is(text, recorded.hash))
            outcome = found == SPATE_SOURCE_UNKEPT ? SPATE_HIT : SPATE_REVALIDATED;
        else if (!spate_source_is_other(found))
            why = "content";
    }
    RB_GC_GUARD(path);
    return rb_assoc_new(spate_outcome_symbol(outcome), why ? ID2SYM(rb_intern(why)) : Qnil);
}

/*
 * doubt(path, size, mtime_ns, ctime_ns, inode, seen_ns) -> nil if a stat proves that the file or directory has not
 * changed since seen_ns (real-time clock), otherwise the reason: see Loader.judge.
 */
static VALUE native_doubt(VALUE self, VALUE path, VALUE size, VALUE mtime, VALUE ctime, VALUE inode, VALUE seen) {
    spate_source source;
    spate_compile_cache_file recorded = {
        .size = NUM2ULL(size),
        .mtime_ns = NUM2LL(mtime),
        .ctime_ns = NUM2LL(ctime),
        .inode = NUM2ULL(inode),
        .recorded_ns = NUM2LL(seen),
    };
    path = rb_get_path(path);
    const char *why = spate_source_stat(StringValueCStr(path), &source)
                          ? spate_source_state_name(spate_source_doubt(&source, &recorded))
                          : "gone";
    RB_GC_GUARD(path);
    return why ? ID2SYM(rb_intern(why)) : Qnil;
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

RUBY_FUNC_EXPORTED void Init_boot(void) {
    VALUE spate = rb_define_module("Spate");
    VALUE native = rb_define_module_under(spate, "Native");
    rb_define_const(native, "FILE_CLOCK", INT2NUM(SPATE_CLOCK_FILES));
    rb_define_const(native, "RACY_NS", LL2NUM(SPATE_FRESH_RACY_NS));
    rb_define_singleton_method(native, "content_hash", native_content_hash, -1);
    rb_define_singleton_method(native, "crc32c", native_crc32c, 1);
    rb_define_singleton_method(native, "stat", native_stat, 1);
    rb_define_singleton_method(native, "distrust", native_distrust, 3);
    rb_define_singleton_method(native, "judge", native_judge, 2);
    rb_define_singleton_method(native, "doubt", native_doubt, 6);
    spate_init_apart(native);
    spate_init_compile_cache(native);
    spate_init_inputs(native);
    spate_init_loader(native);
    spate_init_marks(native);
    spate_init_load_path_cache(native);
    spate_init_require(native);
    spate_init_warm(native);
}

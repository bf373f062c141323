/* The Ruby interface of Spate::Native::Requirer. */
#include "requirer.h"

static void use(VALUE source) {
    spate_load_path_cache cache;
    spate_resolver *made = NULL;
    spate_error error;
    if (!NIL_P(source) && !RB_TYPE_P(source, T_STRING))
        source = rb_funcall(source, rb_intern("data"), 1, rb_str_new_cstr("load_path_cache"));
    VALUE bytes = NIL_P(source) ? Qnil : spate_aligned_bytes(source);
    if (!NIL_P(bytes) && spate_load_path_cache_open(&cache, (const uint8_t *)RSTRING_PTR(bytes),
                                                    (size_t)RSTRING_LEN(bytes), &error) != SPATE_OK)
        spate_raise(&error);
    if (spate_resolver_new(&made, NIL_P(bytes) ? NULL : &cache, DLEXT) != SPATE_OK)
        rb_memerror();
    spate_resolver_free(requirer.resolver);
    requirer.resolver = made;
    requirer.bytes = bytes;
    requirer.extensions_are_files = 0;
    spate_load_path_forget();
}

/*
 * Sets the load-path cache: bytes, a CompileCache with data named "load_path_cache", or nil (directories are then
 * listed on demand). Raises ArgumentError if it is unusable. Does not replace `require`; see install.
 */
static VALUE requirer_use(VALUE self, VALUE source) {
    use(source);
    return Qtrue;
}

/* Replaces Ruby's `require` and `load`. Later calls only set the load-path cache. */
static VALUE requirer_install(int argc, VALUE *argv, VALUE self) {
    VALUE source;
    rb_scan_args(argc, argv, "01", &source);
    use(source);
    requirer.enabled = true;
    if (!requirer.installed)
        requirer.installed = spate_hook_install(spate_require, spate_load);
    return requirer.installed ? Qtrue : Qfalse;
}

static VALUE requirer_enabled(VALUE self) {
    return requirer.enabled ? Qtrue : Qfalse;
}

static VALUE requirer_set_enabled(VALUE self, VALUE enabled) {
    requirer.enabled = RTEST(enabled) && requirer.resolver;
    return enabled;
}

static VALUE requirer_counts(VALUE self) {
    VALUE counts = rb_hash_new();
    for (int i = 0; i < REQUIRE_OUTCOMES; i++)
        rb_hash_aset(counts, ID2SYM(rb_intern(spate_require_outcomes[i])), ULL2NUM(requirer.counts[i]));
    spate_resolver_counts looked = {0, 0};
    if (requirer.resolver)
        looked = spate_resolver_counted(requirer.resolver);
    rb_hash_aset(counts, ID2SYM(rb_intern("stats")), ULL2NUM(looked.stats));
    rb_hash_aset(counts, ID2SYM(rb_intern("listings")), ULL2NUM(looked.listings));
    return counts;
}

/* Makes the resolver check every directory again before its next use. */
static VALUE requirer_forget(VALUE self) {
    if (requirer.resolver)
        spate_resolver_forget(requirer.resolver);
    return Qnil;
}

static VALUE name_of(VALUE feature) {
    if (!requirer.resolver)
        use(Qnil);
    return rb_get_path(feature);
}

/* find(feature) -> absolute path; false if no root of $LOAD_PATH has it, after checking all directories again; nil if
 * only Ruby can determine it. Also finds features that are already loaded. */
static VALUE requirer_find(VALUE self, VALUE feature) {
    spate_found found;
    VALUE name = name_of(feature);
    spate_answer answer = spate_ask(name, false, false, &found);
    if (answer == SPATE_ABSENT)
        answer = spate_ask(name, false, true, &found);
    return answer == SPATE_FOUND ? spate_path_string(name, &found) : answer == SPATE_ABSENT ? Qfalse : Qnil;
}

static void add_candidate(void *context, const char *path, size_t length, uint32_t position, int kind) {
    VALUE list = (VALUE)context;
    VALUE candidate = rb_hash_new();
    rb_hash_aset(candidate, ID2SYM(rb_intern("path")), spate_utf8(path, length));
    rb_hash_aset(candidate, ID2SYM(rb_intern("position")),
                 position == SPATE_LOAD_PATH_CACHE_NONE ? Qnil : UINT2NUM(position));
    rb_hash_aset(candidate, ID2SYM(rb_intern("kind")),
                 ID2SYM(rb_intern(kind == SPATE_LOAD_PATH_CACHE_RUBY     ? "rb"
                                  : kind == SPATE_LOAD_PATH_CACHE_SHARED ? "so"
                                                                         : "rake")));
    rb_ary_push(list, candidate);
}

/* candidates(feature) -> [{path:, position:, kind:}, ...]: position is the index in $LOAD_PATH, or nil if the root is
 * not in it; kind is :rb, :so or :rake. */
static VALUE requirer_candidates(VALUE self, VALUE feature) {
    VALUE list = rb_ary_new();
    VALUE name = name_of(feature);
    if (spate_plain_name(name) && spate_load_path_sync())
        spate_resolver_each(requirer.resolver, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), add_candidate,
                            (void *)list);
    return list;
}

/* loaded(feature, path or nil) -> :loaded, :alike or nil. See spate_loaded. */
static VALUE requirer_loaded(VALUE self, VALUE feature, VALUE path) {
    feature = rb_get_path(feature);
    if (RTEST(path))
        path = rb_get_path(path);
    switch (spate_features_ask(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature),
                               RTEST(path) ? RSTRING_PTR(path) : NULL, RTEST(path) ? (size_t)RSTRING_LEN(path) : 0)) {
    case SPATE_LOADED: return ID2SYM(rb_intern("loaded"));
    case SPATE_ALIKE: return ID2SYM(rb_intern("alike"));
    default: return Qnil;
    }
}

void spate_init_require(VALUE native) {
    VALUE module = rb_define_module_under(native, "Requirer");
    rb_gc_register_address(&requirer.bytes);
    spate_load_path_init();
    spate_features_init();
    spate_require_init();
    rb_define_singleton_method(module, "use", requirer_use, 1);
    rb_define_singleton_method(module, "install", requirer_install, -1);
    rb_define_singleton_method(module, "enabled", requirer_enabled, 0);
    rb_define_singleton_method(module, "enabled=", requirer_set_enabled, 1);
    rb_define_singleton_method(module, "counts", requirer_counts, 0);
    rb_define_singleton_method(module, "forget", requirer_forget, 0);
    rb_define_singleton_method(module, "find", requirer_find, 1);
    rb_define_singleton_method(module, "candidates", requirer_candidates, 1);
    rb_define_singleton_method(module, "loaded", requirer_loaded, 2);
}

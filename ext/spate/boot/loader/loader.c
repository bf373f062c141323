#include "search.h"

#include <dlfcn.h>
#include <ruby/ractor.h>
#include <ruby/version.h>
#include <stdlib.h>

/*
 * Implements RubyVM::InstructionSequence.load_iseq. Ruby calls it for each file before loading it, and compiles the
 * file itself if the result is nil.
 *
 *   path ─► compile caches, in order ─► candidates ─► one lstat ─► unchanged: use the blob
 *           then those of gems                          ─► uncertain: hash the content once, then use the blob
 *                                                       ─► changed or missing: previous load_iseq, or nil
 *
 * Any failure on the way returns nil.
 */

static VALUE iseq_class;
static VALUE hook_module;
static VALUE hook_method; /* an UnboundMethod, used to find the previous method */
static VALUE listener = Qnil;
static VALUE option_at_install = Qnil;
static ID id_load_from_binary, id_path, id_absolute_path, id_compile_option, id_call, id_bind, id_super_method,
    id_running;

static bool installed;
static bool enabled = true;
static bool other_options; /* whether the compile options differ from those used for the compile caches */
static spate_realpaths *realpaths;
static VALUE (*get_coverages)(void);
static rb_ractor_local_key_t ractor_key;

/* ---- when to leave loading to Ruby ---- */

/* Whether code coverage is enabled, which requires code compiled after Coverage.setup. The VM's own flag is true from
 * Coverage.setup on and costs nothing; Coverage.running? has neither property. */
static bool coverage_is_on(void) {
    if (get_coverages)
        return RTEST(get_coverages());
    ID coverage = rb_intern("Coverage");
    return rb_const_defined(rb_cObject, coverage) &&
           RTEST(rb_funcall(rb_const_get(rb_cObject, coverage), id_running, 0));
}

static bool in_main_ractor(void) {
    return rb_ractor_local_storage_ptr(ractor_key) != NULL;
}

/* ---- loading ---- */

static VALUE load_binary(VALUE blob) {
    return rb_funcallv(iseq_class, id_load_from_binary, 1, &blob);
}

static VALUE refused(VALUE unused, VALUE exception) {
    return Qnil;
}

/* Whether the encoding of __FILE__ is that of the path under which the file was requested. */
static bool of_this_encoding(VALUE iseq, int encoding) {
    VALUE path = rb_funcallv(iseq, id_path, 0, NULL);
    return RB_TYPE_P(path, T_STRING) && rb_enc_get_index(path) == encoding;
}

/* Whether the real path in the compiled code is the file's current real path. */
static bool of_this_place(const spate_search *search, VALUE iseq) {
    VALUE real = rb_funcallv(iseq, id_absolute_path, 0, NULL);
    return RB_TYPE_P(real, T_STRING) &&
           spate_realpaths_match(realpaths, search->lasting_path, search->length, search->source.symlink,
                                 RSTRING_PTR(real), (size_t)RSTRING_LEN(real));
}

/*
 * Releases the pages of blobs after this many bytes. Ruby has copied the parts of a blob that it needs and will not
 * read it again. Without this, up to a tenth of a boot's memory would be blobs.
 */
#define REST_AFTER ((size_t)4 << 20)

static void rest_now_and_then(const spate_loaded_compile_cache *from, size_t length) {
    static size_t used;
    used += length;
    if (used < REST_AFTER)
        return;
    used = 0;
    spate_search_rest();
    spate_compile_cache_rest(from->compile_cache);
}

/* Loads the chosen blob. Returns nil if Ruby rejects it or if it is for another path, with the reason in
 * search->outcome. */
static VALUE loaded(spate_search *search, int encoding) {
    spate_compile_cache_file file =
        spate_compile_cache_file_at(search->choice.from.compile_cache, search->choice.index);
    VALUE blob = rb_str_freeze(rb_str_new_static(file.blob, (long)file.blob_length));
    VALUE iseq = rb_rescue2(load_binary, blob, refused, Qnil, rb_eStandardError, (VALUE)0);
    rest_now_and_then(&search->choice.from, file.blob_length);
    if (NIL_P(iseq)) {
        search->outcome = SPATE_DAMAGED;
        search->why = "refused";
        spate_record_problem(search->choice.from.path, "refused");
        return Qnil;
    }
    if (!of_this_place(search, iseq)) {
        search->outcome = SPATE_OUTDATED;
        search->why = "place";
        return Qnil;
    }
    if (!of_this_encoding(iseq, encoding)) {
        search->outcome = SPATE_WARNING_DUE; /* other compile caches would have the same problem */
        search->why = "encoding";
        return Qnil;
    }
    return iseq;
}

static VALUE why(const spate_search *search) {
    return search->why ? ID2SYM(rb_intern(search->why)) : Qnil;
}

static void report(const spate_search *search) {
    const char *path = search->lasting_path ? search->lasting_path : search->path;
    spate_record(path, search->length, search->lasting_path != NULL, search->outcome);
    if (!NIL_P(listener))
        rb_funcall(listener, id_call, 3, spate_outcome_symbol(search->outcome), spate_utf8(path, search->length),
                   why(search));
}

static VALUE judge(spate_search *search, int encoding) {
    if (search->chosen)
        loaded(search, encoding);
    return rb_assoc_new(spate_outcome_symbol(search->outcome), why(search));
}

/*
 * judge(path, cache = nil) -> [outcome, reason]: what would happen if the file were loaded now, from the given compile
 * cache or from all added ones. It is not counted. The reason is :kind, :size, :content, :place, :encoding, :gone,
 * :damaged or :refused if no cache is used; :mtime, :ctime, :inode, :recent or :unkept if the content had to be
 * compared; otherwise nil.
 */
static VALUE loader_judge(int argc, VALUE *argv, VALUE self) {
    VALUE path;
    VALUE compile_cache;
    rb_scan_args(argc, argv, "11", &path, &compile_cache);
    path = rb_str_new_frozen(rb_get_path(path));
    if (!realpaths && !(realpaths = spate_realpaths_new()))
        rb_memerror();
    spate_search search = {.path = RSTRING_PTR(path), .length = (size_t)RSTRING_LEN(path)};
    if (NIL_P(compile_cache))
        spate_search_compile_caches(&search);
    else
        spate_search_compile_cache(&search, (spate_loaded_compile_cache){spate_compile_cache_pinned(compile_cache),
                                                                         spate_compile_cache_path_of(compile_cache)});
    VALUE answer = judge(&search, rb_enc_get_index(path));
    RB_GC_GUARD(path);
    return answer;
}

/* Calls the previous load_iseq, if there is one. */
static VALUE call_previous(VALUE self, VALUE path) {
    VALUE bound = rb_funcall(hook_method, id_bind, 1, self);
    return NIL_P(rb_funcall(bound, id_super_method, 0)) ? Qnil : rb_call_super(1, &path);
}

static VALUE hook_load_iseq(VALUE self, VALUE path) {
    if (!in_main_ractor())
        return Qnil;
    if (!enabled || other_options || !RB_TYPE_P(path, T_STRING) || coverage_is_on())
        return call_previous(self, path);
    spate_search search = {.path = RSTRING_PTR(path), .length = (size_t)RSTRING_LEN(path)};
    spate_search_compile_caches(&search);
    VALUE iseq = search.chosen ? loaded(&search, rb_enc_get_index(path)) : Qnil;
    report(&search);
    RB_GC_GUARD(path);
    return NIL_P(iseq) ? call_previous(self, path) : iseq;
}

/* Compile caches are built with certain compile options. With other options, Ruby compiles all files. */
static VALUE hook_set_compile_option(VALUE self, VALUE option) {
    VALUE result = rb_call_super(1, &option);
    if (in_main_ractor())
        other_options = !RTEST(rb_equal(rb_funcall(self, id_compile_option, 0), option_at_install));
    return result;
}

/* ---- the module's methods ---- */

/*
 * Prepends load_iseq to the existing method. May be called again, for example after another library has prepended one.
 * Returns false if this Ruby has no load_iseq, or uses boxes (RUBY_BOX=1), which load a file once per box.
 */
static VALUE loader_install(VALUE self) {
    const char *box = getenv("RUBY_BOX");
    if (installed)
        return Qtrue;
    if (NIL_P(iseq_class) || (box && strcmp(box, "1") == 0))
        return Qfalse;
    if (!realpaths && !(realpaths = spate_realpaths_new()))
        rb_memerror();
    option_at_install = rb_funcall(iseq_class, id_compile_option, 0);
    rb_prepend_module(rb_singleton_class(iseq_class), hook_module);
    installed = true;
    return Qtrue;
}

/* Adds a compile cache. They are searched in the order in which they were added. */
static VALUE loader_add(VALUE self, VALUE object) {
    spate_loaded_compile_cache compile_cache = {.compile_cache = spate_compile_cache_pinned(object),
                                                .path = spate_compile_cache_path_of(object)};
    if (!spate_search_add(compile_cache))
        rb_memerror();
    return self;
}

static VALUE loader_gem_caches(VALUE self) {
    return spate_gem_caches_hash();
}

/* Sets the compile caches of gems: {root directory => path}. Each is opened on the first request for a file below its
 * root that is not in any added compile cache. */
static VALUE loader_set_gem_caches(VALUE self, VALUE hash) {
    spate_gem_caches_set(hash);
    return hash;
}

/* Sets the key of the gems' compile caches: 16 bytes or 32 hex digits. */
static VALUE loader_set_key(VALUE self, VALUE key) {
    uint8_t taken[SPATE_COMPILE_CACHE_KEY_BYTES];
    spate_take_key(key, taken);
    spate_search_set_key(taken);
    return key;
}

static VALUE loader_enabled(VALUE self) {
    return enabled ? Qtrue : Qfalse;
}

static VALUE loader_set_enabled(VALUE self, VALUE wanted) {
    enabled = RTEST(wanted);
    return wanted;
}

static VALUE loader_listener(VALUE self) {
    return listener;
}

/* Sets a callable, or nil. It is called with outcome, path and reason (see judge) after each decision, before the file
 * runs. */
static VALUE loader_set_listener(VALUE self, VALUE callable) {
    listener = callable;
    return callable;
}

/* Releases the compile caches' pages from this process's memory after a boot. */
static VALUE loader_rest(VALUE self) {
    spate_search_rest();
    spate_gem_caches_rest();
    return self;
}

/* Clears compile caches, counts and recordings, for tests. Loaded compile caches stay mapped. */
static VALUE loader_reset(VALUE self) {
    spate_search_clear();
    enabled = true;
    listener = Qnil;
    spate_gem_caches_set(Qnil);
    spate_records_clear();
    spate_realpaths_forget(realpaths);
    return self;
}

static void ids(void) {
    id_load_from_binary = rb_intern("load_from_binary");
    id_path = rb_intern("path");
    id_absolute_path = rb_intern("absolute_path");
    id_compile_option = rb_intern("compile_option");
    id_call = rb_intern("call");
    id_bind = rb_intern("bind");
    id_super_method = rb_intern("super_method");
    id_running = rb_intern("running?");
}

static VALUE find_iseq_class(void) {
    ID vm = rb_intern("RubyVM");
    ID iseq = rb_intern("InstructionSequence");
    if (!rb_const_defined(rb_cObject, vm) || !rb_const_defined(rb_const_get(rb_cObject, vm), iseq))
        return Qnil;
    return rb_const_get(rb_const_get(rb_cObject, vm), iseq);
}

/* Ruby may call load_iseq in any Ractor. It returns nil in all but the main one. */
static void define_hook(VALUE loader) {
    hook_module = rb_define_module_under(loader, "Hook");
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(true);
#endif
    rb_define_method(hook_module, "load_iseq", hook_load_iseq, 1);
    rb_define_method(hook_module, "compile_option=", hook_set_compile_option, 1);
#ifdef HAVE_RB_EXT_RACTOR_SAFE
    rb_ext_ractor_safe(false);
#endif
    hook_method = rb_funcall(hook_module, rb_intern("instance_method"), 1, ID2SYM(rb_intern("load_iseq")));
    rb_gc_register_address(&hook_method);
}

void spate_init_loader(VALUE native) {
    static const struct rb_ractor_local_storage_type nothing = {NULL, NULL};
    ids();
    VALUE loader = rb_define_module_under(native, "Loader");
    iseq_class = find_iseq_class();
    rb_gc_register_address(&iseq_class);
    rb_gc_register_address(&listener);
    rb_gc_register_address(&option_at_install);
    ractor_key = rb_ractor_local_storage_ptr_newkey(&nothing);
    rb_ractor_local_storage_ptr_set(ractor_key, &installed);
    *(void **)&get_coverages = dlsym(RTLD_DEFAULT, "rb_get_coverages");
    define_hook(loader);
    spate_init_records(loader);
    rb_define_singleton_method(loader, "install", loader_install, 0);
    rb_define_singleton_method(loader, "add", loader_add, 1);
    rb_define_singleton_method(loader, "gem_caches", loader_gem_caches, 0);
    rb_define_singleton_method(loader, "gem_caches=", loader_set_gem_caches, 1);
    rb_define_singleton_method(loader, "key=", loader_set_key, 1);
    rb_define_singleton_method(loader, "judge", loader_judge, -1);
    rb_define_singleton_method(loader, "enabled", loader_enabled, 0);
    rb_define_singleton_method(loader, "enabled=", loader_set_enabled, 1);
    rb_define_singleton_method(loader, "listener", loader_listener, 0);
    rb_define_singleton_method(loader, "listener=", loader_set_listener, 1);
    rb_define_singleton_method(loader, "rest", loader_rest, 0);
    rb_define_singleton_method(loader, "reset", loader_reset, 0);
}

#include "requirer.h"

#include <ruby/ractor.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum outcome { HIT, MISS, UNSURE, PROVIDED, VERIFIED_MISS, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"hit", "miss", "unsure", "provided", "verified_miss"};

/* `listening`: the listener requires something itself. */
static struct {
    VALUE bytes, listener;
    spate_index index;
    spate_resolver *resolver;
    bool enabled, installed, listening;
    /* Whether Ruby's own extensions are files; where they are linked in, a missing file is no miss. 0 = not known. */
    int extensions_are_files;
    uint64_t counts[OUTCOMES];
} requirer;

/* Set in the main ractor only: Ruby has no other public way to ask. */
static rb_ractor_local_key_t main_ractor;

static bool in_main_ractor(void) {
    return rb_ractor_local_storage_ptr(main_ractor) != NULL;
}

static VALUE tell_listener(VALUE argument) {
    const VALUE *arguments = (const VALUE *)argument;
    return rb_funcallv(requirer.listener, rb_intern("call"), 2, arguments);
}

static VALUE stop_listening(VALUE unused) {
    requirer.listening = false;
    return Qnil;
}

static void count(outcome which, VALUE feature) {
    requirer.counts[which]++;
    if (NIL_P(requirer.listener) || requirer.listening)
        return;
    VALUE arguments[] = {ID2SYM(rb_intern(outcome_names[which])), feature};
    requirer.listening = true;
    rb_ensure(tell_listener, (VALUE)arguments, stop_listening, Qnil);
}

/* Names that the index can have: Ruby converts others, or looks elsewhere for them. */
static bool plain_name(VALUE name) {
    const char *text = RSTRING_PTR(name);
    if (RSTRING_LEN(name) == 0 || text[0] == '/' || text[0] == '~' || rb_obj_class(name) != rb_cString)
        return false;
    return rb_enc_str_asciionly_p(name) || rb_enc_get_index(name) == rb_utf8_encindex();
}

static spate_answer ask(VALUE name, bool load, bool fresh, spate_found *found) {
    if (!plain_name(name) || !spate_load_path_sync(requirer.resolver))
        return SPATE_UNSURE;
    return spate_resolver_find(requirer.resolver, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), load, fresh, found);
}

/* In the encoding that Ruby's own search would give the path: the name's, unless the path is not ASCII. */
static VALUE path_string(VALUE name, const spate_found *found) {
    VALUE path = rb_str_new(found->path, (long)found->length);
    rb_enc_associate_index(path, rb_enc_get_index(name));
    if (!rb_enc_str_asciionly_p(path))
        rb_enc_associate_index(path, rb_utf8_encindex());
    return rb_obj_freeze(path);
}

/* Ruby passes over what it cannot open. */
static bool can_be_loaded(const char *path) {
    struct stat file;
    return access(path, R_OK) == 0 && stat(path, &file) == 0 && (S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode));
}

typedef struct call {
    VALUE self, path;
} call;

static VALUE require_path(VALUE argument) {
    const call *c = (const call *)argument;
    return rb_f_require(c->self, c->path);
}

/* Whether Ruby did not find the very file that it was sent to: gone since its directory was looked at, or unreadable. */
static bool vanished(VALUE error, VALUE path) {
    if (!RB_TYPE_P(error, T_OBJECT) || !RTEST(rb_obj_is_kind_of(error, rb_eLoadError))) /* a throw is no object */
        return false;
    VALUE of = rb_attr_get(error, rb_intern("@path"));
    return RB_TYPE_P(of, T_STRING) && RTEST(rb_str_equal(of, path)) && !can_be_loaded(RSTRING_PTR(path));
}

static VALUE require_found(VALUE self, VALUE name, VALUE path) {
    call c = {self, path};
    int state = 0;
    VALUE before = rb_errinfo();
    spate_features_begin(path);
    VALUE result = rb_protect(require_path, (VALUE)&c, &state);
    spate_features_done(path);
    if (state == 0)
        return result;
    if (!vanished(rb_errinfo(), path))
        rb_jump_tag(state);
    rb_set_errinfo(RB_TYPE_P(before, T_OBJECT) ? before : Qnil);
    spate_resolver_forget(requirer.resolver);
    return rb_f_require(self, name);
}

/* Ruby's own words. */
NORETURN(static void cannot_load(VALUE name));
static void cannot_load(VALUE name) {
    VALUE message = rb_str_buf_new(64);
    rb_str_cat_cstr(message, "cannot load such file -- ");
    rb_str_append(message, name);
    VALUE error = rb_exc_new_str(rb_eLoadError, message);
    rb_ivar_set(error, rb_intern("@path"), name);
    rb_exc_raise(error);
}

/* Where extensions are linked into Ruby, `require "etc"` needs no file. */
static bool extensions_are_files(void) {
    spate_found found;
    if (requirer.extensions_are_files == 0) {
        spate_answer answer = spate_resolver_find(requirer.resolver, "etc.so", 6, false, false, &found);
        requirer.extensions_are_files = answer == SPATE_FOUND ? 1 : -1;
    }
    return requirer.extensions_are_files > 0;
}

/* Since 3.3 Ruby holds its parser's extension, whatever becomes of the others. */
static bool linked_in(VALUE name) {
    static const char prism[] = "prism/prism";
    return strncmp(RSTRING_PTR(name), prism, sizeof(prism) - 1) == 0;
}

static bool verified_miss(VALUE name) {
    spate_found found;
    return extensions_are_files() && !linked_in(name) && ask(name, false, true, &found) == SPATE_ABSENT;
}

/* A name with an extension that is none of Ruby's is looked up each time, whatever is loaded. */
static bool looked_up_each_time(VALUE name) {
    const char *text = RSTRING_PTR(name), *dot = strrchr(text, '.');
    return dot && !strchr(dot, '/') && strcmp(dot, ".rb") != 0 && strcmp(dot, ".so") != 0 && strcmp(dot, ".o") != 0 &&
           strcmp(dot, DLEXT) != 0;
}

static VALUE require_absent(VALUE self, VALUE name, VALUE given) {
    const char *text = RSTRING_PTR(name);
    if (spate_features_ask(text, (size_t)RSTRING_LEN(name), NULL, 0) == SPATE_NOT_LOADED && verified_miss(name)) {
        count(VERIFIED_MISS, name);
        cannot_load(name);
    }
    count(MISS, name);
    return rb_f_require(self, given);
}

/*
 * What Ruby does first is asked first: whether the feature is loaded. The file found being loaded already, the answer is
 * false whatever else is. Another file that ends alike may count for Ruby (the load path has changed since); then Ruby
 * decides, without a search if it does.
 */
static VALUE requirer_require(VALUE self, VALUE given) {
    spate_found found;
    if (!requirer.enabled || !in_main_ractor())
        return rb_f_require(self, given);
    VALUE name = rb_get_path(given);
    if (!RB_TYPE_P(given, T_STRING))
        given = name;
    spate_answer answer = ask(name, false, false, &found);
    if (answer == SPATE_ABSENT)
        return require_absent(self, name, given);
    if (answer == SPATE_UNSURE) {
        count(UNSURE, name);
        return rb_f_require(self, given);
    }
    switch (spate_features_ask(RSTRING_PTR(name), (size_t)RSTRING_LEN(name), found.path, found.length)) {
    case SPATE_LOADED: count(PROVIDED, name); return Qfalse;
    case SPATE_ALIKE:
        if (!looked_up_each_time(name) && rb_provided(RSTRING_PTR(name))) {
            count(PROVIDED, name);
            return rb_f_require(self, given);
        }
        break;
    case SPATE_NOT_LOADED: break;
    }
    VALUE path = path_string(name, &found);
    count(HIT, name);
    return require_found(self, given, path);
}

/* Names that Ruby does not search the load path for. */
static bool searched(VALUE name) {
    const char *text = RSTRING_PTR(name);
    return text[0] != '/' && text[0] != '~' && strncmp(text, "./", 2) != 0 && strncmp(text, "../", 3) != 0;
}

/* Where Ruby's function does what rb_load does not: a file of the working directory, a module to wrap it in. */
static VALUE load_unfound(VALUE self, VALUE name, VALUE wrap) {
    if (RB_TYPE_P(wrap, T_MODULE))
        return spate_hook_original_load(self, name, wrap);
    if (searched(name) && !rb_find_file(name) && can_be_loaded(RSTRING_PTR(name)))
        return spate_hook_original_load(self, name, wrap);
    rb_load(name, RTEST(wrap));
    return Qtrue;
}

static VALUE requirer_load(int argc, VALUE *argv, VALUE self) {
    spate_found found;
    VALUE given, wrap;
    rb_scan_args(argc, argv, "11", &given, &wrap);
    VALUE name = rb_get_path(given);
    if (!requirer.enabled || !in_main_ractor() || !searched(name) || RB_TYPE_P(wrap, T_MODULE))
        return load_unfound(self, name, wrap);
    if (ask(name, true, false, &found) != SPATE_FOUND || !can_be_loaded(found.path)) {
        count(MISS, name);
        return load_unfound(self, name, wrap);
    }
    count(HIT, name);
    rb_load(path_string(name, &found), RTEST(wrap));
    return Qtrue;
}

/* ---- what Ruby sees ---- */

static void use(VALUE source) {
    spate_index index;
    spate_resolver *made = NULL;
    spate_error error;
    if (!NIL_P(source) && !RB_TYPE_P(source, T_STRING))
        source = rb_funcall(source, rb_intern("data"), 1, rb_str_new_cstr("index"));
    VALUE bytes = NIL_P(source) ? Qnil : spate_aligned_bytes(source);
    if (!NIL_P(bytes) &&
        spate_index_open(&index, (const uint8_t *)RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes), &error) != SPATE_OK)
        spate_raise(&error);
    if (spate_resolver_new(&made, NIL_P(bytes) ? NULL : &index, DLEXT) != SPATE_OK)
        rb_memerror();
    spate_resolver_free(requirer.resolver);
    requirer.resolver = made;
    requirer.bytes = bytes;
    requirer.extensions_are_files = 0;
    spate_load_path_forget();
}

/*
 * Answers from this index from now on: bytes, an Image with data "index", or nil for none (directories are then listed
 * as they are needed). ArgumentError where it cannot be used. `require` stays as it is; see install.
 */
static VALUE requirer_use(VALUE self, VALUE source) {
    use(source);
    return Qtrue;
}

/* Stands in for Ruby's `require` and `load`. The second time, only the index is another. */
static VALUE requirer_install(int argc, VALUE *argv, VALUE self) {
    VALUE source;
    rb_scan_args(argc, argv, "01", &source);
    use(source);
    requirer.enabled = true;
    if (!requirer.installed)
        requirer.installed = spate_hook_install(requirer_require, requirer_load);
    return requirer.installed ? Qtrue : Qfalse;
}

static VALUE requirer_installed(VALUE self) {
    return requirer.installed ? Qtrue : Qfalse;
}

static VALUE requirer_enabled(VALUE self) {
    return requirer.enabled ? Qtrue : Qfalse;
}

static VALUE requirer_set_enabled(VALUE self, VALUE enabled) {
    requirer.enabled = RTEST(enabled) && requirer.resolver;
    return enabled;
}

static VALUE requirer_listener(VALUE self) {
    return requirer.listener;
}

/* listener = ->(outcome, feature) { }: called for each require, before the file is loaded */
static VALUE requirer_set_listener(VALUE self, VALUE listener) {
    return requirer.listener = listener;
}

static VALUE requirer_counts(VALUE self) {
    VALUE counts = rb_hash_new();
    for (int i = 0; i < OUTCOMES; i++)
        rb_hash_aset(counts, ID2SYM(rb_intern(outcome_names[i])), ULL2NUM(requirer.counts[i]));
    spate_resolver_counts looked = {0, 0};
    if (requirer.resolver)
        looked = spate_resolver_counted(requirer.resolver);
    rb_hash_aset(counts, ID2SYM(rb_intern("stats")), ULL2NUM(looked.stats));
    rb_hash_aset(counts, ID2SYM(rb_intern("listings")), ULL2NUM(looked.listings));
    return counts;
}

/* Every directory is looked at again before the next answer. */
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

/* find(feature) -> absolute path; false: under no root of $LOAD_PATH, each looked at now; nil: Ruby must be asked. What
 * is loaded already does not count. */
static VALUE requirer_find(VALUE self, VALUE feature) {
    spate_found found;
    VALUE name = name_of(feature);
    spate_answer answer = ask(name, false, false, &found);
    if (answer == SPATE_ABSENT)
        answer = ask(name, false, true, &found);
    return answer == SPATE_FOUND ? path_string(name, &found) : answer == SPATE_ABSENT ? Qfalse : Qnil;
}

static void add_candidate(void *context, const char *path, size_t length, uint32_t position, int kind) {
    VALUE list = (VALUE)context;
    VALUE candidate = rb_hash_new();
    rb_hash_aset(candidate, ID2SYM(rb_intern("path")), spate_utf8(path, length));
    rb_hash_aset(candidate, ID2SYM(rb_intern("position")), position == SPATE_INDEX_NONE ? Qnil : UINT2NUM(position));
    rb_hash_aset(candidate, ID2SYM(rb_intern("kind")),
                 ID2SYM(rb_intern(kind == SPATE_INDEX_RUBY     ? "rb"
                                  : kind == SPATE_INDEX_SHARED ? "so"
                                                               : "rake")));
    rb_ary_push(list, candidate);
}

/* candidates(feature) -> [{path:, position: in $LOAD_PATH, nil = of a root that is not in it, kind: :rb | :so}, ...] */
static VALUE requirer_candidates(VALUE self, VALUE feature) {
    VALUE list = rb_ary_new();
    VALUE name = name_of(feature);
    if (plain_name(name) && spate_load_path_sync(requirer.resolver))
        spate_resolver_each(requirer.resolver, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), add_candidate,
                            (void *)list);
    return list;
}

/* loaded(feature, path or nil) -> :loaded, :alike or nil: what $LOADED_FEATURES has for it */
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

/* Bytes of memory beside the index. */
static VALUE requirer_memory(VALUE self) {
    return SIZET2NUM(requirer.resolver ? spate_resolver_bytes(requirer.resolver) : 0);
}

void spate_init_require(VALUE native) {
    VALUE module = rb_define_module_under(native, "Requirer");
    requirer.bytes = requirer.listener = Qnil;
    rb_gc_register_address(&requirer.bytes);
    rb_gc_register_address(&requirer.listener);
    spate_load_path_init();
    spate_features_init();
    main_ractor = rb_ractor_local_storage_ptr_newkey(&rb_ractor_local_storage_type_free);
    rb_ractor_local_storage_ptr_set(main_ractor, malloc(1));
    rb_define_singleton_method(module, "use", requirer_use, 1);
    rb_define_singleton_method(module, "install", requirer_install, -1);
    rb_define_singleton_method(module, "installed?", requirer_installed, 0);
    rb_define_singleton_method(module, "enabled", requirer_enabled, 0);
    rb_define_singleton_method(module, "enabled=", requirer_set_enabled, 1);
    rb_define_singleton_method(module, "listener", requirer_listener, 0);
    rb_define_singleton_method(module, "listener=", requirer_set_listener, 1);
    rb_define_singleton_method(module, "counts", requirer_counts, 0);
    rb_define_singleton_method(module, "forget", requirer_forget, 0);
    rb_define_singleton_method(module, "find", requirer_find, 1);
    rb_define_singleton_method(module, "candidates", requirer_candidates, 1);
    rb_define_singleton_method(module, "loaded", requirer_loaded, 2);
    rb_define_singleton_method(module, "memory", requirer_memory, 0);
}

/* The implementation of `require` and `load`. */
#include "requirer.h"

#include <ruby/ractor.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const spate_require_outcomes[REQUIRE_OUTCOMES] = {"hit", "miss", "unsure", "provided", "verified_miss"};
spate_requirer requirer = {.bytes = Qnil};

/* Set only in the main Ractor. Ruby has no public function to detect it. */
static rb_ractor_local_key_t main_ractor;

static bool in_main_ractor(void) {
    return rb_ractor_local_storage_ptr(main_ractor) != NULL;
}

static void count(spate_require_outcome which) {
    requirer.counts[which]++;
}

bool spate_plain_name(VALUE name) {
    const char *text = RSTRING_PTR(name);
    if (RSTRING_LEN(name) == 0 || text[0] == '/' || text[0] == '~' || rb_obj_class(name) != rb_cString)
        return false;
    return rb_enc_str_asciionly_p(name) || rb_enc_get_index(name) == rb_utf8_encindex();
}

spate_answer spate_ask(VALUE name, bool load, bool fresh, spate_found *found) {
    if (!spate_plain_name(name) || !spate_load_path_sync())
        return SPATE_UNSURE;
    return spate_resolver_find(requirer.resolver, RSTRING_PTR(name), (size_t)RSTRING_LEN(name), load, fresh, found);
}

VALUE spate_path_string(VALUE name, const spate_found *found) {
    VALUE path = rb_str_new(found->path, (long)found->length);
    rb_enc_associate_index(path, rb_enc_get_index(name));
    if (!rb_enc_str_asciionly_p(path))
        rb_enc_associate_index(path, rb_utf8_encindex());
    return rb_obj_freeze(path);
}

/* Ruby skips files that it cannot open. */
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

/* Whether Ruby failed to find the given file, because it was removed after its directory was checked, or is not
 * readable. */
static bool vanished(VALUE error, VALUE path) {
    if (!RB_TYPE_P(error, T_OBJECT) || !RTEST(rb_obj_is_kind_of(error, rb_eLoadError))) /* for a throw, `error` is not
                                                                                         * an exception */
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

/* Raises the same error as Ruby. */
NORETURN(static void cannot_load(VALUE name));
static void cannot_load(VALUE name) {
    VALUE message = rb_str_buf_new(64);
    rb_str_cat_cstr(message, "cannot load such file -- ");
    rb_str_append(message, name);
    VALUE error = rb_exc_new_str(rb_eLoadError, message);
    rb_ivar_set(error, rb_intern("@path"), name);
    rb_exc_raise(error);
}

/* Whether Ruby's extensions are files. If they are linked into Ruby, `require "etc"` succeeds without a file. */
static bool extensions_are_files(void) {
    spate_found found;
    if (requirer.extensions_are_files == 0) {
        spate_answer answer = spate_resolver_find(requirer.resolver, "etc.so", 6, false, false, &found);
        requirer.extensions_are_files = answer == SPATE_FOUND ? 1 : -1;
    }
    return requirer.extensions_are_files > 0;
}

/* Ruby 3.3 and later always have the parser's extension linked in. */
static bool linked_in(VALUE name) {
    static const char prism[] = "prism/prism";
    return strncmp(RSTRING_PTR(name), prism, sizeof(prism) - 1) == 0;
}

static bool verified_miss(VALUE name) {
    spate_found found;
    return extensions_are_files() && !linked_in(name) && spate_ask(name, false, true, &found) == SPATE_ABSENT;
}

/* Whether Ruby looks up the name each time, even if it is loaded. It does so for unknown extensions. */
static bool looked_up_each_time(VALUE name) {
    const char *text = RSTRING_PTR(name), *dot = strrchr(text, '.');
    return dot && !strchr(dot, '/') && strcmp(dot, ".rb") != 0 && strcmp(dot, ".so") != 0 && strcmp(dot, ".o") != 0 &&
           strcmp(dot, DLEXT) != 0;
}

static VALUE require_absent(VALUE self, VALUE name, VALUE given) {
    const char *text = RSTRING_PTR(name);
    if (spate_features_ask(text, (size_t)RSTRING_LEN(name), NULL, 0) == SPATE_NOT_LOADED && verified_miss(name)) {
        count(REQUIRE_VERIFIED_MISS);
        cannot_load(name);
    }
    count(REQUIRE_MISS);
    return rb_f_require(self, given);
}

/*
 * Implements `require`. Like Ruby, first checks whether the feature is loaded. Returns false if the file that was found
 * is already loaded. If the load path has changed, another file with the same ending may be loaded. Ruby then decides
 * whether to accept it, and needs no search if it does.
 */
VALUE spate_require(VALUE self, VALUE given) {
    spate_found found;
    if (!requirer.enabled || !in_main_ractor())
        return rb_f_require(self, given);
    VALUE name = rb_get_path(given);
    if (!RB_TYPE_P(given, T_STRING))
        given = name;
    spate_answer answer = spate_ask(name, false, false, &found);
    if (answer == SPATE_ABSENT)
        return require_absent(self, name, given);
    if (answer == SPATE_UNSURE) {
        count(REQUIRE_UNSURE);
        return rb_f_require(self, given);
    }
    switch (spate_features_ask(RSTRING_PTR(name), (size_t)RSTRING_LEN(name), found.path, found.length)) {
    case SPATE_LOADED: count(REQUIRE_PROVIDED); return Qfalse;
    case SPATE_ALIKE:
        if (!looked_up_each_time(name) && rb_provided(RSTRING_PTR(name))) {
            count(REQUIRE_PROVIDED);
            return rb_f_require(self, given);
        }
        break;
    case SPATE_NOT_LOADED: break;
    }
    VALUE path = spate_path_string(name, &found);
    count(REQUIRE_HIT);
    return require_found(self, given, path);
}

/* Whether Ruby searches the load path for the name. */
static bool searched(VALUE name) {
    const char *text = RSTRING_PTR(name);
    return text[0] != '/' && text[0] != '~' && strncmp(text, "./", 2) != 0 && strncmp(text, "../", 3) != 0;
}

/* Handles cases that rb_load does not support: a file in the working directory, and a module to wrap the file in. */
static VALUE load_unfound(VALUE self, VALUE name, VALUE wrap) {
    if (RB_TYPE_P(wrap, T_MODULE))
        return spate_hook_original_load(self, name, wrap);
    if (searched(name) && !rb_find_file(name) && can_be_loaded(RSTRING_PTR(name)))
        return spate_hook_original_load(self, name, wrap);
    rb_load(name, RTEST(wrap));
    return Qtrue;
}

VALUE spate_load(int argc, VALUE *argv, VALUE self) {
    spate_found found;
    VALUE given, wrap;
    rb_scan_args(argc, argv, "11", &given, &wrap);
    VALUE name = rb_get_path(given);
    if (!requirer.enabled || !in_main_ractor() || !searched(name) || RB_TYPE_P(wrap, T_MODULE))
        return load_unfound(self, name, wrap);
    if (spate_ask(name, true, false, &found) != SPATE_FOUND || !can_be_loaded(found.path)) {
        count(REQUIRE_MISS);
        return load_unfound(self, name, wrap);
    }
    count(REQUIRE_HIT);
    rb_load(spate_path_string(name, &found), RTEST(wrap));
    return Qtrue;
}

void spate_require_init(void) {
    main_ractor = rb_ractor_local_storage_ptr_newkey(&rb_ractor_local_storage_type_free);
    rb_ractor_local_storage_ptr_set(main_ractor, malloc(1));
}

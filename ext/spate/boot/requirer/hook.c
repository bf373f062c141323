#include "requirer.h"

#include <string.h>

/*
 * Only Ruby's own C functions are replaced. A `require` that RubyGems, Zeitwerk or others have defined in Ruby stays in
 * place; the original that it calls (`gem_original_require`) is replaced. Therefore all frames are the same as without
 * Spate, and restoring the original, as Bundler does, restores Spate's function.
 */
static VALUE original_load;

static VALUE method_of(VALUE module, VALUE name) {
    return rb_funcall(module, rb_intern("instance_method"), 1, name);
}

static bool rubys_own(VALUE module, VALUE method, ID name) {
    return rb_funcall(method, rb_intern("owner"), 0) == module &&
           rb_funcall(method, rb_intern("original_name"), 0) == ID2SYM(name) &&
           NIL_P(rb_funcall(method, rb_intern("source_location"), 0));
}

/* Returns the names under which the module has Ruby's own function. */
static VALUE names_of(VALUE module, ID name, const char *word, const char *list) {
    VALUE found = rb_ary_new();
    VALUE names = rb_funcall(module, rb_intern(list), 1, Qfalse);
    for (long i = 0; i < RARRAY_LEN(names); i++) {
        VALUE candidate = RARRAY_AREF(names, i);
        const char *text = rb_id2name(SYM2ID(candidate));
        if (text && strstr(text, word) && rubys_own(module, method_of(module, candidate), name))
            rb_ary_push(found, candidate);
    }
    return found;
}

typedef struct place {
    VALUE module;
    const char *name;
    VALUE (*function)(ANYARGS);
    int arity;
    bool private;
} place;

static void define(const place *p, const char *name) {
    if (p->private)
        rb_define_private_method(p->module, name, p->function, p->arity);
    else
        rb_define_method(p->module, name, p->function, p->arity);
}

/* Defines the function under Ruby's name first, so that stack frames show that name for every alias. */
static bool take(const place *p) {
    ID name = rb_intern(p->name);
    VALUE names = names_of(p->module, name, p->name, p->private ? "private_instance_methods" : "instance_methods");
    if (RARRAY_LEN(names) == 0)
        return false;
    VALUE symbol = ID2SYM(name);
    VALUE above = RTEST(rb_ary_includes(names, symbol)) ? Qnil : method_of(p->module, symbol);
    define(p, p->name);
    for (long i = 0; i < RARRAY_LEN(names); i++) {
        VALUE other = RARRAY_AREF(names, i);
        if (other != symbol)
            rb_define_alias(p->module, rb_id2name(SYM2ID(other)), p->name);
    }
    if (!NIL_P(above)) {
        rb_funcall(p->module, rb_intern("define_method"), 2, symbol, above);
        rb_funcall(p->module, rb_intern(p->private ? "private" : "public"), 1, symbol);
    }
    return true;
}

static VALUE take_all(VALUE argument) {
    const place *places = (const place *)argument;
    bool taken = false;
    for (int i = 0; i < 4; i++)
        taken = take(&places[i]) || taken;
    return taken ? Qtrue : Qfalse;
}

bool spate_hook_install(VALUE (*require)(VALUE, VALUE), VALUE (*load)(int, VALUE *, VALUE)) {
    VALUE single = rb_singleton_class(rb_mKernel);
    VALUE own = names_of(rb_mKernel, rb_intern("load"), "load", "private_instance_methods");
    int state = 0;
    const place places[] = {{rb_mKernel, "require", RUBY_METHOD_FUNC(require), 1, true},
                            {single, "require", RUBY_METHOD_FUNC(require), 1, false},
                            {rb_mKernel, "load", RUBY_METHOD_FUNC(load), -1, true},
                            {single, "load", RUBY_METHOD_FUNC(load), -1, false}};
    if (RARRAY_LEN(own) > 0) {
        original_load = method_of(rb_mKernel, RARRAY_AREF(own, 0));
        rb_gc_register_address(&original_load);
    }
    VALUE *verbose = rb_ruby_verbose_ptr(), before = *verbose;
    *verbose = Qnil; /* no warnings about redefined methods */
    VALUE taken = rb_protect(take_all, (VALUE)places, &state);
    *verbose = before;
    if (state)
        rb_jump_tag(state);
    return RTEST(taken);
}

VALUE spate_hook_original_load(VALUE self, VALUE path, VALUE wrap) {
    return rb_funcall(original_load, rb_intern("bind_call"), 3, self, path, wrap);
}

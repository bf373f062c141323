#include "native.h"

#include <errno.h>
#include <string.h>

/* The root of what is served. */
static void folder_free(void *pointer) {
    spate_root_close(pointer);
    xfree(pointer);
}

static const rb_data_type_t folder_type = {
    "Spate::Server::Native::Folder", {NULL, folder_free, NULL}, 0, 0, RUBY_TYPED_FREE_IMMEDIATELY};

static VALUE folder_alloc(VALUE klass) {
    spate_root *root;
    VALUE self = TypedData_Make_Struct(klass, spate_root, &folder_type, root);
    root->fd = -1;
    return self;
}

static spate_root *root_of(VALUE self) {
    spate_root *root = rb_check_typeddata(self, &folder_type);
    if (root->fd < 0)
        rb_raise(rb_eIOError, "the folder is closed");
    return root;
}

/* Folder.new(path, beneath = true, links = true): without openat2, without following links. SystemCallError. */
static VALUE folder_initialize(int argc, VALUE *argv, VALUE self) {
    VALUE path, beneath, links;
    spate_root *root = rb_check_typeddata(self, &folder_type);
    rb_scan_args(argc, argv, "12", &path, &beneath, &links);
    const char *name = StringValueCStr(path);
    spate_root_close(root);
    int error = spate_root_open(name, argc < 2 || RTEST(beneath), argc < 3 || RTEST(links), root);
    if (error)
        rb_syserr_fail(error, name);
    return self;
}

/* path: without links. */
static VALUE folder_path(VALUE self) {
    const spate_root *root = root_of(self);
    return rb_utf8_str_new_cstr(*root->path ? root->path : "/");
}

/* Errors by which a path leads nowhere; nothing else about them is for a client to know. */
static bool leads_nowhere(int error) {
    return error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG || error == ELOOP || error == EXDEV ||
           error == ENXIO || error == EINVAL || error == ENODEV;
}

static VALUE find(VALUE self, VALUE path, bool read) {
    spate_place place;
    spate_root *root = root_of(self);
    const char *name = StringValueCStr(path);
    int error = spate_resolve(root, name, read, &place);
    if (!error)
        return spate_found_new(&place, path);
    if (leads_nowhere(error))
        return ID2SYM(rb_intern("missing"));
    if (error == EACCES || error == EPERM)
        return ID2SYM(rb_intern("forbidden"));
    rb_syserr_fail_str(error, path);
}

/*
 * open(path): a Found that can be read, :missing or :forbidden. `path` has no slash first; "" is the folder itself.
 * SystemCallError where the system failed (descriptors ran out, the disk did). ArgumentError for a zero byte.
 */
static VALUE folder_open(VALUE self, VALUE path) {
    return find(self, path, true);
}

/* find(path): the same without opening. */
static VALUE folder_find(VALUE self, VALUE path) {
    return find(self, path, false);
}

/* same?(path, found): whether the path still leads to what was found, and that did not change. One system call. */
static VALUE folder_same(VALUE self, VALUE path, VALUE found) {
    spate_place now;
    const spate_root *root = root_of(self);
    return RBOOL(spate_look(root, StringValueCStr(path), &now) == 0 && spate_place_same(&now, spate_found_place(found)));
}

/* used(path): the file's time of access is now, its other times stay. Answers whether that could be written. */
static VALUE folder_used(VALUE self, VALUE path) {
    const spate_root *root = root_of(self);
    return RBOOL(spate_used(root, StringValueCStr(path)) == 0);
}

/* beneath?: whether the kernel keeps paths below the folder. */
static VALUE folder_beneath(VALUE self) {
    return RBOOL(root_of(self)->beneath);
}

static VALUE folder_close(VALUE self) {
    spate_root_close(rb_check_typeddata(self, &folder_type));
    return Qnil;
}

void spate_init_folder(VALUE native) {
    VALUE folder = rb_define_class_under(native, "Folder", rb_cObject);
    rb_define_alloc_func(folder, folder_alloc);
    rb_define_method(folder, "initialize", folder_initialize, -1);
    rb_define_method(folder, "path", folder_path, 0);
    rb_define_method(folder, "open", folder_open, 1);
    rb_define_method(folder, "find", folder_find, 1);
    rb_define_method(folder, "same?", folder_same, 2);
    rb_define_method(folder, "used", folder_used, 1);
    rb_define_method(folder, "beneath?", folder_beneath, 0);
    rb_define_method(folder, "close", folder_close, 0);
}

#include "native.h"

#include <errno.h>
#include <string.h>

/* Native::Folder: the root directory of served files. */
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

/*
 * Folder.new(path, beneath = true, links = true). beneath: use openat2. links: follow symbolic links. Raises
 * SystemCallError.
 */
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

/* path: returns the real path, without symbolic links. */
static VALUE folder_path(VALUE self) {
    const spate_root *root = root_of(self);
    return rb_utf8_str_new_cstr(*root->path ? root->path : "/");
}

/* Errors that a client sees as "not found", without further information. */
static bool is_missing(int error) {
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
    if (is_missing(error))
        return ID2SYM(rb_intern("missing"));
    if (error == EACCES || error == EPERM)
        return ID2SYM(rb_intern("forbidden"));
    rb_syserr_fail_str(error, path);
}

/*
 * open(path): returns an open Found, :missing or :forbidden. `path` has no leading slash; "" is the folder itself.
 * Raises SystemCallError for system failures (no descriptors, disk error), ArgumentError for a null byte.
 */
static VALUE folder_open(VALUE self, VALUE path) {
    return find(self, path, true);
}

/* find(path): like open, but does not open the file. */
static VALUE folder_find(VALUE self, VALUE path) {
    return find(self, path, false);
}

/* same?(path, found): whether the path still leads to `found`, with the same size and times. One system call. */
static VALUE folder_same(VALUE self, VALUE path, VALUE found) {
    spate_place now;
    const spate_root *root = root_of(self);
    int error = spate_root_stat(root, StringValueCStr(path), &now);
    return RBOOL(!error && spate_place_same(&now, spate_found_place(found)));
}

/* used(path): sets the file's access time to now, but not its mtime. Returns whether that succeeded. */
static VALUE folder_used(VALUE self, VALUE path) {
    const spate_root *root = root_of(self);
    return RBOOL(spate_root_set_atime(root, StringValueCStr(path)) == 0);
}

/* beneath?: whether openat2 confines paths to the folder. */
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

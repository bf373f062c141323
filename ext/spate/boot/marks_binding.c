#include "native.h"

#include "inputs/look/marks.h"

#include <string.h>

static long count_names(VALUE names) {
    const char *bytes = RSTRING_PTR(names);
    long length = RSTRING_LEN(names);
    long count = 0;
    if (length > 0 && bytes[length - 1] != '\0')
        rb_raise(rb_eArgError, "names: each ends with a NUL");
    for (const char *at = bytes; at < bytes + length; at += strlen(at) + 1)
        count++;
    return count;
}

/*
 * marks(folder, names) -> String, nil if the folder is missing: the current lstat result of each path below the folder,
 * MARK_BYTES bytes for each: type and permissions, size (of folders 0), inode, mtime. names: the relative paths, each
 * followed by a NUL. Equal results: all of these files, links and folders' lists of names are unchanged, as far as
 * times and inodes show. A missing path has zeros.
 */
static VALUE native_marks(VALUE self, VALUE folder, VALUE names) {
    folder = rb_get_path(folder);
    StringValue(names);
    names = rb_str_new_frozen(names);
    VALUE marks = rb_str_new(NULL, count_names(names) * (long)sizeof(spate_mark));
    /* With the GVL: a microsecond a path. The allocation is aligned for any of the marks' numbers. */
    bool found = spate_marks_take(StringValueCStr(folder), RSTRING_PTR(names), (size_t)RSTRING_LEN(names),
                                  (spate_mark *)(void *)RSTRING_PTR(marks));
    RB_GC_GUARD(folder);
    RB_GC_GUARD(names);
    return found ? marks : Qnil;
}

void spate_init_marks(VALUE native) {
    rb_define_const(native, "MARK_BYTES", INT2NUM(sizeof(spate_mark)));
    rb_define_singleton_method(native, "marks", native_marks, 2);
}

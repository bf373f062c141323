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
 * marks(folder, names) -> String, or nil if the folder is missing: the current lstat result of each path below the
 * folder in MARK_BYTES bytes: type and permissions, size (0 for folders), inode, mtime. names: the relative paths, each
 * followed by a NUL. Equal results mean that, judging by times and inodes, these files, links and folder listings are
 * unchanged. A missing path has zeros.
 */
static VALUE native_marks(VALUE self, VALUE folder, VALUE names) {
    folder = rb_get_path(folder);
    StringValue(names);
    names = rb_str_new_frozen(names);
    VALUE marks = rb_str_new(NULL, count_names(names) * (long)sizeof(spate_mark));
    /* Holds the GVL, as each path takes only a microsecond. The allocation is aligned for any field of a mark. */
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

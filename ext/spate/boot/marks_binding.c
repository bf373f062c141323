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
 * marks(folder, names) -> String, or nil if the directory is missing. The String contains MARK_BYTES bytes for each
 * path: type and permissions, size (0 for directories), inode and mtime from lstat, or zeros if it is missing. `names`
 * consists of paths relative to the directory, each followed by a NUL. If two results are equal, these files, links and
 * directory listings are unchanged, as far as times and inodes show.
 */
static VALUE native_marks(VALUE self, VALUE folder, VALUE names) {
    folder = rb_get_path(folder);
    StringValue(names);
    names = rb_str_new_frozen(names);
    VALUE marks = rb_str_new(NULL, count_names(names) * (long)sizeof(spate_mark));
    /* Keeps the GVL, because each path takes only a microsecond. The String's memory is aligned for all fields of a
     * mark. */
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

#include "hpack_binding.h"

VALUE spate_table_array(const spate_hpack_table *table) {
    VALUE entries = rb_ary_new();
    for (uint32_t i = 1; i <= table->count; i++) {
        spate_hpack_field field;
        if (!spate_hpack_table_at(table, SPATE_HPACK_STATIC_ENTRIES + i, &field))
            break;
        rb_ary_push(entries, rb_assoc_new(spate_field_string(field.name, field.name_length),
                                          spate_field_string(field.value, field.value_length)));
    }
    return entries;
}

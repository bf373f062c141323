#include "native.h"

#include "metadata/metadata.h"

#include <ruby/encoding.h>

/*
 * A cache of requirements by their text. They are by far the most frequent objects, and all gems together have few
 * different ones.
 */
static VALUE requirements;
#define REQUIREMENT "Gem::Requirement"

static const char *const styles[] = {[SPATE_NODE_PLAIN] = "plain",
                                     [SPATE_NODE_SINGLE] = "single",
                                     [SPATE_NODE_DOUBLE] = "double",
                                     [SPATE_NODE_LITERAL] = "literal"};

typedef struct reading {
    VALUE text;
    VALUE tagged_class;
    VALUE shared; /* values of all nodes by index, for aliases; nil if there are none */
    const char *bytes;
    spate_metadata metadata;
} reading;

static VALUE convert(reading *r, size_t at);

static VALUE text_of(const reading *r, const spate_node *node) {
    return spate_utf8(r->bytes + node->text, node->text_length);
}

static VALUE convert_map(reading *r, size_t at) {
    size_t end = r->metadata.nodes[at].after;
    VALUE map = rb_hash_new();
    while (++at < end) {
        const spate_node *child = &r->metadata.nodes[at];
        VALUE key = rb_enc_interned_str(r->bytes + child->key, child->key_length, rb_utf8_encoding());
        rb_hash_aset(map, key, convert(r, at));
        at = r->metadata.nodes[at].after - 1;
    }
    return map;
}

static VALUE convert_list(reading *r, size_t at) {
    size_t end = r->metadata.nodes[at].after;
    VALUE list = rb_ary_new_capa(r->metadata.nodes[at].count);
    while (++at < end) {
        rb_ary_push(list, convert(r, at));
        at = r->metadata.nodes[at].after - 1;
    }
    return list;
}

static VALUE make_tagged(reading *r, size_t at) {
    const spate_node *node = &r->metadata.nodes[at];
    VALUE tag = rb_enc_interned_str(r->bytes + node->text, node->text_length, rb_utf8_encoding());
    VALUE fields = convert(r, at + 1);
    return rb_struct_new(r->tagged_class, tag, fields);
}

static VALUE convert_tagged(reading *r, size_t at) {
    const spate_node *node = &r->metadata.nodes[at];
    if (node->shares || node->text_length != sizeof(REQUIREMENT) - 1 ||
        memcmp(r->bytes + node->text, REQUIREMENT, sizeof(REQUIREMENT) - 1) != 0)
        return make_tagged(r, at);
    VALUE source = spate_utf8(r->bytes + node->source, node->source_length);
    VALUE known = rb_hash_lookup(requirements, source);
    if (NIL_P(known))
        rb_hash_aset(requirements, source, known = make_tagged(r, at));
    return known;
}

static VALUE convert_scalar(const reading *r, const spate_node *node) {
    VALUE values[3] = {ID2SYM(rb_intern(styles[node->kind])), text_of(r, node), INT2FIX(node->indent)};
    return rb_yield_values2(3, values);
}

static VALUE convert_node(reading *r, size_t at) {
    const spate_node *node = &r->metadata.nodes[at];
    switch (node->kind) {
    case SPATE_NODE_MAP: return convert_map(r, at);
    case SPATE_NODE_LIST: return convert_list(r, at);
    case SPATE_NODE_TAGGED: return convert_tagged(r, at);
    case SPATE_NODE_ALIAS: return rb_ary_entry(r->shared, node->target);
    case SPATE_NODE_NONE: return Qnil;
    case SPATE_NODE_TRUE: return Qtrue;
    case SPATE_NODE_FALSE: return Qfalse;
    case SPATE_NODE_STRING: return text_of(r, node);
    case SPATE_NODE_SYMBOL: return rb_str_intern(text_of(r, node));
    default: return convert_scalar(r, node);
    }
}

static VALUE convert(reading *r, size_t at) {
    VALUE made = convert_node(r, at);
    if (!NIL_P(r->shared))
        rb_ary_store(r->shared, (long)at, made);
    return made;
}

static VALUE read_body(VALUE argument) {
    reading *r = (reading *)argument;
    spate_status status = spate_metadata_read(r->bytes, (size_t)RSTRING_LEN(r->text), &r->metadata);
    if (status == SPATE_NO_MEMORY)
        rb_memerror();
    if (status != SPATE_OK)
        return Qnil;
    if (r->metadata.nodes[0].shares)
        r->shared = rb_ary_new();
    return convert(r, 0);
}

static VALUE read_end(VALUE argument) {
    spate_metadata_free(&((reading *)argument)->metadata);
    return Qnil;
}

/*
 * metadata(text, tagged) { |style, text, indent| value } -> Hash, Array, String, Symbol, true, false, nil or
 * tagged.new(tag, Hash)
 *
 * Parses a gem's metadata (UTF-8). Returns nil if the text cannot be parsed reliably. The block converts complex
 * scalars: the style is :plain, :single, :double or :literal, and the text is as written, including all its lines.
 * Equal requirements may be the same object.
 */
static VALUE native_metadata(VALUE self, VALUE text, VALUE tagged_class) {
    StringValue(text);
    rb_need_block();
    reading r = {.text = rb_str_new_frozen(text), .tagged_class = tagged_class, .shared = Qnil};
    r.bytes = RSTRING_PTR(r.text);
    VALUE document = rb_ensure(read_body, (VALUE)&r, read_end, (VALUE)&r);
    RB_GC_GUARD(r.text);
    RB_GC_GUARD(r.shared);
    return document;
}

void spate_init_metadata(void) {
    requirements = rb_hash_new();
    rb_gc_register_mark_object(requirements);
    rb_define_singleton_method(spate_native, "metadata", native_metadata, 2);
}

#include "metadata/metadata.h"

#include "metadata/text.h"

#include <stdlib.h>
#include <string.h>

/* The maximum indentation of a collection, in columns. */
#define DEEPEST 16
#define ANCHORS 64
/* The maximum number of keys in a map. It is limited because each key is compared with all previous ones. */
#define KEYS 256
#define TAG "!ruby/object:"

/* An anchor's name, and the index of its node. */
typedef struct anchor {
    spate_span name;
    uint32_t node;
} anchor;

typedef struct reader {
    const char *text;
    const char *end;  /* end of the document */
    const char *line; /* start of the current line; greater than `end` after the last line */
    size_t length;    /* length of that line */
    size_t blank;     /* number of bytes at the line's start to treat as blanks: an outer dash of "- - item" */
    spate_metadata *metadata;
    anchor anchors[ANCHORS];
    size_t anchor_count;
    bool shared; /* the current map contains an anchor or alias */
    bool no_memory;
} reader;

static bool value(reader *r, spate_span rest, int indent);
static bool below(reader *r, int indent);
static bool map(reader *r, int indent);
static bool list(reader *r, int indent);
static bool item(reader *r, int indent);

/* ---- nodes ---- */

static uint32_t offset(const reader *r, const char *at) {
    return (uint32_t)(at - r->text);
}

/* Returns the index of the new node, or UINT32_MAX if out of memory. For a child of a map, the map sets the key. */
static uint32_t add(reader *r, spate_node_kind kind, spate_span text) {
    spate_metadata *m = r->metadata;
    if (m->count == m->capacity) {
        size_t capacity = m->capacity ? 2 * m->capacity : 256;
        spate_node *grown = realloc(m->nodes, capacity * sizeof(*grown));
        if (!grown) {
            r->no_memory = true;
            return UINT32_MAX;
        }
        m->nodes = grown;
        m->capacity = capacity;
    }
    m->nodes[m->count] = (spate_node){.kind = kind,
                                      .text = text.length ? offset(r, text.at) : 0,
                                      .text_length = (uint32_t)text.length,
                                      .after = (uint32_t)m->count + 1};
    return (uint32_t)m->count++;
}

/* Called when all descendants of the node have been added. */
static void close_node(reader *r, uint32_t node) {
    r->metadata->nodes[node].after = (uint32_t)r->metadata->count;
}

static bool leaf(reader *r, spate_node_kind kind, spate_span text) {
    return add(r, kind, text) != UINT32_MAX;
}

static const spate_span nothing = {NULL, 0};

/* ---- lines ---- */

static bool ended(const reader *r) {
    return r->line > r->end; /* `line` may equal `end` if the last line is empty */
}

static void measure_line(reader *r) {
    const char *newline = ended(r) ? NULL : memchr(r->line, '\n', (size_t)(r->end - r->line));
    r->length = ended(r) ? 0 : (size_t)((newline ? newline : r->end) - r->line);
    r->blank = 0;
}

static void advance(reader *r) {
    r->line += r->length + 1;
    measure_line(r);
}

static size_t first_of(const reader *r) {
    size_t at = r->blank;
    while (at < r->length && r->line[at] == ' ')
        at++;
    return at;
}

static bool blank(const reader *r) {
    return first_of(r) == r->length;
}

/* Sets *indent to the number of leading blanks of the current line, or -1 after the last line. Returns false for a
 * blank line. */
static bool indentation(const reader *r, int *indent) {
    *indent = -1;
    if (ended(r))
        return true;
    size_t first = first_of(r);
    if (first == r->length)
        return false;
    *indent = first > INT16_MAX ? INT16_MAX : (int)first;
    return true;
}

/* The rest of the line, starting at a column. */
static spate_span rest_from(const reader *r, size_t column) {
    return column >= r->length ? nothing : (spate_span){r->line + column, r->length - column};
}

static bool dash(const reader *r, int indent) {
    size_t at = (size_t)indent;
    return at < r->length && r->line[at] == '-' && (r->length == at + 1 || r->line[at + 1] == ' ');
}

/* ---- scalars ---- */

static bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the text is like "1.2.3": with more than one dot it is not a number in any version of YAML. */
static bool version(spate_span text) {
    size_t dots = 0;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        bool edge = i == 0 || i + 1 == text.length || text.at[i - 1] == '.';
        if (c == '.' ? edge : !digit(c) && (dots == 0 || !letter(c)))
            return false;
        dots += c == '.';
    }
    return dots > 1;
}

static bool symbol(spate_span text) {
    for (size_t i = 1; i < text.length; i++)
        if (text.at[i] < 'a' || text.at[i] > 'z')
            return false;
    return text.length > 1 && text.at[0] == ':';
}

/* Reads a plain scalar on a single line. */
static bool simple(reader *r, spate_span text) {
    if (spate_span_holds(text, ": ") || text.at[text.length - 1] == ':' || spate_span_holds(text, " #") ||
        text.at[0] == '#')
        return false;
    while (text.at[text.length - 1] == ' ')
        text.length--;
    if ((letter(text.at[0]) || text.at[0] == '_') && !spate_metadata_special(text))
        return leaf(r, SPATE_NODE_STRING, text);
    if (spate_span_is(text, "true") || spate_span_is(text, "false"))
        return leaf(r, text.at[0] == 't' ? SPATE_NODE_TRUE : SPATE_NODE_FALSE, nothing);
    if (version(text))
        return leaf(r, SPATE_NODE_STRING, text);
    if (symbol(text))
        return leaf(r, SPATE_NODE_SYMBOL, (spate_span){text.at + 1, text.length - 1});
    return leaf(r, SPATE_NODE_PLAIN, text);
}

/* Consumes the continuation lines of `first`: blank lines, and lines with more indentation. */
static spate_span continued(reader *r, spate_span first, int indent) {
    const char *end = first.at + first.length;
    while (!ended(r) && (blank(r) || (int)first_of(r) > indent)) {
        end = r->line + r->length;
        advance(r);
    }
    return (spate_span){first.at, (size_t)(end - first.at)};
}

static bool plain(reader *r, spate_span rest, int indent) {
    int next = DEEPEST;
    if ((ended(r) || r->length > 0) && !indentation(r, &next))
        return false;
    return next <= indent ? simple(r, rest) : leaf(r, SPATE_NODE_PLAIN, continued(r, rest, indent));
}

/* Returns the position after the closing quote between `at` and `end`, or NULL if there is none. Sets *odd if it finds
 * a doubled quote or a backslash. */
static const char *closing(const char *at, const char *end, char mark, bool *odd) {
    for (; at < end; at++) {
        if (mark == '"' && *at == '\\') {
            *odd = true;
            at++;
        } else if (*at == mark && mark == '\'' && at + 1 < end && at[1] == mark) {
            *odd = true;
            at++;
        } else if (*at == mark) {
            return at + 1;
        }
    }
    return NULL;
}

/* Reads a quoted scalar. `rest` starts with the quote. The reader has already advanced past that line. */
static bool quoted(reader *r, spate_span rest, int indent) {
    char mark = rest.at[0];
    bool odd = false;
    const char *close = closing(rest.at + 1, r->end, mark, &odd);
    if (!close || (close < r->end && *close != '\n'))
        return false; /* not terminated, or followed by other text */
    bool one_line = close <= rest.at + rest.length;
    while (!ended(r) && r->line < close) {
        if (!blank(r) && (int)first_of(r) <= indent)
            return false;
        advance(r);
    }
    if (one_line && !odd)
        return leaf(r, SPATE_NODE_STRING, (spate_span){rest.at + 1, (size_t)(close - rest.at) - 2});
    spate_span all = {rest.at, (size_t)(close - rest.at)};
    return leaf(r, mark == '\'' ? SPATE_NODE_SINGLE : SPATE_NODE_DOUBLE, all);
}

static bool literal(reader *r, spate_span rest, int indent) {
    uint32_t node = add(r, SPATE_NODE_LITERAL, continued(r, rest, indent));
    if (node == UINT32_MAX)
        return false;
    r->metadata->nodes[node].indent = indent;
    return true;
}

/* ---- tags and anchors ---- */

static bool tagged(reader *r, spate_span rest, int indent) {
    int inner;
    size_t head = sizeof(TAG) - 1;
    if (!spate_span_starts(rest, TAG) || rest.length == head || spate_span_holds(rest, " ") ||
        !indentation(r, &inner) || inner <= indent)
        return false;
    const char *begin = r->line;
    bool before = r->shared;
    r->shared = false;
    uint32_t node = add(r, SPATE_NODE_TAGGED, (spate_span){rest.at + head, rest.length - head});
    if (node == UINT32_MAX || !map(r, inner))
        return false;
    spate_node *made = &r->metadata->nodes[node];
    made->count = 1;
    made->source = offset(r, begin);
    made->source_length = (uint32_t)((ended(r) ? r->end : r->line) - begin);
    made->shares = r->shared;
    close_node(r, node);
    r->shared = r->shared || before;
    return true;
}

/* Whether Psych certainly reads the text as a string, not as a number, date or constant. The latter consist of one line
 * with at most five letters. */
static bool wordy(spate_span text) {
    size_t letters = 0;
    for (size_t i = 0; i < text.length; i++)
        letters += letter(text.at[i]);
    return text.length > 0 && (letter(*text.at) || strchr("_!@#$%^&*(){}<>|/~;=", *text.at)) &&
           !spate_metadata_special(text) && (letters > 5 || !memchr(text.at, '\n', text.length));
}

/* Reads a scalar with the old string mark "! ". Psych may still read it as a number, with either kind of quotes. */
static bool marked(reader *r, spate_span rest, int indent) {
    if (!spate_span_starts(rest, "! '"))
        return tagged(r, rest, indent);
    uint32_t node = (uint32_t)r->metadata->count;
    if (!quoted(r, (spate_span){rest.at + 2, rest.length - 2}, indent))
        return false;
    const spate_node *made = &r->metadata->nodes[node];
    size_t quote = made->kind == SPATE_NODE_SINGLE;
    return wordy((spate_span){r->text + made->text + quote, made->text_length - 2 * quote});
}

static const anchor *anchor_named(const reader *r, spate_span name) {
    for (size_t i = 0; i < r->anchor_count; i++)
        if (r->anchors[i].name.length == name.length && memcmp(r->anchors[i].name.at, name.at, name.length) == 0)
            return &r->anchors[i];
    return NULL;
}

/* Reads "&1 !tag". Psych writes this for a requirement object that occurs twice. */
static bool anchored(reader *r, spate_span rest, int indent) {
    size_t end = 1;
    while (end < rest.length && digit(rest.at[end]))
        end++;
    spate_span name = {rest.at + 1, end - 1};
    spate_span what = {rest.at + end + 1, rest.length > end ? rest.length - end - 1 : 0};
    if (name.length == 0 || what.length == 0 || rest.at[end] != ' ' || what.at[0] != '!' || anchor_named(r, name) ||
        r->anchor_count == ANCHORS)
        return false;
    uint32_t node = (uint32_t)r->metadata->count;
    if (!marked(r, what, indent))
        return false;
    if (anchor_named(r, name) || r->anchor_count == ANCHORS) /* an anchor inside the node may have changed both */
        return false;
    r->anchors[r->anchor_count++] = (anchor){name, node};
    r->shared = true;
    return true;
}

static bool alias(reader *r, spate_span rest) {
    const anchor *found = anchor_named(r, (spate_span){rest.at + 1, rest.length - 1});
    uint32_t node = found ? add(r, SPATE_NODE_ALIAS, nothing) : UINT32_MAX;
    if (node == UINT32_MAX)
        return false;
    r->metadata->nodes[node].target = found->node;
    r->shared = true;
    return true;
}

/* ---- collections ---- */

/* Parses "name:" or "name: rest", starting at a column. */
static bool key_of(const reader *r, int indent, spate_span *key, spate_span *rest) {
    spate_span line = rest_from(r, (size_t)indent);
    size_t end = 0;
    if (line.length == 0 || !letter(line.at[0]))
        return false;
    while (end < line.length && (letter(line.at[end]) || digit(line.at[end]) || strchr("_.-", line.at[end])))
        end++;
    if (end == line.length || line.at[end] != ':')
        return false;
    *key = (spate_span){line.at, end};
    *rest = (spate_span){line.at + end + 1, line.length - end - 1};
    size_t blanks = 0;
    while (blanks < rest->length && rest->at[blanks] == ' ')
        blanks++;
    if (blanks < rest->length && blanks != 1)
        return false;
    *rest = (spate_span){rest->at + blanks, rest->length - blanks};
    return !spate_metadata_special(*key);
}

static bool has_key(const reader *r, uint32_t node, spate_span key) {
    const spate_node *nodes = r->metadata->nodes;
    for (size_t at = node + 1; at < r->metadata->count; at = nodes[at].after)
        if (nodes[at].key_length == key.length && memcmp(r->text + nodes[at].key, key.at, key.length) == 0)
            return true;
    return false;
}

/* Whether the current line is like "- lib/a.rb". Such a name is valid, even if YAML reads it as another type. */
static bool plain_name(const reader *r) {
    spate_span name = rest_from(r, 2);
    if (name.length == 0 || !(letter(*name.at) || digit(*name.at) || strchr("._/", *name.at)))
        return false;
    const char *next = name.at + name.length + 1;
    return !memchr(name.at, ':', name.length) && !memchr(name.at, '#', name.length) &&
           (next >= r->end || (*next != ' ' && *next != '\n'));
}

/* Validates a list of file names, without storing them. All other lists are short. */
static bool list_of_files(reader *r) {
    uint32_t node = add(r, SPATE_NODE_LIST, nothing);
    if (node == UINT32_MAX)
        return false;
    while (dash(r, 0)) {
        if (plain_name(r)) {
            advance(r);
            continue;
        }
        if (!item(r, 0) || r->metadata->nodes[node + 1].kind != SPATE_NODE_STRING)
            return false;
        r->metadata->count = node + 1;
    }
    return true;
}

static bool names_files(const reader *r, spate_span key, int indent) {
    return indent == 0 && dash(r, 0) && (spate_span_is(key, "files") || spate_span_is(key, "test_files"));
}

static bool pair(reader *r, uint32_t node, int indent) {
    spate_span key;
    spate_span rest;
    if (!key_of(r, indent, &key, &rest) || r->metadata->nodes[node].count == KEYS || has_key(r, node, key))
        return false;
    advance(r);
    uint32_t child = (uint32_t)r->metadata->count;
    bool read = rest.length > 0               ? value(r, rest, indent)
                : names_files(r, key, indent) ? list_of_files(r)
                                              : below(r, indent);
    if (!read)
        return false;
    r->metadata->nodes[child].key = offset(r, key.at);
    r->metadata->nodes[child].key_length = (uint32_t)key.length;
    r->metadata->nodes[node].count++;
    return true;
}

static bool map(reader *r, int indent) {
    int found;
    uint32_t node = indent > DEEPEST ? UINT32_MAX : add(r, SPATE_NODE_MAP, nothing);
    if (node == UINT32_MAX)
        return false;
    for (;;) {
        if (!indentation(r, &found))
            return false;
        if (found != indent)
            break;
        if (!pair(r, node, indent))
            return false;
    }
    close_node(r, node);
    return found < indent && r->metadata->nodes[node].count > 0;
}

/* Reads one item of a list. Its dash is at column `indent`. */
static bool item(reader *r, int indent) {
    int inner;
    spate_span rest = rest_from(r, (size_t)indent + 2);
    if (spate_span_starts(rest, "- ")) {
        r->blank = (size_t)indent + 2;
        return list(r, indent + 2);
    }
    if (rest.length > 0 && rest.at[0] == ' ')
        return false;
    advance(r);
    if (rest.length > 0)
        return value(r, rest, indent);
    if (!indentation(r, &inner))
        return false;
    return inner > indent ? below(r, indent) : leaf(r, SPATE_NODE_NONE, nothing);
}

static bool list(reader *r, int indent) {
    int found;
    uint32_t node = indent > DEEPEST ? UINT32_MAX : add(r, SPATE_NODE_LIST, nothing);
    if (node == UINT32_MAX)
        return false;
    for (;;) {
        if (!indentation(r, &found))
            return false;
        if (found != indent || !dash(r, indent))
            break;
        if (!item(r, indent))
            return false;
        r->metadata->nodes[node].count++;
    }
    close_node(r, node);
    return found <= indent;
}

/* Reads the value of a key or dash that has no text after it on its line. */
static bool below(reader *r, int indent) {
    int inner;
    if (!indentation(r, &inner))
        return false;
    if (inner < indent || (inner == indent && !dash(r, inner)))
        return leaf(r, SPATE_NODE_NONE, nothing);
    if (inner == indent)
        return list(r, inner);
    return inner > DEEPEST ? false : dash(r, inner) ? list(r, inner) : map(r, inner);
}

static bool value(reader *r, spate_span rest, int indent) {
    switch (rest.at[0]) {
    case '!': return marked(r, rest, indent);
    case '&': return anchored(r, rest, indent);
    case '*': return alias(r, rest);
    case '"':
    case '\'': return quoted(r, rest, indent);
    case '[': return spate_span_is(rest, "[]") && leaf(r, SPATE_NODE_LIST, nothing);
    case '{': return spate_span_is(rest, "{}") && leaf(r, SPATE_NODE_MAP, nothing);
    case '|': return literal(r, rest, indent);
    default: return plain(r, rest, indent);
    }
}

/* ---- the document ---- */

static const char *end_of(const char *text, size_t length) {
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length >= 4 && memcmp(text + length - 4, "\n...", 4) == 0)
        length -= 4;
    return text + length;
}

static bool document(reader *r) {
    spate_span head = rest_from(r, 0);
    if (!spate_span_starts(head, "--- "))
        return false;
    advance(r);
    return tagged(r, (spate_span){head.at + 4, head.length - 4}, -1) && ended(r);
}

spate_status spate_metadata_read(const char *text, size_t length, spate_metadata *metadata) {
    metadata->count = 0;
    if (length == 0 || length > UINT32_MAX / 2 || !spate_metadata_ordinary(text, length))
        return SPATE_REFUSED;
    reader r = {.text = text, .end = end_of(text, length), .line = text, .metadata = metadata};
    measure_line(&r);
    if (document(&r))
        return SPATE_OK;
    return r.no_memory ? SPATE_NO_MEMORY : SPATE_REFUSED;
}

void spate_metadata_free(spate_metadata *metadata) {
    free(metadata->nodes);
    *metadata = (spate_metadata){0};
}

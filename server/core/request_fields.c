#include "request_fields.h"

#include <string.h>

enum { METHOD = 1, SCHEME = 2, AUTHORITY = 4, PATH = 8 };

static bool is(const uint8_t *bytes, size_t length, const char *word) {
    return length == strlen(word) && memcmp(bytes, word, length) == 0;
}

static bool named(const spate_hpack_field *field, const char *name) {
    return is(field->name, field->name_length, name);
}

static bool is_small(uint8_t c) {
    return c >= 'a' && c <= 'z';
}

static bool is_letter(uint8_t c) {
    return is_small(c) || (c >= 'A' && c <= 'Z');
}

static bool is_digit(uint8_t c) {
    return c >= '0' && c <= '9';
}

/* RFC 9110, section 5.6.2. */
static bool is_token(const uint8_t *bytes, size_t length, bool capitals) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < length; i++) {
        uint8_t c = bytes[i];
        if (is_small(c) || is_digit(c) || (capitals && is_letter(c)))
            continue;
        if (c == 0 || c > 127 || !memchr(others, c, sizeof others - 1))
            return false;
    }
    return length > 0;
}

/* RFC 3986, section 3.1. */
static bool is_scheme(const uint8_t *bytes, size_t length) {
    for (size_t i = 1; i < length; i++)
        if (!is_letter(bytes[i]) && !is_digit(bytes[i]) && bytes[i] != '+' && bytes[i] != '-' && bytes[i] != '.')
            return false;
    return length > 0 && is_letter(bytes[0]);
}

static bool blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

static bool is_value(const uint8_t *bytes, size_t length) {
    if (length && (blank(bytes[0]) || blank(bytes[length - 1])))
        return false;
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == 0 || bytes[i] == '\r' || bytes[i] == '\n')
            return false;
    return true;
}

static const char *take_method(spate_request_fields *fields, const spate_hpack_field *field) {
    if (!is_token(field->value, field->value_length, true))
        return "invalid :method";
    fields->connect = is(field->value, field->value_length, "CONNECT");
    fields->options = is(field->value, field->value_length, "OPTIONS");
    return NULL;
}

static const char *take_path(spate_request_fields *fields, const spate_hpack_field *field) {
    if (field->value_length == 0)
        return ":path is empty";
    fields->asterisk = is(field->value, field->value_length, "*");
    if (field->value[0] != '/' && !fields->asterisk)
        return ":path does not begin with a slash";
    for (size_t i = 0; i < field->value_length; i++)
        if (field->value[i] <= ' ' || field->value[i] == 127)
            return "invalid character in :path";
    return NULL;
}

static const char *take_authority(const spate_hpack_field *field) {
    return field->value_length && memchr(field->value, '@', field->value_length) ? ":authority has a user name" : NULL;
}

static const char *take_pseudo(spate_request_fields *fields, const spate_hpack_field *field) {
    unsigned bit = named(field, ":method")      ? METHOD
                   : named(field, ":scheme")    ? SCHEME
                   : named(field, ":authority") ? AUTHORITY
                   : named(field, ":path")      ? PATH
                                                : 0;
    if (fields->section == SPATE_TRAILERS)
        return "pseudo-header field in trailers";
    if (!bit)
        return "unknown pseudo-header field";
    if (fields->regular)
        return "pseudo-header field after a regular field";
    if (fields->seen & bit)
        return "repeated pseudo-header field";
    fields->seen |= bit;
    switch (bit) {
    case METHOD: return take_method(fields, field);
    case PATH: return take_path(fields, field);
    case AUTHORITY: return take_authority(field);
    default: return is_scheme(field->value, field->value_length) ? NULL : "invalid :scheme";
    }
}

static const char *take_length(spate_request_fields *fields, const spate_hpack_field *field) {
    uint64_t length = 0;
    if (field->value_length == 0 || field->value_length > 18)
        return "content-length is not a number";
    for (size_t i = 0; i < field->value_length; i++) {
        if (field->value[i] < '0' || field->value[i] > '9')
            return "content-length is not a number";
        length = length * 10 + (uint64_t)(field->value[i] - '0');
    }
    if (fields->has_length && fields->content_length != length)
        return "repeated content-length with a different value";
    fields->has_length = true;
    fields->content_length = length;
    return NULL;
}

/* Section 8.2.2 forbids connection-specific fields. */
static const char *take_regular(spate_request_fields *fields, const spate_hpack_field *field) {
    static const char *const connection[] = {"connection", "keep-alive", "proxy-connection", "transfer-encoding",
                                             "upgrade"};
    fields->regular = true;
    if (!is_token(field->name, field->name_length, false)) /* section 8.2.1: lowercase only */
        return "invalid character in a field name";
    for (size_t i = 0; i < sizeof connection / sizeof connection[0]; i++)
        if (named(field, connection[i]))
            return "connection-specific field of HTTP/1.1";
    if (named(field, "te") && !is(field->value, field->value_length, "trailers"))
        return "te has a value other than trailers";
    if (fields->section == SPATE_REQUEST && named(field, "content-length"))
        return take_length(fields, field);
    if (named(field, "priority"))
        spate_priority_read(&fields->priority, field->value, field->value_length);
    return NULL;
}

void spate_request_fields_take(spate_request_fields *fields, const spate_hpack_field *field) {
    if (fields->reason)
        return;
    if (!is_value(field->value, field->value_length))
        fields->reason = "invalid character in a field value";
    else if (field->name_length && field->name[0] == ':')
        fields->reason = take_pseudo(fields, field);
    else
        fields->reason = take_regular(fields, field);
}

/* Checks for missing and contradictory pseudo-header fields: sections 8.3.1 and 8.5. */
void spate_request_fields_end(spate_request_fields *fields) {
    if (fields->reason || fields->section == SPATE_TRAILERS)
        return;
    if (!(fields->seen & METHOD))
        fields->reason = ":method is missing";
    else if (fields->connect && (fields->seen & (SCHEME | PATH)))
        fields->reason = "CONNECT has a scheme or a path";
    else if (fields->connect && !(fields->seen & AUTHORITY))
        fields->reason = "CONNECT has no authority";
    else if (!fields->connect && (fields->seen & (SCHEME | PATH)) != (SCHEME | PATH))
        fields->reason = ":scheme or :path is missing";
    else if (fields->asterisk && !fields->options)
        fields->reason = ":path is * and the method is not OPTIONS";
}

/* Priority parameters: RFC 9218, section 4. */

typedef struct span {
    const uint8_t *at;
    size_t length;
} span;

static span trim(span text) {
    while (text.length && blank(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length && blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

/* Removes the part up to and including `mark` from `rest`, and returns it without the mark. */
static span cut(span *rest, uint8_t mark) {
    const uint8_t *found = rest->length ? memchr(rest->at, mark, rest->length) : NULL;
    size_t length = found ? (size_t)(found - rest->at) : rest->length;
    span part = {rest->at, length};
    rest->at += found ? length + 1 : length;
    rest->length -= found ? length + 1 : length;
    return part;
}

/* Parses one member of the dictionary: "u=5;parameters", "i" or "i=?0". */
static void read_member(spate_priority *priority, span member) {
    span value = trim(cut(&member, ';'));
    span key = cut(&value, '=');
    if (is(key.at, key.length, "u") && value.length == 1 && value.at[0] >= '0' && value.at[0] <= '7')
        priority->urgency = (uint8_t)(value.at[0] - '0');
    else if (is(key.at, key.length, "i") && (value.length == 0 || is(value.at, value.length, "?1")))
        priority->incremental = true;
    else if (is(key.at, key.length, "i") && is(value.at, value.length, "?0"))
        priority->incremental = false;
}

void spate_priority_read(spate_priority *priority, const uint8_t *value, size_t length) {
    span rest = {value, length};
    if (!priority->known)
        *priority = (spate_priority){true, SPATE_URGENCY_DEFAULT, false};
    while (rest.length)
        read_member(priority, cut(&rest, ','));
}

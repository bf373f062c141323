#include "priority.h"

#include <string.h>

typedef struct span {
    const uint8_t *at;
    size_t length;
} span;

static bool blank(uint8_t c) {
    return c == ' ' || c == '\t';
}

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

static bool is(span text, const char *word) {
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

/* Parses one member of the dictionary: "u=5;parameters", "i" or "i=?0". */
static void read_member(spate_priority *priority, span member) {
    span value = trim(cut(&member, ';'));
    span key = cut(&value, '=');
    if (is(key, "u") && value.length == 1 && value.at[0] >= '0' && value.at[0] <= '7')
        priority->urgency = (uint8_t)(value.at[0] - '0');
    else if (is(key, "i") && (value.length == 0 || is(value, "?1")))
        priority->incremental = true;
    else if (is(key, "i") && is(value, "?0"))
        priority->incremental = false;
}

void spate_priority_read(spate_priority *priority, const uint8_t *value, size_t length) {
    span rest = {value, length};
    if (!priority->known)
        *priority = (spate_priority){true, SPATE_URGENCY_DEFAULT, false};
    while (rest.length)
        read_member(priority, cut(&rest, ','));
}

#include "test/harness.h"

#include "metadata/metadata.h"

#define HEAD "--- !ruby/object:Gem::Specification\n"

static spate_metadata found;

static spate_status reading(const char *text) {
    spate_metadata_free(&found);
    return spate_metadata_read(text, strlen(text), &found);
}

static void refuses(const char *text) {
    if (reading(text) != SPATE_REFUSED)
        fprintf(stderr, "read:\n%s", text);
    CHECK_STATUS(SPATE_REFUSED, reading(text));
}

/* Shows the nodes on one line, without the bounds of collections, so that a test's expectation is easy to read. */
static const char *shown(const char *text) {
    static char out[4096];
    static const char *const names[] = {"map",    "list",   "tagged", "alias",  "none",   "true",   "false",
                                        "string", "symbol", "plain",  "single", "double", "literal"};
    size_t used = 0;
    out[0] = '\0';
    CHECK_OK(reading(text));
    for (size_t i = 0; i < found.count; i++) {
        const spate_node *node = &found.nodes[i];
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%.*s%s%s", used ? " " : "", (int)node->key_length,
                                 text + node->key, node->key_length ? "=" : "", names[node->kind]);
        if (node->text_length)
            used +=
                (size_t)snprintf(out + used, sizeof out - used, "(%.*s)", (int)node->text_length, text + node->text);
        CHECK(node->after > i && node->after <= found.count && used < sizeof out);
    }
    return out;
}

#define ROOT "tagged(Gem::Specification) map "

TEST(collections_nest) {
    CHECK_STRING(ROOT "a=list list string(x) string(w) b=map c=list d=none e=list f=map",
                 shown(HEAD "a:\n- - x\n  - w\nb:\n  c: []\n  d:\ne: []\nf: {}\n"));
    CHECK_STRING(ROOT "a=list list string(x) none list map b=string(w)",
                 shown(HEAD "a:\n- - x\n-\n-\n  -\n    b: w\n"));
    CHECK_STRING(ROOT "v=tagged(Gem::Version) map version=string(a)",
                 shown(HEAD "v: !ruby/object:Gem::Version\n  version: ! 'a'\n"));
}

TEST(scalars_are_distinguished) {
    CHECK_STRING(ROOT "a=string(two words) b=string(1.2.3) c=symbol(runtime) d=true e=false f=none",
                 shown(HEAD "a: two words  \nb: 1.2.3\nc: :runtime\nd: true\ne: false\nf: \n"));
    CHECK_STRING(ROOT "a=plain(1.2) b=plain(4) c=plain(yes) d=plain(~> 1) e=plain(:Odd) f=plain(-x)",
                 shown(HEAD "a: 1.2\nb: 4\nc: yes\nd: ~> 1\ne: :Odd\nf: -x\n"));
    CHECK_STRING(ROOT "a=string(it is) b=single('it''s') c=string(x: y #) d=double(\"a\\n\")",
                 shown(HEAD "a: 'it is'\nb: 'it''s'\nc: \"x: y #\"\nd: \"a\\n\"\n"));
    CHECK_STRING(ROOT
                 "a=plain(one\n  two\n\n  three) b=single('one\n  two') c=literal(|-\n  one\n\n   two) d=string(x)",
                 shown(HEAD "a: one\n  two\n\n  three\nb: 'one\n  two'\nc: |-\n  one\n\n   two\nd: x\n"));
}

TEST(non_specific_tags) {
    CHECK_STRING(ROOT "a=string(>=) b=string(~>) c=string(%w: x) d=single('it''s') e=single('two\n  lines')",
                 shown(HEAD "a: ! '>='\nb: ! '~>'\nc: ! '%w: x'\nd: ! 'it''s'\ne: ! 'two\n  lines'\n"));
}

TEST(alias_refers_to_its_anchor) {
    CHECK_STRING(ROOT "a=tagged(X) map b=string(c) d=alias",
                 shown(HEAD "a: &12345678 !ruby/object:X\n  b: c\nd: *12345678\n"));
    CHECK_NUMBER(2, found.nodes[5].target);
    CHECK(found.nodes[0].shares && !found.nodes[2].shares);
    refuses(HEAD "a: *1\n");
    refuses(HEAD "a: &1 !ruby/object:X\n  b: *1\n");
    refuses(HEAD "a: &x !ruby/object:X\n  b: c\n");
    refuses(HEAD "a: &1 x\n");
    refuses(HEAD "a: &1 !ruby/object:X\n  b: c\nd: &1 !ruby/object:X\n  b: c\n");
}

TEST(the_source_of_a_tagged_map_is_its_lines) {
    const char *text = HEAD "a: !ruby/object:X\n  b: c\n  d: e\nf: g\n";
    CHECK_OK(reading(text));
    CHECK_NUMBER(14, found.nodes[2].source_length);
    CHECK_BYTES("  b: c\n  d: e\n", text + found.nodes[2].source, 14);
}

TEST(lists_of_files_are_skipped) {
    CHECK_STRING(ROOT "files=list a=string(b) test_files=list",
                 shown(HEAD "files:\n- a/b.rb\n- .x\n- 404.html\n- '@'\n- \"[x]\"\na: b\ntest_files:\n- c d\n"));
    CHECK_STRING(ROOT "files=list a=map files=list string(b)", shown(HEAD "files: \n- a\na:\n  files:\n  - b\n"));
    static const char *const odd[] = {"&x y", "*y",   "x: y", "- x",     "x\n  y", "[x",
                                      "\"",   "!x y", ":x",   "\"\\q\"", "@x",     ""};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char text[100];
        snprintf(text, sizeof text, HEAD "files:\n- a\n- %s\n- b\n", odd[i]);
        refuses(text);
    }
    refuses(HEAD "files:\n- a\nfiles:\n- b\n");
    refuses(HEAD "files:\n- a\n b: c\n");
}

TEST(uncertain_text_is_refused) {
    static const char *const texts[] = {
        "",
        "\n",
        "a: b\n",
        "---\na: b\n",
        "--- !ruby/object:Gem::Specification",
        "--- !ruby/object:Gem Specification\na: b\n",
        HEAD,
        HEAD "- a\n",
        HEAD "a b\n",
        HEAD "a:b\n",
        HEAD "a:  b\n",
        HEAD "a: b\na: c\n",
        HEAD "yes: b\n",
        HEAD "1a: b\n",
        HEAD "a: b: c\n",
        HEAD "a: b:\n",
        HEAD "a: b #c\n",
        HEAD "a: #c\n",
        HEAD "a: [b]\n",
        HEAD "a: {b: c}\n",
        HEAD "a: !x b\n",
        HEAD "a: !ruby/object:X\nb: c\n",
        HEAD "a: 'b\n",
        HEAD "a: ! '0'\n",
        HEAD "a: ! 'yes'\n",
        HEAD "a: ! ''\n",
        HEAD "a: ! '~'\n",
        HEAD "a: ! '1\n  x'\n",
        HEAD "a: ! \"b\"\n",
        HEAD "a: 'b' c\n",
        HEAD "a: 'b\nc'\n",
        HEAD "a: \"b\\\"\n",
        HEAD "a:\n  b: c\n d: e\n",
        HEAD "a:\n-  b\n",
        HEAD "a: b\n \nc: d\n",
        HEAD "                 a: b\n",
        HEAD "a: b\tc\n",
        HEAD "a: b\rc\n",
        HEAD "a: \x7f\n",
        HEAD "a: \xc2\x85\n",
        HEAD "a: \xe2\x80\xa8\n",
        HEAD "a: \xef\xbb\xbf\n",
        HEAD "a: \xed\xa0\x80\n",
        HEAD "a: \xc0\xaf\n",
        HEAD "a: \xf4\x90\x80\x80\n",
        HEAD "a: \xe2\x82",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuses(texts[i]);
}

TEST(non_ascii_text_is_accepted) {
    CHECK_STRING(ROOT "a=string(gr\xc3\xbc\xc3\x9f"
                      "e) b=plain(\xe2\x82\xac) c=string(x\xf0\x9f\x8c\x8a)",
                 shown(HEAD "a: gr\xc3\xbc\xc3\x9f"
                            "e\nb: \xe2\x82\xac\nc: x\xf0\x9f\x8c\x8a\n...\n"));
}

/* The reader compares a map's keys with each other, so a gem with a million keys must not be able to take hours. */
TEST(maps_with_too_many_keys_are_refused) {
    static char text[16 + sizeof HEAD + 1000 * 8];
    for (int keys = 1; keys <= 1000; keys *= 10) {
        int at = snprintf(text, sizeof text, HEAD);
        for (int i = 0; i < keys; i++)
            at += snprintf(text + at, sizeof text - at, "k%d: a\n", i);
        CHECK_STATUS(keys < 1000 ? SPATE_OK : SPATE_REFUSED, spate_metadata_read(text, (size_t)at, &found));
    }
}

TEST(without_memory_nothing_is_read) {
    spate_metadata_free(&found);
    harness_fail_allocation(0);
    CHECK_STATUS(SPATE_NO_MEMORY, spate_metadata_read(HEAD "a: b\n", sizeof HEAD + 4, &found));
    harness_fail_allocation(-1);
}

/* Tries every prefix and every text with one changed byte. The reader must stop at the end of the text, which has no
 * NUL there. */
TEST(cut_and_changed_texts_are_read_or_refused) {
    static const char text[] = HEAD "name: a\nversion: !ruby/object:Gem::Version\n  version: '1'\nfiles:\n- a\n- b\n"
                                    "b: &1 !ruby/object:X\n  c:\n  - - \">=\"\n    - \"a\\\"\n      b\"\nd: *1\n"
                                    "e: |-\n  x\n\n  y\nf: one\n  two\ng: ! 'x'\nh: \xc3\xbc\n";
    static const char marks[] = "\n :-'\"\\!&*|#[{~\x80\xff";
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = malloc(length + 1); /* one spare byte avoids malloc(0) */
        memcpy(copy + 1, text, length);
        spate_metadata_free(&found);
        spate_status status = spate_metadata_read(copy + 1, length, &found);
        CHECK(status == SPATE_OK || status == SPATE_REFUSED);
        for (size_t i = 0; length > 0 && i < sizeof marks - 1; i++) {
            copy[length] = marks[i];
            spate_metadata_free(&found);
            status = spate_metadata_read(copy + 1, length, &found);
            CHECK(status == SPATE_OK || status == SPATE_REFUSED);
        }
        free(copy);
    }
    spate_metadata_free(&found);
}

#include "front/warm/kind.h"

#include "front/exec/environment_block.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define NAME LETTERS "0123456789_"

static bool is(const char *word, const char *other) {
    return strcmp(word, other) == 0;
}

static bool begins_with(const char *word, const char *beginning) {
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (is(word, *words))
            return true;
    return false;
}

/* Like Boot::Switches.on?. */
static bool is_on(char *const *environment, const char *name) {
    const char *value = spate_variable(environment, name);
    return value && !is(value, "") && !is(value, "0") && !is(value, "false");
}

static bool has(char *const *environment, const char *name, const char *value) {
    const char *found = spate_variable(environment, name);
    return found && is(found, value);
}

static bool is_turned_off(char *const *environment) {
    return has(environment, "SPATE_WARM", "0") || has(environment, "SPATE_BOOT", "0") ||
           has(environment, "SPATE_LEAN", "0") || spate_variable(environment, "SPATE_NODE_MODULES") ||
           is_on(environment, "CI") || has(environment, "RAILS_ENV", "production") ||
           has(environment, "RACK_ENV", "production");
}

/* Whether Rake would set an environment variable because of this word. It does so, before it loads the application, for
 * each word that has a line of this form. */
static bool sets_variable(const char *word) {
    for (;;) {
        size_t name = strspn(word, NAME);
        if (name > 0 && word[name] == '=')
            return true;
        word += strcspn(word, "\n");
        if (*word == '\0')
            return false;
        word++;
    }
}

/* Whether Rails runs this task in the test environment. */
static bool is_test_task(const char *word) {
    return is(word, "default") || is(word, "test") || begins_with(word, "test:") || begins_with(word, "test[");
}

static const char *first_operand(char *const *words) {
    for (; *words && !is(*words, "--"); words++)
        if (**words != '-')
            return *words;
    return NULL;
}

/* Sets *fallback to the environment that Rails uses if no variable is set. Returns false if the words may select
 * another one. */
static bool read_rails(char *const *words, const char **fallback) {
    static const char *const others[] = {"new", "plugin", "--version", "-v", "--help", "-h", NULL};
    const char *first = first_operand(words);
    if (!*words || is_one_of(*words, others))
        return false;
    bool test = first && (is(first, "t") || is(first, "test") || begins_with(first, "test:"));
    *fallback = test ? "test" : "development";
    for (; *words && !is(*words, "--"); words++)
        if (begins_with(*words, "-e") || begins_with(*words, "--environment") || sets_variable(*words) ||
            (!test && is_test_task(*words)))
            return false;
    return true;
}

static bool read_rake(char *const *words, const char **fallback) {
    static const char *const listing[] = {"-T", "--tasks", "-P", "--prereqs", "-D", "--describe", NULL};
    bool named = first_operand(words) != NULL;
    *fallback = "development";
    for (; *words; words++) {
        named = named || is_one_of(*words, listing);
        if (sets_variable(*words) || is_test_task(*words))
            return false;
    }
    return named;
}

static bool read_rspec(char *const *words, const char **fallback) {
    (void)words;
    *fallback = "test";
    return true;
}

static const char *base_name(const char *program) {
    const char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

static bool read_words(char *const *program, const char **fallback) {
    static const struct {
        const char *name;
        bool (*read)(char *const *words, const char **fallback);
    } programs[] = {{"rails", read_rails}, {"rake", read_rake}, {"rspec", read_rspec}};
    for (size_t at = 0; at < sizeof(programs) / sizeof(*programs); at++)
        if (is(base_name(program[0]), programs[at].name))
            return programs[at].read(program + 1, fallback);
    return false;
}

/* Returns NULL if the environment is uncertain. Test programs set RAILS_ENV unless it is set, regardless of
 * RACK_ENV. */
static const char *environment_name(char *const *environment, const char *fallback) {
    const char *rails = spate_variable(environment, "RAILS_ENV");
    const char *rack = spate_variable(environment, "RACK_ENV");
    if (rails)
        return rails;
    if (rack && is(fallback, "test") && !is(rack, fallback))
        return NULL;
    return rack ? rack : fallback;
}

/* For commands of Rails that define Rails::Console and Rails::Server before they load the application. */
static const char *suffix_of(char *const *program) {
    const char *command = is(base_name(program[0]), "rails") ? program[1] : NULL;
    if (command && (is(command, "console") || is(command, "c")))
        return " console";
    return command && (is(command, "server") || is(command, "s")) ? " server" : "";
}

bool spate_warm_kind(char *const *program, char *const *environment, char kind[SPATE_WARM_KIND_MAX]) {
    const char *fallback;
    if (!read_words(program, &fallback) || is_turned_off(environment))
        return false;
    const char *name = environment_name(environment, fallback);
    if (!name || !*name || name[strspn(name, NAME "-")])
        return false;
    int length = snprintf(kind, SPATE_WARM_KIND_MAX, "application %s%s", name, suffix_of(program));
    return length > 0 && length < SPATE_WARM_KIND_MAX;
}

bool spate_warm_program_of(const char *program, const char *folder) {
    const char *slash = strrchr(program, '/');
    if (!slash)
        return true;
    size_t length = strlen(folder);
    if (begins_with(program, "./"))
        program += strlen("./");
    else if (*program == '/' && begins_with(program, folder) && program[length] == '/')
        program += length + 1;
    return slash - program == (ptrdiff_t)strlen("bin") && begins_with(program, "bin/");
}

#include "front/exec/exec.h"

#include "front/exec/expand_path.h"
#include "front/exec/heap.h"
#include "front/hand_over.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* These constants must match Boot::Exec::Children. */
#define CHILDREN "/spate/boot/exec/children/bundler/setup"
#define CHILDREN_RUBY "SPATE_RUBY"
/* The variable of Util::SigningKey. It is not passed on to any program. */
#define SIGNING_KEY "SPATE_CACHE_KEY"
#define MODULES "SPATE_NODE_MODULES"
/* Up to three variables are added besides those for the heap: the Gemfile, SPATE_VERBOSE and Ruby's description. */
#define ADDED (3 + SPATE_HEAP_VARIABLES)

static bool takes_operand(const char *word) {
    static const char *const words[] = {"-e", "-I", "-C", "-E", "-F"};
    for (size_t at = 0; at < sizeof(words) / sizeof(*words); at++)
        if (strcmp(word, words[at]) == 0)
            return true;
    return false;
}

static bool special(const char *word) {
    static const char *const lengthy[] = {"--disable", "--enable", "--parser"};
    for (size_t at = 0; at < sizeof(lengthy) / sizeof(*lengthy); at++)
        if (strncmp(word, lengthy[at], strlen(lengthy[at])) == 0)
            return true;
    size_t letters = strspn(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    for (size_t at = 1; at <= letters; at++)
        if (strchr("Srx", word[at]))
            return true;
    return false;
}

bool spate_plain_ruby_words(char *const *words) {
    while (*words && **words == '-') {
        const char *word = *words++;
        if (special(word))
            return false;
        if (takes_operand(word) && *words)
            words++;
    }
    return true;
}

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text);
    size_t bytes = strlen(ending);
    return length >= bytes && memcmp(text + length - bytes, ending, bytes) == 0;
}

static bool is_program(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* Like Program.find: looks for the program relative to the working directory, then in PATH. Returns false if it is not
 * found, or in unusual cases. */
static bool find_program(const char *name, const char *path, char found[PATH_MAX]) {
    if (is_program(name)) {
        if (strlen(name) + strlen("./") >= PATH_MAX)
            return false;
        /* Ruby's error messages start with this path, so it must be the same. */
        strcpy(found, *name == '/' ? "" : "./");
        strcat(found, name);
        return true;
    }
    for (const char *folder = path ? path : ""; *folder;) {
        size_t length = strcspn(folder, ":");
        char place[PATH_MAX];
        if (length >= sizeof(place) || *folder != '/' || memchr(folder, '"', length))
            return false;
        memcpy(place, folder, length);
        place[length] = '\0';
        if (!spate_expand_path(name, place, found))
            return false;
        if (is_program(found))
            return true;
        folder += length;
        folder += *folder == ':';
    }
    return false;
}

/* Whether the name refers to the launcher's Ruby. Sets `found` to the path under which it is started. */
static bool is_own_ruby(const spate_launcher *launcher, const char *name, const char *path, char found[PATH_MAX]) {
    const char *slash = strrchr(launcher->ruby, '/');
    char real[PATH_MAX];
    if (!slash || !(strcmp(name, "ruby") == 0 || ends_with(name, "/ruby") || ends_with(name, slash + 1)))
        return false;
    return find_program(name, path, found) && realpath(found, real) && strcmp(real, launcher->ruby) == 0;
}

static bool is_off(char *const *environment, const char *name) {
    const char *value = spate_variable(environment, name);
    return value && strcmp(value, "0") == 0;
}

/* Whether Ruby has to handle the command: for node_modules, or if features are turned off. */
static bool unusual(char *const *environment) {
    struct stat info;
    return is_off(environment, "SPATE_BOOT") || is_off(environment, "SPATE_LEAN") ||
           spate_variable(environment, MODULES) || stat("package.json", &info) == 0;
}

/* Sets BUNDLE_GEMFILE like Exec.name_gemfile. */
static bool name_gemfile(spate_environment *copy, const char *given, char *const *environment) {
    const char *path = given ? given : spate_variable(environment, "BUNDLE_GEMFILE");
    char folder[PATH_MAX];
    char expanded[PATH_MAX];
    if (!path || !*path)
        return true;
    if (*path != '/' && !getcwd(folder, sizeof(folder)))
        return false;
    return spate_expand_path(path, *path == '/' ? "/" : folder, expanded) &&
           spate_environment_set(copy, "BUNDLE_GEMFILE", expanded);
}

bool spate_exec_environment(spate_environment *copy, const spate_exec_request *request) {
    const spate_arguments *read = request->read;
    if (!spate_environment_copy(copy, request->environment, ADDED))
        return false;
    spate_environment_unset(copy, SIGNING_KEY);
    if (name_gemfile(copy, read->gemfile, request->environment) &&
        (!read->verbose || spate_environment_set(copy, "SPATE_VERBOSE", "1")))
        return true;
    free(copy->entries);
    return false;
}

/* Returns [path, --disable-gems, -r.../children/bundler/setup, words...], or NULL if out of memory. */
static const char **command(const char *path, const char *library, char *const *words) {
    size_t count = 0;
    while (words[count])
        count++;
    size_t bytes = strlen("-r") + strlen(library) + sizeof(CHILDREN);
    const char **made = malloc((count + 4) * sizeof(*made));
    char *hook = malloc(bytes);
    if (!made || !hook)
        return NULL;
    (void)snprintf(hook, bytes, "-r%s%s", library, CHILDREN);
    made[0] = path;
    made[1] = "--disable-gems";
    made[2] = hook;
    memcpy(made + 3, words, (count + 1) * sizeof(*made));
    return made;
}

/* Replaces the process with the launcher's Ruby. Returns on failure. */
static void run_ruby(const spate_launcher *launcher, const spate_arguments *read, const char *library,
                     spate_environment *copy, const char *found) {
    struct sigaction ordinary = {.sa_handler = SIG_DFL};
    struct sigaction before;
    const char **words = command(found, library, read->program + 1);
    if (!words || !spate_environment_set(copy, CHILDREN_RUBY, launcher->description) ||
        sigaction(SIGINT, &ordinary, &before) != 0)
        return;
    (void)execve(launcher->ruby, (char *const *)words, copy->entries);
    (void)sigaction(SIGINT, &before, NULL);
}

void spate_exec(const spate_launcher *launcher, const spate_exec_request *request) {
    const spate_arguments *read = request->read;
    char found[PATH_MAX];
    spate_environment copy;
    if (unusual(request->environment) || !spate_exec_environment(&copy, request))
        return;
    if (spate_plain_ruby_words(read->program + 1) &&
        is_own_ruby(launcher, read->program[0], spate_variable(request->environment, "PATH"), found))
        run_ruby(launcher, read, request->library, &copy, found);
    else if (spate_heap_settings(launcher, request->version, read->program, &copy))
        (void)spate_hand_over(launcher->path, request->argv, copy.entries);
}

#include "test/harness.h"

#include "front/warm/kind.h"

static char kind[SPATE_WARM_KIND_MAX];

/* Returns "" for a command without a kind. */
static const char *kind_in(char *const *environment, char *const *program) {
    return spate_warm_kind(program, environment, kind) ? kind : "";
}

#define WORDS(...) ((char *const[]){__VA_ARGS__, NULL})
#define NONE ((char *const[]){NULL})
#define KIND(...) kind_in(NONE, WORDS(__VA_ARGS__))

TEST(programs_have_an_environment) {
    CHECK_STRING("application development", KIND("rails", "runner", "1"));
    CHECK_STRING("application development", KIND("bin/rails", "-x", "console"));
    CHECK_STRING("application development console", KIND("bin/rails", "c"));
    CHECK_STRING("application development server", KIND("rails", "server", "-p", "3001"));
    CHECK_STRING("application development", KIND("rake", "console"));
    CHECK_STRING("application development", KIND("/app/bin/rake", "db:migrate"));
    CHECK_STRING("application development", KIND("rake", "-T"));
    CHECK_STRING("application test", KIND("rspec"));
    CHECK_STRING("application test", KIND("rspec", "-e", "name"));
}

TEST(tests_of_rails_are_in_the_test_environment) {
    CHECK_STRING("application test", KIND("rails", "test", "test/a_test.rb"));
    CHECK_STRING("application test", KIND("rails", "t"));
    CHECK_STRING("application test", KIND("rails", "--verbose", "test:system"));
    CHECK_STRING("application development", KIND("rails", "testing"));
}

TEST(other_programs_have_no_parent) {
    CHECK_STRING("", KIND("ruby", "-e", "1"));
    CHECK_STRING("", KIND("rails3", "console"));
    CHECK_STRING("", KIND("rails/", "console"));
    CHECK_STRING("", KIND(""));
}

TEST(commands_without_an_application_have_no_parent) {
    CHECK_STRING("", KIND("rails"));
    static char *const words[] = {"new", "plugin", "-v", "--version", "-h", "--help"};
    for (size_t at = 0; at < sizeof(words) / sizeof(*words); at++)
        CHECK_STRING("", KIND("rails", words[at], "x"));
    CHECK_STRING("application development", KIND("rails", "generate", "plugin"));
}

TEST(arguments_that_choose_the_environment_are_unsupported) {
    CHECK_STRING("", KIND("rails", "console", "-e", "test"));
    CHECK_STRING("", KIND("rails", "console", "-etest"));
    CHECK_STRING("", KIND("rails", "runner", "1", "--environment=test"));
    CHECK_STRING("", KIND("rails", "db:migrate", "RAILS_ENV=test"));
    CHECK_STRING("", KIND("rake", "db:migrate", "RAILS_ENV=production"));
    CHECK_STRING("", KIND("rake", "db:migrate", "x\nVERSION=1"));
    CHECK_STRING("", KIND("rails", "db:reset", "test"));
    CHECK_STRING("application development", KIND("rails", "runner", "p ARGV", "--", "-e", "A=1"));
    CHECK_STRING("application development", KIND("rails", "runner", "a = 1; b==2"));
}

/* Rake runs these tasks in the test environment unless RAILS_ENV is set. */
TEST(tests_of_rake_are_unsupported) {
    CHECK_STRING("", KIND("rake"));
    CHECK_STRING("", KIND("rake", "-q"));
    CHECK_STRING("", KIND("rake", "db:seed", "test"));
    CHECK_STRING("", KIND("rake", "test[a]"));
    CHECK_STRING("", KIND("rake", "test:models"));
    CHECK_STRING("", KIND("rake", "default"));
}

TEST(variables_name_the_environment) {
    char *const *runner = WORDS("rails", "runner", "1");
    char *const *tests = WORDS("rspec", "spec");
    CHECK_STRING("application staging", kind_in(WORDS("RAILS_ENV=staging", "RACK_ENV=test"), runner));
    CHECK_STRING("application staging", kind_in(WORDS("RACK_ENV=staging"), runner));
    CHECK_STRING("application development", kind_in(WORDS("RAILS_ENV=development"), tests));
    CHECK_STRING("application test", kind_in(WORDS("RACK_ENV=test"), tests));
    CHECK_STRING("", kind_in(WORDS("RACK_ENV=development"), tests));
    CHECK_STRING("", kind_in(WORDS("RAILS_ENV="), runner));
    CHECK_STRING("", kind_in(WORDS("RACK_ENV="), runner));
    CHECK_STRING("", kind_in(WORDS("RAILS_ENV=a b"), runner));
    char name[SPATE_WARM_KIND_MAX + 16] = "RAILS_ENV=";
    memset(name + strlen(name), 'x', SPATE_WARM_KIND_MAX);
    CHECK_STRING("", kind_in(WORDS(name), runner));
}

TEST(no_warm_parent_in_production_and_ci) {
    char *const *runner = WORDS("rails", "runner", "1");
    static char *const off[] = {"RAILS_ENV=production", "RACK_ENV=production", "CI=true",
                                "SPATE_WARM=0",         "SPATE_BOOT=0",        "SPATE_LEAN=0",
                                "SPATE_NODE_MODULES=/x"};
    for (size_t at = 0; at < sizeof(off) / sizeof(*off); at++)
        CHECK_STRING("", kind_in(WORDS(off[at], "RAILS_ENV=test"), runner));
    static char *const on[] = {"CI=", "CI=0", "CI=false", "SPATE_WARM=1", "SPATE_BOOT=1"};
    for (size_t at = 0; at < sizeof(on) / sizeof(*on); at++)
        CHECK_STRING("application development", kind_in(WORDS(on[at]), runner));
}

TEST(a_program_is_of_the_folder) {
    CHECK(spate_warm_program_of("rails", "/app"));
    CHECK(spate_warm_program_of("bin/rails", "/app") && spate_warm_program_of("./bin/rails", "/app"));
    CHECK(spate_warm_program_of("/app/bin/rails", "/app"));
    CHECK(!spate_warm_program_of("/app/bin/rails", "/app/sub") && !spate_warm_program_of("/app/bin/rails", "/ap"));
    CHECK(!spate_warm_program_of("/application/bin/rails", "/app"));
    CHECK(!spate_warm_program_of("../bin/rails", "/app") && !spate_warm_program_of("bin/../bin/rails", "/app"));
    CHECK(!spate_warm_program_of("/rails", "/app") && !spate_warm_program_of("./rails", "/app"));
}

#include "test/harness.h"

#include "front/arguments.h"

#include <string.h>

#define READ(...) spate_read_arguments((char *const[]){"spate", __VA_ARGS__, NULL})

TEST(commands_are_known_by_every_name) {
    CHECK(READ("version").task == SPATE_TASK_VERSION && READ("-v").task == SPATE_TASK_VERSION);
    CHECK(READ("--version").task == SPATE_TASK_VERSION && READ("check").task == SPATE_TASK_CHECK);
    CHECK(READ("install").task == SPATE_TASK_INSTALL && READ("i").task == SPATE_TASK_INSTALL);
    CHECK(READ("help").task == SPATE_TASK_RUBY && READ("").task == SPATE_TASK_RUBY &&
          READ("-").task == SPATE_TASK_RUBY);
}

TEST(no_words_are_for_ruby) {
    CHECK(spate_read_arguments((char *const[]){NULL}).task == SPATE_TASK_RUBY);
    CHECK(spate_read_arguments((char *const[]){"spate", NULL}).task == SPATE_TASK_RUBY);
}

TEST(options_of_install_are_read_in_every_spelling) {
    spate_arguments read = READ("install", "-q", "--json", "--frozen", "-j4", "--jobs", "2", "-j=1", "--retry=0",
                                "--no-cache", "--gemfile", "--no-prune", "a/Gemfile");
    CHECK(read.task == SPATE_TASK_INSTALL && read.quiet && read.json);
    CHECK_STRING("a/Gemfile", read.gemfile);
    CHECK_STRING("b", READ("check", "--gemfile=b").gemfile);
}

TEST(invalid_words_are_for_ruby) {
    CHECK(READ("install", "--jobs", "0").task == SPATE_TASK_RUBY && READ("install", "-j").task == SPATE_TASK_RUBY);
    CHECK(READ("install", "--jobs=1234567890").task == SPATE_TASK_RUBY);
    CHECK(READ("install", "--retry", "x").task == SPATE_TASK_RUBY &&
          READ("install", "--quiet=1").task == SPATE_TASK_RUBY);
    CHECK(READ("install", "-qj").task == SPATE_TASK_RUBY && READ("install", "--help").task == SPATE_TASK_RUBY);
    CHECK(READ("install", "rails").task == SPATE_TASK_RUBY &&
          READ("install", "--gemfile", "-q").task == SPATE_TASK_RUBY);
    CHECK(READ("check", "--frozen").task == SPATE_TASK_RUBY && READ("version", "--no-cache").task == SPATE_TASK_RUBY);
    CHECK(READ("install", "--", "x").task == SPATE_TASK_RUBY && READ("install", "--gemfile=").task == SPATE_TASK_RUBY);
}

TEST(the_program_of_exec_begins_behind_its_options) {
    spate_arguments read = READ("exec", "--verbose", "--gemfile", "g", "--verbose", "ruby");
    CHECK(read.task == SPATE_TASK_EXEC && read.verbose);
    CHECK_STRING("g", read.gemfile);
    CHECK_STRING("--verbose", read.program[0]);
    read = READ("e", "--gemfile=g", "--keep-file-descriptors", "--", "--odd");
    CHECK_STRING("--odd", read.program[0]);
    CHECK(READ("exec").task == SPATE_TASK_RUBY && READ("exec", "--").task == SPATE_TASK_RUBY);
    CHECK(READ("exec", "--no-keep-file-descriptors", "ruby").task == SPATE_TASK_RUBY);
}

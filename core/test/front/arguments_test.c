#include "test/harness.h"

#include "front/arguments.h"

#include <string.h>

#define READ(...) spate_read_arguments((char *const[]){"spate", __VA_ARGS__, NULL})

TEST(commands_are_known_by_every_name) {
    CHECK(READ("version").task == SPATE_TASK_VERSION && READ("-v").task == SPATE_TASK_VERSION);
    CHECK(READ("--version", "--json").json && !READ("version", "--quiet", "-q", "--no-color").json);
    CHECK(READ("install").task == SPATE_TASK_RUBY && READ("").task == SPATE_TASK_RUBY &&
          READ("-").task == SPATE_TASK_RUBY);
}

TEST(empty_arguments_are_left_to_ruby) {
    CHECK(spate_read_arguments((char *const[]){NULL}).task == SPATE_TASK_RUBY);
    CHECK(spate_read_arguments((char *const[]){"spate", NULL}).task == SPATE_TASK_RUBY);
}

TEST(invalid_arguments_are_left_to_ruby) {
    CHECK(READ("version", "--no-cache").task == SPATE_TASK_RUBY && READ("version", "x").task == SPATE_TASK_RUBY);
    CHECK(READ("version", "--json=1").task == SPATE_TASK_RUBY && READ("version", "--").task == SPATE_TASK_RUBY);
    CHECK(READ("exec", "--gemfile").task == SPATE_TASK_RUBY && READ("exec", "--gemfile=").task == SPATE_TASK_RUBY);
    CHECK(READ("exec", "--gemfile", "-q", "x").task == SPATE_TASK_RUBY);
}

TEST(program_of_exec_follows_its_options) {
    spate_arguments read = READ("exec", "--verbose", "--gemfile", "g", "--verbose", "ruby");
    CHECK(read.task == SPATE_TASK_EXEC && read.verbose);
    CHECK_STRING("g", read.gemfile);
    CHECK_STRING("--verbose", read.program[0]);
    read = READ("e", "--gemfile=g", "--keep-file-descriptors", "--", "--odd");
    CHECK_STRING("--odd", read.program[0]);
    CHECK(READ("exec").task == SPATE_TASK_RUBY && READ("exec", "--").task == SPATE_TASK_RUBY);
    CHECK(READ("exec", "--no-keep-file-descriptors", "ruby").task == SPATE_TASK_RUBY);
}

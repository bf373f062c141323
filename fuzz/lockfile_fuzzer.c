/*
 * Fuzzes the parser of Gemfile.lock and the planner, in an embedded Ruby. They may only raise Lockfile::ParseError and
 * Planner::Incomplete, with one-line messages. libFuzzer limits time and memory.
 *
 * libFuzzer cannot measure coverage of Ruby code. A trace point on each line of Spate counts pairs of consecutive lines
 * in its extra counters.
 */
#include <ruby.h>
#include <ruby/debug.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTERS 65536

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];
static uint32_t previous;
static VALUE target;

/* Returns nil, or a description of the problem as a String. */
static const char *const harness =
    "platform = Spate::Platform.parse('x86_64-linux')\n"
    "lambda do |bytes|\n"
    "  lockfile = Spate::Lockfile.parse(bytes)\n"
    "  Spate::Planner.new(lockfile: lockfile, platform: platform).plan\n"
    "  lockfile.specs.each do |spec|\n"
    "    next if spec.full_name.match?(/\\A[\\w.-]+\\z/)\n"
    "    return \"unsafe name: #{spec.full_name.inspect}\"\n"
    "  end\n"
    "  nil\n"
    "rescue Spate::Lockfile::ParseError, Spate::Planner::Incomplete => error\n"
    "  return \"message of several lines: #{error.message.inspect}\" if \"#{error.message}#{error.hint}\".match?(/[\\n\\r\\e]/)\n"
    "rescue Exception => error\n"
    "  error.full_message(highlight: false)\n"
    "end\n";

static void count_line(VALUE trace, void *unused) {
    rb_trace_arg_t *argument = rb_tracearg_from_tracepoint(trace);
    VALUE path = rb_tracearg_path(argument);
    uint32_t place = (uint32_t)FIX2INT(rb_tracearg_lineno(argument)) * 2654435761u;
    const char *name;
    long length;
    long index;

    (void)unused;
    if (!RB_TYPE_P(path, T_STRING))
        return;
    name = RSTRING_PTR(path);
    length = RSTRING_LEN(path);
    /* The end of the path distinguishes Spate's files. */
    for (index = length > 16 ? length - 16 : 0; index < length; index++)
        place = place * 16777619u ^ (uint8_t)name[index];
    place ^= place >> 16;
    counters[(place ^ (previous >> 1)) % COUNTERS]++;
    previous = place;
}

static VALUE call_target(VALUE bytes) {
    return rb_funcall(target, rb_intern("call"), 1, bytes);
}

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    abort();
}

static VALUE evaluate(const char *text) {
    int state = 0;
    VALUE value = rb_eval_string_protect(text, &state);

    if (state != 0) {
        VALUE error = rb_errinfo();
        VALUE message = rb_funcall(error, rb_intern("full_message"), 0);

        die(StringValueCStr(message));
    }
    return value;
}

/* Resets Ruby's signal handlers, so that libFuzzer installs its own. With Ruby's, a timeout would raise an
 * exception. */
static void forget_signal_handlers(void) {
    static const int signals[] = {SIGALRM, SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGILL, SIGUSR1, SIGUSR2};
    size_t index;

    for (index = 0; index < sizeof(signals) / sizeof(signals[0]); index++)
        if (signal(signals[index], SIG_DFL) == SIG_ERR)
            die("signal");
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static char *options[] = {"fuzzer", "--disable-gems", "-e", ""};
    const char *library = getenv("SPATE_LIB");
    VALUE trace;

    (void)argc;
    (void)argv;
    if (library == NULL)
        die("SPATE_LIB must name the lib folder");
    RUBY_INIT_STACK; /* otherwise Ruby 3.4 frees objects that are in use */
    ruby_init();
    ruby_options(4, options);
    rb_ary_unshift(rb_gv_get("$LOAD_PATH"), rb_str_new_cstr(library));
    forget_signal_handlers();
    evaluate("require 'spate'");
    target = evaluate(harness);
    rb_gc_register_mark_object(target);
    trace = rb_tracepoint_new(Qnil, RUBY_EVENT_LINE, count_line, NULL);
    rb_gc_register_mark_object(trace);
    rb_tracepoint_enable(trace);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int state = 0;
    VALUE answer;

    previous = 0;
    answer = rb_protect(call_target, rb_str_new((const char *)data, (long)size), &state);
    if (state != 0)
        die("an exception left the harness");
    if (!NIL_P(answer))
        die(StringValueCStr(answer));
    return 0;
}

# frozen_string_literal: true

require "stringio"
lib = File.expand_path("../../lib", __dir__)
$LOAD_PATH.unshift(lib) unless $LOAD_PATH.include?(lib)
require "spate"

# Generates docs/commands.md from the help of each command.
module CommandPages
  HEAD = <<~TEXT
    # Commands

    This page lists all commands of `spate` with their options and examples.

    ```text
    $ spate install               # instead of bundle install
    $ spate exec bin/rails server # instead of bundle exec
    $ spate check                 # is everything installed and unchanged?
    $ spate doctor                # find problems of this machine, the store and the bundle
    ```

    See also: [exit codes](exit-codes.md), [the lines of `--json`](events.md), [Bundler's settings](settings.md).

    Progress and messages go to stderr. Data (`list`, `store path`, `--json`) goes to stdout. On a terminal, an install
    shows its progress in one line. In a pipe, or if `CI` is set, it prints a few whole lines. `NO_COLOR` is respected.

    `rake docs` generates this page from the commands' own help, and a test compares them.

    ## Options of most commands

    The sections below do not repeat these options. `spate COMMAND --help` lists all options of a command.

  TEXT

  TAIL = <<~TEXT

    ## Commands of Bundler

    `add`, `remove`, `update` and `lock` change the Gemfile or the lockfile: see [resolve.md](resolve.md). Bundler
    resolves. Then Spate prints what changed in the lockfile, and installs:

    ```text
    $ spate update base
    Bundler resolves: bundle lock --update base
    updated base 1.0 to 1.1
    wrote Gemfile.lock
    2 gems in 0.31 s: 1 from the network (4 kB), 1 in place, lockfile written
    ```

    Bundler installs nothing: Spate runs `bundle lock --update` for `update`, and adds `--skip-install` to `add`. `spate
    lock` prints the same lines and does not install. `bundle lock` does not support `--group`, `--source`, `--ruby` and
    `--cooldown`. With these options Spate runs `bundle update`, and lets it only resolve. With `--bundler`,
    `--full-index`, `--redownload` and `--force`, `bundle update` also installs.

    Spate passes every other command to Bundler, including commands of Bundler plugins. Queries such as `show`, `info`
    and `licenses` print Bundler's output and install nothing. Before `pristine`, Spate forgets the stored builds of
    these gems ([builds.md](builds.md#to-build-again)). These commands have Bundler's options, and no `--json`.

    If Bundler fails, Spate prints Bundler's message as an error with a hint, and exits with [its own
    code](exit-codes.md):

    ```text
    $ spate info bsae
    error: the bundle has no gem "bsae"
    hint: did you mean base?
    ```

    ## Options of Bundler

    Spate does not support the options below. If one is given, Bundler runs the whole command, and Spate prints one line
    with the reason:

    | command | options |
    |---|---|
    | `install` | `--standalone`, `--binstubs`, `--shebang`, `--trust-policy` |
    | `install` | `--redownload`, `--target-rbconfig`, `--no-lock` |
    | `list` | `--paths`, `--name-only`, `--only-group`, `--without-group`, `--format` |
    | `check` | `--dry-run`, `--path` |
    | `doctor` | `ssl` |

    `install` accepts `--full-index`, `--no-cache`, `--no-prune` and `--prefer-local`, and ignores them.
  TEXT

  # In help texts: options that most commands have.
  COMMON = /^  (?:--gemfile FILE|--store DIR|-q, --quiet|--verbose +print more,|--json|--\[no-\]color|-h, --help) .*\n/

  def self.text
    pages = Spate::CLI::COMMANDS.map { |name, _| "\n## spate #{name}\n\n```text\n#{help(name).gsub(COMMON, "")}```\n" }
    common = help("check").scan(COMMON).join
    [HEAD, "```text\n#{common}```\n", *pages, TAIL].join.gsub("Options:\n\n", "").gsub("\n\nOptions:\n```", "\n```")
  end

  def self.help(name)
    out = StringIO.new
    Spate::CLI.start([name, "--help"], out: out, err: out, env: {})
    out.string
  end
end

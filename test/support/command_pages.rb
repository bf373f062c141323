# frozen_string_literal: true

require "stringio"
lib = File.expand_path("../../lib", __dir__)
$LOAD_PATH.unshift(lib) unless $LOAD_PATH.include?(lib)
require "spate"

# docs/commands.md, generated from the help of each command.
module CommandPages
  HEAD = <<~TEXT
    # Commands

    Each command explains itself; `rake docs` writes this page from there, and a test keeps the two equal. Exit codes are
    in [exit-codes.md](exit-codes.md), the lines of `--json` in [events.md](events.md), and what Spate makes of each of
    Bundler's settings in [settings.md](settings.md).

    Progress and messages go to stderr, data (`list`, `store path`, `--json`) to stdout. On a terminal one line shows the
    progress of an install; in a pipe and with `CI` set a few whole lines are printed. `NO_COLOR` is respected.
  TEXT

  TAIL = <<~TEXT

    ## Everything else

    `add`, `remove` and `update` let Bundler resolve, print what changed in the lockfile, and install:

    ```text
    $ spate update base
    Bundler resolves: bundle lock --update base
    updated base 1.0 to 1.1
    wrote Gemfile.lock
    2 gems in 0.31 s: 1 from the network (4 kB), 1 in place, lockfile written
    ```

    Bundler itself installs nothing: `update` becomes `bundle lock --update`, `add` gets `--skip-install`. With an
    option that `bundle lock` lacks (`--group`, `--source`, `--ruby`, `--redownload`), `bundle update` runs first, and
    installs too. `lock` prints the same lines and installs nothing.

    Every other command of Bundler, and those of its plugins, runs Bundler. Queries (`outdated`, `show`, `info`,
    `licenses` …) print Bundler's output and install nothing. Before `pristine` runs, the store forgets its
    builds of these gems ([builds.md](builds.md#to-build-again)). Their options are Bundler's; there is no `--json`.

    If Bundler fails, Spate prints Bundler's message as an error with a hint, and exits with [its own code](exit-codes.md):

    ```text
    $ spate info bsae
    error: the bundle has no gem "bsae"
    hint: did you mean base?
    ```

    Options of `bundle install` that only Bundler has (`--standalone`, `--binstubs`, `--shebang`, `--trust-policy`,
    `--redownload`, `--target-rbconfig`, `--no-lock`) hand the whole install over to it, with one line that says so; so do
    `--paths`, `--name-only`, `--only-group`, `--without-group` and `--format` of `list`, `--dry-run` and `--path` of
    `check`, and `ssl` of `doctor`. `--full-index`, `--no-cache`, `--no-prune` and `--prefer-local` are accepted and
    change nothing.
  TEXT

  def self.text
    pages = Spate::CLI::COMMANDS.map do |name, _|
      out = StringIO.new
      Spate::CLI.start([name, "--help"], out: out, err: out, env: {})
      "\n## spate #{name}\n\n```text\n#{out.string}```\n"
    end
    [HEAD, *pages, TAIL].join
  end
end

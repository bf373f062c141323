# frozen_string_literal: true

# Runs the README's quick start and more commands with the installed gems spate, spate-bytes and spate-server. Prints
# each command and its output, without times and temporary paths. precompiled_test.rb runs it where nothing else is
# installed.

require "open3"
require "tmpdir"
require_relative "../../support/gem_source"

README = File.read(File.expand_path("../../../README.md", __dir__), encoding: "UTF-8")
BLOCK = README[/^<!-- run -->\n```console\n(.*?)^```$/m, 1]
MORE = [
  "spate boot build --json",
  "spate exec ruby -e 'require %q(tool); p TOOL, Spate::Boot.session.parts.values_at(:loader, :replay)'",
  "spate exec ruby -e 'require %q(tool); p Spate::Native::Loader.counts[:hit]'",
  "spate exec tool", "spate check --json", "spate doctor --json | grep -E 'area.:.(store|bundle|boot)'",
  "spate setup --dir launchers", "launchers/spate version", "launchers/spate check", "spate-serve --version",
  "ruby -rspate/zlib -e 'p Spate::Zlib.inflate(Spate::Zlib.deflate(%q(abc) * 9))'",
  "ruby -rspate/bytes -e 'p Spate::Uint8Array.new(3).length, File.exist?(Spate::BYTES_INCLUDE + %q(/spate/bytes.h))'",
  "ruby -rspate/server -e 'p Spate::Server::Native.constants.sort'"
].freeze
# These parts may differ: times, sizes of files that contain paths, ports, the platform in names of gems.
VARYING = { /\b\d+(\.\d+)? (s|ms|min)\b/ => "TIME", /"(seconds|cpu|bytes|free|time|at|pid)":[\d.]+/ => '"\1":0',
            /localhost:\d+/ => "localhost", /(spate(?:-\w+)?-\d[\d.]*\d)-\w+-linux(-\w+)?/ => '\1' }.freeze

Dir.mktmpdir do |folder|
  source = GemSource.start
  source.add("base", "1.2", files: { "lib/base.rb" => "BASE = 1\n" })
  source.add("tool", "1.0", dependencies: { "base" => ">= 1" }, executables: ["tool"],
                            files: { "lib/tool.rb" => "TOOL = 1\n" })
  File.write("#{folder}/Gemfile", "source '#{source.url}'\ngem 'tool'\n")
  env = { "BUNDLE_PATH" => "vendor/bundle", "SPATE_HOME" => "#{folder}/spate", "NO_COLOR" => "1",
          "SPATE_BOOT_BACKGROUND" => "0" } # a builder in the background may be late
  run = lambda do |command|
    output, status = Open3.capture2e(env, "sh", "-c", command, chdir: folder)
    VARYING.each { |pattern, text| output = output.gsub(pattern, text) }
    puts "$ #{command}", output.gsub(folder, "FOLDER").gsub(source.url, "SOURCE/"), "=> #{status.exitstatus}"
  end
  run.call("bundle lock")
  BLOCK.scan(/^\$ (.*)/).flatten.each(&run)
  MORE.each(&run)
  source.stop
end

# frozen_string_literal: true

# Run as a separate program by Spate::Git::Gemspecs. Evaluates gemspecs as Bundler does, and returns their values.
#
#   ruby gemspecs_script.rb read|rewrite PATH...
#
# Writes a marshalled Hash to file descriptor 3: path => { name:, version:, ... }, or path => error message.
require "bundler"

module Spate
  module Git
    # Evaluates gemspecs.
    module GemspecsScript
      module_function

      def run(task, paths)
        facts = paths.to_h { |path| [path, facts(path, rewrite: task == "rewrite")] }
        IO.open(3, "wb") { |io| Marshal.dump(facts, io) }
      end

      def facts(path, rewrite:)
        spec = Bundler.load_gemspec(path) or return "it does not return a Gem::Specification"
        spec.installed_by_version = Gem::VERSION
        Bundler.rubygems.validate(spec)
        replace(path, spec.to_ruby) if rewrite
        describe(spec)
      rescue Bundler::BundlerError, Gem::Exception, SystemCallError => e
        e.message.gsub(/\e\[[\d;]*m/, "")
      end

      def replace(path, text)
        temporary = "#{path}.#{Process.pid}"
        File.open(temporary, "wb", File.stat(path).mode) { |file| file.write(text) }
        File.chmod(File.stat(path).mode & 0o7777, temporary)
        File.rename(temporary, path)
      end

      def describe(spec)
        { name: spec.name.to_s, version: spec.version.to_s, platform: spec.platform.to_s,
          require_paths: spec.raw_require_paths.map(&:to_s), bindir: spec.bindir.to_s,
          executables: spec.executables.map(&:to_s), extensions: spec.extensions.map(&:to_s),
          dependencies: spec.runtime_dependencies.map { |dependency| dependency.name.to_s },
          required_ruby: spec.required_ruby_version.to_s, required_rubygems: spec.required_rubygems_version.to_s,
          post_install_message: spec.post_install_message&.to_s }
      end
    end
  end
end

Spate::Git::GemspecsScript.run(ARGV.shift, ARGV)

# frozen_string_literal: true

require "support/boot_project"

module Spate
  # Compares the states of two boots of an application (as written by BootRails). Ignores intended differences.
  module BootSameness
    # Files of Bundler and RubyGems, and files that only these load; Spate; bootsnap. A lean start omits only RubyGems.
    FEATURES = %r{
      /bundler(-[\d.]+)?/ | /bundler\.rb\z | /rubygems(/|\.rb) | \A#{Regexp.escape(BootProject::LIBRARY)}/ |
      /boot_probe | /bootsnap[-/] | /bundled_gems\.rb\z
    }x
    CONSTANTS = /\A(Bundler|Gem|Spate|Bootsnap|MonitorMixin|Monitor)(::|\z)/
    # Bundler and RubyGems load these for themselves. The application may load them later, on demand.
    LATER = %w[etc.so fileutils.rb monitor.so monitor.rb open3.rb pathname.rb pathname.so rbconfig.rb shellwords.rb
               stringio.so tsort.rb uri.rb English.rb].freeze
    # Since Ruby 3.2, Zeitwerk is notified of each constant that is defined, including Bundler's.
    CONSTANT_ADDED = %w[/zeitwerk/core_ext/module.rb /zeitwerk/cref/map.rb /zeitwerk/registry/autoloads.rb
                        /zeitwerk/registry/explicit_namespaces.rb].freeze
    COUNTED = ["/tell.rb", *(CONSTANT_ADDED if RUBY_VERSION >= "3.2")].freeze
    ENVIRONMENT = /\A(SPATE_|BUNDLER_|RUBYOPT\z|RUBYLIB\z|BOOT_|RUBY_GC_|BUNDLE_)/

    module_function

    # The parts of a boot's state that must be equal.
    def essence(told)
      told.merge(features: told[:features].grep_v(FEATURES).reject { |path| LATER.include?(File.basename(path)) },
                 load_path: told[:load_path].grep_v(FEATURES),
                 constants: told[:constants].grep_v(CONSTANTS),
                 methods: told[:methods].reject { |_, _, place| place&.first&.match?(FEATURES) },
                 coverage: told[:coverage].to_a.reject { |file, _| file.match?(FEATURES) || file.end_with?(*COUNTED) },
                 environment: told[:environment].reject { |name, _| name.match?(ENVIRONMENT) })
    end

    # The lines of stderr, except those that name files in FEATURES.
    def warnings(text) = text.lines.grep_v(FEATURES)
  end
end

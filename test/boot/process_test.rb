# frozen_string_literal: true

require_relative "exec_case"

module Spate
  # An application's process loads exactly the files of Spate that docs/architecture.md lists.
  class BootProcessTest < ExecCase
    LIBRARY = File.expand_path("../../lib/spate", __dir__)
    PAGE = File.read(File.expand_path("../../docs/architecture.md", __dir__), encoding: "UTF-8")
    LIST = /^<!-- process -->\n(.*?)^<!-- end -->/m
    # {"every boot from compile caches" => ["boot/entry.rb", ...]}
    GROUPS = PAGE[LIST, 1].lines.grep_v(/^```/).slice_before(/^\S/).to_h do |group, *lines|
      files = lines.flat_map do |line|
        folder, names = line.strip.split(": ")
        names.split.map { |name| File.join(folder, "#{name}.rb").delete_prefix("./") }
      end
      [group.strip, files]
    end.freeze
    # These processes exit, exec another program, or fork before they can write the list of their files.
    UNSEEN = ["an error that ends the process", "before Ruby is started again", "a program with warm boots"].freeze

    # RubyGems removes this file from $LOADED_FEATURES after loading it.
    HIDDEN = ["boot/exec/prelude/rubygems/defaults/ruby.rb"].freeze

    # A finalizer runs after all at_exit blocks.
    PROGRAM = <<~'RUBY'
      ObjectSpace.define_finalizer($held = Object.new, proc { File.write(ENV["FEATURES"], $LOADED_FEATURES.join("\n")) })
      require "local"
    RUBY
    ASKS = <<~'RUBY'
      Spate::Boot.instrumentation = ->(*) {}
      Bundler.require
      require "yaml"
      YAML.load_file("some.yml")
      Process.wait(fork { exit! })
      Bundler::Dsl
    RUBY

    def setup
      super
      write("app/some.yml", "a: 1\n")
      @script = write("app/program.rb", "#!/usr/bin/env ruby\n#{PROGRAM}", mode: 0o755)
    end

    def test_application_loads_exactly_the_listed_files
      first = loaded("ruby", "-e", PROGRAM, SPATE_BOOT_BACKGROUND: "1")
      from_compile_caches = nil
      wait { unlocked? && news(from_compile_caches = loaded("ruby", "-e", PROGRAM, SPATE_BOOT_BACKGROUND: "1")).empty? }
      others = [first, loaded("ruby", "-e", PROGRAM + ASKS, SPATE_BOOT_BACKGROUND: "1"), loaded(@script)]

      assert_equal GROUPS["every boot from compile caches"].sort, from_compile_caches.sort
      assert_equal GROUPS.except(*UNSEEN).values.flatten.uniq.sort, others.reduce(from_compile_caches, :|).sort
    end

    def test_list_has_all_files_of_boot_and_none_of_higher_components
      files = Dir.glob("boot/**/*.rb", base: LIBRARY)

      assert_equal HIDDEN, files - GROUPS.values.flatten
      assert_empty GROUPS.values.flatten.grep(/\A(?:compile_cache|self_cache|profile)\b/)
      assert_empty(GROUPS.values.flatten.reject { |path| File.exist?("#{LIBRARY}/#{path}") })
    end

    private

    def news(files) = files.grep(/background/)

    # The loaded files, relative to lib/spate.
    def loaded(*command, **env)
      output, status = spate_exec(*command, FEATURES: "#{folder}/features", **env)
      assert_predicate status, :success?, output
      found = File.readlines("#{folder}/features", chomp: true).grep(/\.rb\z/)
      found.filter_map { |path| path.delete_prefix("#{LIBRARY}/") if path.start_with?("#{LIBRARY}/") }
    end
  end
end

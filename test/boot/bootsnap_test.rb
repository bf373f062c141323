# frozen_string_literal: true

require_relative "exec_case"

module Spate
  # Bootsnap steps aside if the boot has a compile cache, unless the loader is off or bootsnap is configured otherwise.
  # The gem is a fake that has the same hooks and prints its calls.
  class BootsnapTest < ExecCase
    LIBRARY = <<~'RUBY'
      module Bootsnap
        class << self
          def setup(**) = puts("bootsnap sets up")
          def default_setup = setup
          def unload_cache! = puts("unloaded")
        end
        module CompileCache
          module ISeq
            module InstructionSequenceMixin
              def load_iseq(path)
                $asked = true
                nil
              end
            end
            RubyVM::InstructionSequence.singleton_class.prepend(InstructionSequenceMixin)
          end
        end
      end
      require_relative "bootsnap/after"
    RUBY
    PROGRAM = "require 'bootsnap/setup'; require 'local'; Bootsnap.setup(cache_dir: 'x'); Bootsnap.unload_cache!; " \
              "p $asked, Spate::Boot.session.parts[:bootsnap]"

    def setup
      super
      write("app/snap/bootsnap.gemspec", GEMSPEC.gsub("local", "bootsnap").sub(/spec.bindir.*\n.*\n/, ""))
      write("app/snap/lib/bootsnap.rb", LIBRARY)
      write("app/snap/lib/bootsnap/after.rb", "$asked = nil\n")
      write("app/snap/lib/bootsnap/setup.rb", "require_relative '../bootsnap'\nBootsnap.default_setup\n")
      write("app/Gemfile", "gem 'local', path: 'local'\ngem 'bootsnap', path: 'snap', require: false\n")
      project.lock
    end

    def boot(**env) = spate_exec("ruby", "-e", PROGRAM, **env).first

    def test_bootsnap_stays_without_a_compile_cache
      assert_equal "bootsnap sets up\nbootsnap sets up\nunloaded\ntrue\n" \
                   "\"bootsnap stays active if it is loaded: no compile cache yet\"\n", boot
    end

    def test_bootsnap_is_disabled_with_a_compile_cache
      build "ruby", "-e", "require 'bootsnap/setup'; require 'local'"
      assert_equal "unloaded\nnil\ntrue\n", boot
      hits = "n = 0; Spate::Boot.instrumentation = ->(e, p, _) { n += 1 if e == :hit && p.end_with?('local.rb') }; "
      output, = spate_exec("ruby", "-e", "require 'bootsnap'; #{hits} require 'local'; p n")
      assert_equal "1\n", output
    end

    def test_bootsnap_stays_when_the_loader_is_off_or_bootsnap_is_configured
      build "ruby", "-e", "require 'bootsnap/setup'; require 'local'"
      assert_includes boot(SPATE_NO_BUNDLE: "1"), "Spate's loader is off"
      write("app/config/bootsnap.rb", "")
      assert_includes boot, "config/bootsnap.rb exists"
      assert_includes boot, "bootsnap sets up"
    end

    # Files that bootsnap loads are still recorded for the compile cache.
    def test_files_loaded_by_bootsnap_are_recorded
      build "ruby", "-e", "require 'bootsnap/setup'; require 'local'"
      paths = [cache, cache.sub("/boots/", "/apps/")].flat_map do |path|
        Native::CompileCache.open(path, key: Boot::RubyKey.current).paths
      end
      assert_includes paths, project.path("local/lib/local.rb")
    end
  end
end

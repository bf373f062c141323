# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # Ruby's options and the locale affect compiled code. Code from a compile cache must be the same.
  class RubySwitchesTest < ExecCase
    LIBRARY = <<~'RUBY'
      module Local
        TEXT = "text"
        def self.facts
          frozen = begin
            TEXT << "x"
            "not frozen"
          rescue FrozenError => e
            e.message
          end
          [__FILE__.encoding, __ENCODING__, "".encoding, :a.encoding, __dir__.encoding, frozen, /\w/.encoding,
           __method__.to_s.encoding, "é".encoding, "é".valid_encoding?, "\xff".encoding]
        end
      end
    RUBY
    PROGRAM = <<~'RUBY'
      require "local"
      p Dir.pwd, Local.facts, __ENCODING__, Encoding.default_external, Encoding.default_internal
    RUBY
    SWITCHES = {
      "-Ke" => %w[-Ke], "-Ks" => %w[-Ks], "-Kn" => %w[-Kn], "-Ku" => %w[-Ku], "-U" => %w[-U],
      "-E" => %w[-E EUC-JP:UTF-8], "--external-encoding" => %w[--external-encoding=ISO-8859-1],
      "--encoding" => %w[--encoding ISO-8859-1], "-C" => %w[-C local], "-X" => %w[-X local],
      "-Clocal" => %w[-Clocal], "-x" => %w[-x],
      "--debug-frozen-string-literal" => %w[--debug-frozen-string-literal],
      "--debug-frozen-string-literal, frozen" => %w[--debug-frozen-string-literal --enable=frozen-string-literal],
      "--enable-frozen-string-literal" => %w[--enable-frozen-string-literal],
      "--disable-frozen-string-literal" => %w[--disable=frozen-string-literal], "-w" => %w[-w], "-W0" => %w[-W0]
    }.freeze
    LOCALES = { "C" => { LC_ALL: "C" }, "C.UTF-8" => { LC_ALL: "C.UTF-8" }, "POSIX" => { LANG: "POSIX", LC_ALL: "" },
                "C, -E" => { LC_ALL: "C", RUBYOPT: "-EUTF-8" } }.freeze

    def setup
      super
      write("app/local/lib/local.rb", LIBRARY)
      @program = write("app/program.rb", "#!ruby\n#{PROGRAM}")
      build("ruby", @program)
    end

    SWITCHES.each do |name, switches|
      define_method("test_#{name.gsub(/\W+/, "_")}_#{SWITCHES.keys.index(name)}") { compare(*switches) }
    end

    LOCALES.each do |name, env|
      define_method("test_locale_#{name}") { compare(**env) }
    end

    # The parsers that this Ruby accepts without a warning. Ruby 3.3 warns that one is experimental.
    PARSERS = %w[prism parse.y].select do |parser|
      said, status = Open3.capture2e(RbConfig.ruby, "--parser=#{parser}", "-e", "")
      status.success? && said.empty?
    end
    # Prints which parser compiled a method of the library, and whether it came from a compile cache.
    ASKS = <<~'RUBY'
      require "local"
      begin
        RubyVM::AbstractSyntaxTree.of(Local.method(:facts))
        print "parse.y "
      rescue RuntimeError => e
        print e.message[/prism/], " "
      end
      puts Spate::Native::Loader.counts[:hit].positive?
    RUBY

    def test_each_parser_has_separate_compile_caches
      skip "this Ruby has one parser" if PARSERS.size < 2

      write("app/program.rb", "#!ruby\n#{ASKS}")
      known = PARSERS.find { |parser| asked(parser).end_with?("true\n") }
      other = (PARSERS - [known]).first
      assert_equal ["#{known} true\n", "#{other} false\n"], [asked(known), asked(other)]
      asked(other, SPATE_BOOT_BACKGROUND: "1")
      wait { asked(other) == "#{other} true\n" }
      assert_equal "#{known} true\n", asked(known)
      assert_equal 2, Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.compiled"].size
    end

    private

    def asked(parser, **env) = spate_exec("ruby", @program, RUBYOPT: "--parser=#{parser}", **env).first

    # Compares `bundle exec` with two boots: the first has compile caches of a boot without switches, the second its
    # own.
    def compare(*switches, **env)
      command = ["ruby", *switches, @program]
      expected, = project.run("bundle", "exec", *command, **env)
      assert_equal expected, spate_exec(*command, **env, SPATE_BOOT_BACKGROUND: "1").first
      sleep 0.5
      wait { unlocked? }
      assert_equal expected, spate_exec(*command, **env).first
      refute_match(/^error/, builder_log)
    end
  end
end

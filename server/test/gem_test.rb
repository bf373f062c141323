# frozen_string_literal: true

require "test_helper"
require "rubygems/package"
require "rubygems/user_interaction"
require "support/running"

module Spate
  module Server
    # Builds the gems and installs them into an empty GEM_HOME, as a user would.
    class GemTest < Minitest::Test
      include Running

      ROOT = File.expand_path("../..", __dir__)

      def run_in(dir, *command)
        output, status = Open3.capture2e(environment, *command, chdir: dir, stdin_data: "")
        assert_predicate status, :success?, output
        output
      end

      # Disables optimization, so that the extensions compile faster.
      MAKEFLAGS = "-j2 -- CFLAGS=-O0\\ -fPIC\\ -std=gnu11\\ -fvisibility=hidden\\ -w"

      def environment
        { "GEM_HOME" => "#{folder}/gems", "GEM_PATH" => "#{folder}/gems", "HOME" => folder, "RUBYOPT" => nil,
          "RUBYLIB" => nil, "SPATE_HOME" => "#{folder}/spate", "XDG_CACHE_HOME" => "#{folder}/cache",
          "MAKEFLAGS" => MAKEFLAGS, "SPATE_NO_OWN_CODE" => "1" }
      end

      def build(name)
        path = File.join(folder, "#{name}.gem")
        run_in(ROOT, RbConfig.ruby, "-S", "gem", "build", "#{name}.gemspec", "--output", path)
        path
      end

      # Builds a gem that contains the compiled extensions. The gem's own test compiles it, and this test does with
      # --full.
      def compiled(name)
        path = File.join(folder, "#{name}.gem")
        Dir.chdir(ROOT) do
          specification = Gem::Specification.load("#{name}.gemspec").dup
          specification.extensions = []
          specification.files += Dir["#{specification.require_path}/spate/native/*.so"]
          silently { Gem::Package.build(specification, true, false, path) }
        end
        path
      end

      def silently(&block) = Gem::DefaultUserInteraction.use_ui(Gem::SilentUI.new, &block)

      def test_installed_gems_serve
        others = %w[spate-bytes spate].map { |name| ENV["SPATE_TEST_FULL"] ? build(name) : compiled(name) }
        gems = [*others, build("spate-server")]
        check(Gem::Package.new(gems.last))
        words = %w[-S gem install --local --no-document --bindir]
        run_in(folder, RbConfig.ruby, *words, "#{folder}/bin", *gems)
        write("public/hello.txt", "hello\n")
        ["#{folder}/bin/spate-serve", "#{folder}/bin/spate serve"].each do |program|
          output = answer(program.split)
          assert_equal "hello\n2", output, program
        end
      end

      # Returns curl's output over TLS, and the protocol that it negotiated.
      def answer(program)
        @log, writer = IO.pipe
        words = %w[public --tls --port 0 --workers 2]
        @server = Process.spawn(environment, RbConfig.ruby, *program, *words, chdir: folder, err: writer)
        writer.close
        line = Timeout.timeout(SECONDS) { @log.gets }
        port = line[/:(\d+)$/, 1] or flunk("it did not start: #{line}#{@log.read}")
        client("curl", "-sS", "--insecure", "-w", "%{http_version}", "https://localhost:#{port}/hello.txt")
      ensure
        stop
      end

      def check(package)
        names = package.contents
        wanted = %w[exe/spate-serve lib/spate/server.rb core/frame.c assets/profile/page.js ext/http2/extconf.rb
                    ext/io/write_buffer.h ext/tls/extconf.rb docs/operations.md README.md]
        assert_empty wanted.map { |name| "server/#{name}" } - names
        assert_empty names.grep(%r{/(test|benchmark|fuzz|tmp)/|\.(so|o)\z})
        assert_equal ["assets/page.css"], names.grep_v(%r{\Aserver/})
        assert_equal ["spate-bytes"], package.spec.runtime_dependencies.map(&:name)
        assert_equal names.grep(%r{/extconf\.rb\z}).sort, package.spec.extensions.sort
      end
    end
  end
end

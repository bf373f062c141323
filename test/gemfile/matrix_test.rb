# frozen_string_literal: true

require_relative "gemfile_check_case"
require "spate/tracer"

module Spate
  module Gemfile
    # Random Gemfiles that read the state of the machine in unusual ways. One thing is changed at a time. A change of an
    # input must invalidate the Gemfile check, any other change must not.
    class MatrixTest < GemfileCheckCase
      CASES = ENV["SPATE_TEST_FULL"] ? 200 : 15
      # The tolerated share of irrelevant changes that cause a new evaluation.
      NEEDLESS = 0.02

      # One way to read an input: Ruby code, a change, its undo; and the same for an irrelevant change.
      Piece = Struct.new(:ruby, :change, :undo, :needless, :undo_needless)

      # Makes Pieces in separate folders below `app`.
      class Grammar
        def initialize(random, root)
          @random = random
          @root = root
          @count = 0
        end

        KINDS = %i[content absent present listing pattern link target variable revision size nested gemspec].freeze

        def piece
          @name = "p#{@count += 1}"
          FileUtils.mkdir_p(path)
          File.write(path("file"), "x")
          send(KINDS[@random.rand(KINDS.size)]).tap { |piece| piece.ruby = wrapped(piece.ruby) }
        end

        private

        def path(*names) = File.join(@root, @name, *names)
        def one(*list) = list[@random.rand(list.size)]

        # A random spelling of a path in the Gemfile.
        def spelt(name)
          one("#{@name}/#{name}".inspect, "File.join(__dir__, #{"#{@name}/#{name}".inspect})",
              "File.expand_path(#{"../#{@name}/#{name}".inspect}, __FILE__)", path(name).inspect,
              "\"\#{__dir__}/#{@name}/../#{@name}/#{name}\"", "Pathname(#{"#{@name}/#{name}".inspect}).to_s")
        end

        # Wraps code so that `__dir__` and `__FILE__` are still the Gemfile's.
        def wrapped(ruby)
          one(ruby, "lambda { #{ruby} }.call", "[1].each { #{ruby} }",
              "eval(#{ruby.inspect}, binding, __FILE__, __LINE__)",
              "begin; #{ruby}; rescue SystemCallError; end", "instance_eval { #{ruby} }", "1.then { |_| #{ruby} }",
              in_file(ruby))
        end

        def in_file(ruby)
          file = "#{@name}.rb"
          File.write(File.join(@root, file), "#{ruby}\n")
          one("eval_gemfile #{file.inspect}", "instance_eval(File.read(File.join(__dir__, #{file.inspect})), __FILE__)")
        end

        def written(name, text) = path(name).then { |file| -> { File.write(file, text) } }
        def removed(name) = path(name).then { |file| -> { FileUtils.rm_rf(file) } }
        def touched(name) = path(name).then { |file| -> { File.utime(1, 1, file) } }
        def nothing = -> {}

        def content
          file = spelt("file")
          ruby = one("File.read(#{file})", "IO.readlines(#{file})", "File.open(#{file}) { |one| one.gets }",
                     "open(#{file}, &:read)", "IO.foreach(#{file}) { |line| line }", "Pathname(#{file}).read",
                     "File.new(#{file}).each_char.first",
                     "File.open(#{file}, File::RDONLY | File::NOFOLLOW).readpartial(9)")
          Piece.new(ruby, written("file", one("y", "", "longer")), written("file", "x"), touched("file"), nothing)
        end

        def absent
          none = spelt("none/deep")
          ruby = one("File.exist?(#{none})", "File.file?(#{none})", "(File.read(#{none}) rescue nil)",
                     "Dir.exist?(#{none})",
                     "FileTest.directory?(#{none})", "Pathname(#{none}).exist?", "(Dir.children(#{none}) rescue nil)")
          folder = path("none")
          change = -> { FileUtils.mkdir_p(folder) && File.write("#{folder}/deep", "") }
          Piece.new(ruby, change, removed("none"), written("other", ""), removed("other"))
        end

        def present
          ruby = one("File.exist?(#{spelt("file")})", "File.file?(#{spelt("file")})",
                     "FileTest.exist?(#{spelt("file")})")
          Piece.new(ruby, removed("file"), written("file", "x"), written("file", "longer"), written("file", "x"))
        end

        def listing
          folder = spelt("")
          ruby = one("Dir.children(#{folder})", "Dir.entries(#{folder})", "Dir.each_child(#{folder}) { |one| one }",
                     "Dir.open(#{folder}) { |all| all.each { |one| one } }", "Pathname(#{folder}).children",
                     "Dir.new(#{folder}).to_a", "Dir.empty?(#{folder})")
          Piece.new(ruby, written("new", ""), removed("new"), written("file", "y"), written("file", "x"))
        end

        def pattern
          FileUtils.mkdir_p(path("deep"))
          folder = spelt("")
          ruby = one("Dir.glob('*.x', base: #{folder})", "Dir[File.join(#{folder}, '**/*.x')]",
                     "Dir.glob(%w[*.x none/*], base: #{folder})", "Pathname(#{folder}).glob('*.x')",
                     "Dir.chdir(#{folder}) { Dir['*.x'] }")
          Piece.new(ruby, written("new.x", ""), removed("new.x"), written("new.y", ""), removed("new.y"))
        end

        def link
          File.symlink("file", place = path("link"))
          File.write(path("second"), "y")
          change = -> { File.unlink(place) && File.symlink("second", place) }
          undo = -> { File.unlink(place) && File.symlink("file", place) }
          Piece.new("File.read(#{spelt("link")})", change, undo, written("second", "z"), written("second", "y"))
        end

        def target
          piece = link
          piece.ruby = one("File.readlink(#{spelt("link")})", "File.realpath(#{spelt("link")})",
                           "Pathname(#{spelt("link")}).readlink")
          piece
        end

        def variable
          name = @name.upcase
          ruby = one("ENV[#{name.inspect}]", "ENV.fetch(#{name.inspect}, nil)", "ENV.key?(#{name.inspect})",
                     "ENV.values_at(#{name.inspect})", "ENV.slice(#{name.inspect})")
          Piece.new(ruby, name, name, "#{name}_OTHER", "#{name}_OTHER")
        end

        def revision
          commit = "git -c user.name=tester -c user.email=tester@localhost commit -q --allow-empty -m more"
          folder = path
          run = ->(words) { system(words, chdir: folder, exception: true, out: File::NULL) }
          run.call("git init -q && #{commit}")
          ruby = one("Dir.chdir(#{spelt("")}) { `git rev-parse HEAD` }", "`git -C #{path} rev-parse HEAD`",
                     "IO.popen(%w[git rev-parse HEAD], chdir: #{spelt("")}, &:read)")
          Piece.new(ruby, -> { run.call(commit) }, -> { run.call("git reset -q --soft HEAD~1") }, written("file", "y"),
                    written("file", "x"))
        end

        def size
          ruby = one("File.size(#{spelt("file")})", "File.stat(#{spelt("file")}).size", "File.zero?(#{spelt("file")})",
                     "Pathname(#{spelt("file")}).size")
          Piece.new(ruby, written("file", "longer"), written("file", "x"), written("file", "y"), written("file", "x"))
        end

        def nested
          File.write(path("inner.rb"), "File.read(File.join(__dir__, 'file'))\n")
          ruby = one("eval_gemfile(#{"#{@name}/inner.rb".inspect})", "load(#{path("inner.rb").inspect}, true)",
                     "require(#{path("inner.rb").inspect})",
                     "Object.autoload(:#{@name.upcase}, #{path("inner.rb").inspect}); (#{@name.upcase} rescue nil)")
          Piece.new(ruby, written("file", "y"), written("file", "x"), written("other", ""), removed("other"))
        end

        def gemspec
          File.write(path("#{@name}.gemspec"), <<~RUBY)
            Gem::Specification.new do |spec|
              spec.name = #{@name.inspect}
              spec.version = "1.\#{File.read(File.join(__dir__, "file")).size}"
              spec.summary = "one"
              spec.authors = ["nobody"]
              spec.files = #{one("Dir['lib/**/*']", "`git ls-files -z`.split(0.chr)", "Dir.chdir(__dir__) { Dir['*.x'] }")}
            end
          RUBY
          Piece.new("gem #{@name.inspect}, path: #{@name.inspect}", written("file", "yy"), written("file", "x"),
                    written("other", ""), removed("other"))
        end
      end

      def test_only_changes_of_inputs_outdate_the_gemfile_check
        random = Random.new(Spate.test_seed)
        @needless = @tried = 0
        CASES.times { |number| gemfile(random, number) }
        assert_operator @needless, :<=, [@tried * NEEDLESS, 1].min, "#{@needless} of #{@tried} evaluated again"
      end

      private

      def gemfile(random, number)
        FileUtils.rm_rf(File.join(folder, "app"))
        FileUtils.mkdir_p(File.join(folder, "app"))
        grammar = Grammar.new(random, File.join(folder, "app"))
        pieces = Array.new(3 + random.rand(5)) { grammar.piece }
        app("#{pieces.map(&:ruby).join("\n")}\n")
        facts = evaluate
        text = "Gemfile #{number}, seed #{Spate.test_seed}:\n#{File.read(path("Gemfile"))}"
        assert_empty facts.volatile, text
        assert recall, "not stored: #{text}"
        pieces.each { |piece| try(piece, text) }
      end

      def try(piece, text)
        made(piece.change) { assert_nil recall, "stale: #{piece.ruby}\n#{text}" }
        made(piece.undo, back: true) { again(text) }
        made(piece.needless) { @needless += 1 unless recall }
        made(piece.undo_needless, back: true) { @tried += 1 }
        again(text)
      end

      # The Gemfile check after an undo. It may be invalid: times of folders and objects of a revision are not restored.
      def again(_text) = recall || evaluate

      def made(what, back: false)
        if what.is_a?(String) then back ? @env.delete(what) : @env[what] = "other"
        else
          what.call
        end
        yield
      end
    end
  end
end

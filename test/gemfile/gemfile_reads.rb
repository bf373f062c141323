# frozen_string_literal: true

module Spate
  module Gemfile
    # Lines of a Gemfile that read the state of the machine, each with a change of that state. A change is called with
    # the test, which has `set` for variables, `git` and `commit`, and with a lambda that returns paths in the Gemfile's
    # folder.
    module GemfileReads
      other = ->(_test, path) { File.write(path.call("f"), "#{File.read(path.call("f"))} ") }
      more = ->(_, path) { File.write(path.call("sub/more.x"), "") }

      def self.relink(path, target) = File.unlink(path) && File.symlink(target, path)

      SEEN = {
        "Dir.open('sub') { |folder| folder.each { |name| name } }" => more,
        "Dir.new('sub').children" => more, "Dir.each_child('sub') { |name| name }" => more,
        "Pathname('sub').each_entry { |name| name }" => more, "Dir.empty?('sub')" => more,
        "Dir.chdir('sub') { File.exist?('more.x') }" => more, "Pathname.glob('sub/*.x')" => more,
        "Dir.glob('*.x', base: 'sub')" => more, "Dir['s*/m*']" => more, "Pathname('sub').glob('**/*')" => more,
        "require 'find'; Find.find('sub') { |name| name }" => more, "Dir.method(:open).call('sub').children" => more,
        "eval('Dir.send(:open, %q(sub)).to_a')" => more,
        "IO.sysopen('f').then { |number| number }" => other, "File.open('f', File::RDONLY, &:read)" => other,
        "IO.copy_stream('f', StringIO.new) if require 'stringio'; IO.copy_stream('f', StringIO.new)" => other,
        "m = File.method(:size); m = m.super_method while m.super_method; m.call('f')" => other,
        "m = Dir.method(:children); m = m.super_method while m.super_method; m.call('sub')" => more,
        "m = Dir.method(:glob); m = m.super_method while m.super_method; m.call('sub/*')" => more,
        "File::Stat.new('f').size" => other, "test(?s, 'f')" => other, "File.open('f') { |file| file.size }" => other,
        "File.foreach('f').next" => other,
        "open('f').each_byte.first" => other, "File.foreach('f').first" => other, "IO.binread('f')" => other,
        "require File.expand_path('lib.rb')" => ->(_, path) { File.write(path.call("lib.rb"), "LIB = 2\n") },
        "Object.autoload(:LIB, File.expand_path('lib.rb')); LIB" => lambda { |_, path|
                                                                      File.write(path.call("lib.rb"), "LIB = 2\n")
                                                                    },
        "load File.expand_path('lib.rb'), true" => ->(_, path) { File.write(path.call("lib.rb"), "LIB = 2\n") },
        "begin; require 'lib_of_its_own'; rescue LoadError; end; $LOAD_PATH.unshift(File.expand_path('sub')); " \
        "begin; require 'none'; rescue LoadError; end" => ->(_, path) { File.write(path.call("sub/none.rb"), "") },
        "File.mtime('sub')" => ->(_, path) { File.utime(1, 1, path.call("sub")) },
        "File.open('f').mtime" => ->(_, path) { File.utime(1, 1, path.call("f")) },
        "File.executable?('f')" => ->(_, path) { File.chmod(0o755, path.call("f")) },
        "File.read('link')" => lambda { |_, path|
                                 File.unlink(path.call("link")) && File.symlink("lib.rb", path.call("link"))
                               },
        "File.readlink('link')" => lambda { |_, path|
                                     File.unlink(path.call("link")) && File.symlink("./f", path.call("link"))
                                   },
        "File.realpath('link')" => lambda { |_, path|
                                     File.unlink(path.call("link")) && File.symlink("g", path.call("link"))
                                   },
        "File.lstat('f').symlink?" => lambda { |_, path|
                                        File.rename(path.call("f"), path.call("h")) && File.symlink("h", path.call("f"))
                                      },
        "Dir.chdir('to') { File.read('one') }" => ->(_, path) { relink(path.call("to"), "sub2") },
        "Dir.chdir('to/../to') { File.read('one') }" => ->(_, path) { relink(path.call("to"), "sub2") },
        "`git -C to ls-files --full-name`" => ->(_, path) { relink(path.call("to"), "sub2") },
        "`git tag`" => ->(test, _) { test.send(:git, "tag", "later") },
        "`git rev-parse HEAD`" => ->(test, _) { test.send(:commit) },
        "IO.popen(%w[git describe --always], &:read)" => ->(test, _) { test.send(:commit) },
        "`git ls-files`" => ->(test, path) { File.write(path.call("new"), "") && test.send(:git, "add", "new") },
        "ENV.fetch('SOME', nil)" => ->(test, _) { test.set("SOME") }, "ENV.values_at('A', 'SOME')" => lambda { |test, _|
                                                                                                        test.set("SOME")
                                                                                                      },
        "class << File; alias old exist?; def exist?(name) = old(name); end; File.exist?('new')" => lambda { |_, path|
          File.write(path.call("new"), "")
        },
        "ENV.key?('SOME')" => ->(test, _) { test.set("SOME") }, "Time.at(0).hour" => ->(test, _) { test.set("TZ") },
        "Bundler.settings[:some]" => ->(test, _) { test.set("BUNDLE_SOME") }
      }.freeze

      # The list of installed gems is an input if the Gemfile reads it.
      INSTALLED = {
        "Gem::Specification.find_all_by_name('more').any?" => "specifications/more-1.0.gemspec",
        "Gem::Specification.any? { |spec| spec.name == 'more' }" => "specifications/more-1.0.gemspec",
        "Gem::Dependency.new('more').matching_specs" => "specifications/more-1.0.gemspec",
        "begin; Object.new.send(:gem, 'more'); rescue LoadError; end" => "specifications/more-1.0.gemspec",
        "File.directory?(File.join(Gem.dir, 'gems/more-1.0'))" => "gems/more-1.0/lib",
        "Dir[Gem.dir + '/gems/*']" => "gems/m",
        "Dir.children(Gem.dir + '/gems')" => "gems/m",
        "Dir.chdir(Gem.dir) { File.exist?('gems/one/f') }" => "gems/one/f"
      }.freeze

      # Files of another checkout, in a sibling or parent folder of the Gemfile.
      BESIDE = {
        "File.exist?(File.expand_path('../kind', __dir__))" => ["kind", ""],
        "File.read('../shared/kind')" => ["shared/kind", "2"], "Dir['../{shared,none}/*']" => ["shared/more", ""],
        "eval_gemfile '../shared/Gemfile'" => ["shared/Gemfile", "gem 'other'\n"],
        "gem 'eng', path: '../eng'" => ["eng/eng.gemspec", "Gem::Specification.new('eng', '2.0')\n"],
        "gem 'eng', '1', path: '../eng'" => ["eng/more.gemspec", ""],
        "`git rev-parse HEAD`" => [".git/HEAD", "ref: refs/heads/other\n"]
      }.freeze
    end
  end
end

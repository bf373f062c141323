# frozen_string_literal: true

require "support/boot_gems"

module Spate
  # Every kind of edit between two boots of a BootGems project. Each lambda returns a Hash of options for the next boot,
  # {env: {...}, arguments: [...]}, or another value for no options.
  module BootEdits
    ALPHA = "vendor/bundle/#{Layout.ruby_scope}/gems/alpha-1.0/lib".freeze
    BETA = "vendor/bundle/#{Layout.ruby_scope}/gems/beta-2.0/lib".freeze

    DELTA = "vendor/bundle/#{Layout.ruby_scope}/gems/delta-0.3/lib".freeze

    module_function

    # Replaces the first occurrence of a text in a file. Raises if there is none.
    def change(project, file, from, to)
      path = project.path(file)
      text = File.read(path)
      raise "#{file} holds no #{from.inspect}" unless text.include?(from)

      File.write(path, text.sub(from, to))
    end

    def keeping_times(project, file)
      before = File.stat(project.path(file))
      yield
      File.utime(before.atime, before.mtime, project.path(file))
    end

    def lock(project, **options) = project.write("Gemfile.lock", BootGems.lockfile(**options))

    FILES = {
      "same size, at once" => ->(p) { change(p, "#{ALPHA}/alpha/part.rb", "10", "11") },
      "same size, mtime put back" => lambda { |p|
        keeping_times(p, "#{BETA}/beta/part.rb") { change(p, "#{BETA}/beta/part.rb", "20", "21") }
      },
      "same size by an exchange of inodes, mtime put back" => lambda { |p|
        keeping_times(p, "#{BETA}/shadow.rb") do
          p.write("new", File.read(p.path("#{BETA}/shadow.rb")).sub("beta", "bite"))
          File.rename(p.path("new"), p.path("#{BETA}/shadow.rb"))
        end
      },
      "grown" => ->(p) { change(p, "#{ALPHA}/alpha/lazy.rb", ":lazy", "[:lazy, __LINE__]") },
      "lines added above" => ->(p) { change(p, "#{ALPHA}/alpha.rb", "module Alpha", "# one\n# two\nmodule Alpha") },
      "emptied" => ->(p) { p.write("app/loaded.rb", "") },
      "a syntax error" => ->(p) { p.write("#{BETA}/beta/part.rb", "module Beta\n  PART = \nend end\n") },
      "times lost" => ->(p) { Dir.glob(p.path("vendor/**/*.rb")) { |f| File.utime(1, 1_000_000_000, f) } },
      "the application's file" => ->(p) { change(p, "app/part.rb", ":part", ":PART") },
      "a file of a gem by path" => ->(p) { change(p, "gamma/lib/gamma.rb", "[:gamma", "[:GAMMA") },
      "the program itself" => ->(p) { change(p, "main.rb", "attempt(\"lazy\")", "attempt(\"lazi\")") }
    }.freeze

    NAMES = {
      "removed" => ->(p) { File.unlink(p.path("#{ALPHA}/alpha/lazy.rb")) },
      "renamed" => ->(p) { File.rename(p.path("#{BETA}/shadow.rb"), p.path("#{BETA}/shadows.rb")) },
      "one that was missing" => ->(p) { p.write("#{ALPHA}/alpha/nothing.rb", "Alpha::NOTHING = 0\n") },
      "one that was missing, in another gem" => lambda { |p|
        p.write("#{BETA}/alpha/option.rb", "module Alpha\n  OPTION = :there\nend\n")
      },
      "shadowed by an earlier folder" => lambda { |p|
        p.write("#{DELTA}/shadow.rb", "SHADOW = :delta\n")
      },
      "shadowed by a file in a new folder" => lambda { |p|
        p.write("#{DELTA}/beta/part.rb", "module Beta\n  PART = :new\nend\n")
      },
      "an extension beside it" => ->(p) { p.write("#{BETA}/shadow.#{RbConfig::CONFIG["DLEXT"]}", "no ELF") },
      "a folder in its place" => lambda { |p|
        File.unlink(p.path("#{BETA}/shadow.rb"))
        Dir.mkdir(p.path("#{BETA}/shadow.rb"))
      },
      "a symbolic link in its place" => lambda { |p|
        p.write("#{BETA}/other.rb", "SHADOW = :linked\n")
        File.unlink(p.path("#{BETA}/shadow.rb"))
        File.symlink("other.rb", p.path("#{BETA}/shadow.rb"))
      },
      "a symbolic link to nothing" => lambda { |p|
        File.unlink(p.path("#{BETA}/shadow.rb"))
        File.symlink("nowhere.rb", p.path("#{BETA}/shadow.rb"))
      },
      "a folder exchanged for a link to another" => lambda { |p|
        FileUtils.cp_r(p.path("#{ALPHA}/alpha"), p.path("elsewhere"), preserve: true)
        change(p, "elsewhere/part.rb", "10", "12")
        FileUtils.mv(p.path("#{ALPHA}/alpha"), p.path("away"))
        File.symlink(p.path("elsewhere"), p.path("#{ALPHA}/alpha"))
      },
      "a folder exchanged for its copy, one file changed" => lambda { |p|
        FileUtils.cp_r(p.path("#{ALPHA}/alpha"), p.path("#{ALPHA}/copy"), preserve: true)
        change(p, "#{ALPHA}/copy/part.rb", "10", "13")
        File.utime(Time.at(1), File.mtime(p.path("#{ALPHA}/alpha/part.rb")), p.path("#{ALPHA}/copy/part.rb"))
        FileUtils.mv(p.path("#{ALPHA}/alpha"), p.path("away"))
        File.rename(p.path("#{ALPHA}/copy"), p.path("#{ALPHA}/alpha"))
      },
      "unreadable as text" => ->(p) { File.binwrite(p.path("#{BETA}/beta/part.rb"), "\x00\xFF\x00") }
    }.freeze

    BUNDLES = {
      "gem upgraded" => ->(p) { lock(p, alpha: "1.1") },
      "gem downgraded to one that is gone" => ->(p) { lock(p, alpha: "0.9") },
      "gem uninstalled" => lambda { |p|
        FileUtils.rm_rf([p.gem("delta-0.3"), "#{p.bundle_root}/specifications/delta-0.3.gemspec"])
      },
      "gem's folder gone, its specification there" => ->(p) { FileUtils.rm_rf(p.gem("delta-0.3")) },
      "the whole bundle gone" => ->(p) { FileUtils.rm_rf(p.path("vendor/bundle")) },
      "gem switched to path" => lambda { |p|
        FileUtils.cp_r(p.gem("delta-0.3"), p.path("delta"))
        p.write("delta/delta.gemspec", BootGems::GAMMASPEC.sub("gamma", "delta").sub("0.1", "0.3"))
        change(p, "delta/lib/delta.rb", ":delta", ":path")
        change(p, "Gemfile", 'gem "delta", group: :tools', 'gem "delta", path: "delta"')
        text = BootGems.lockfile.sub("    delta (0.3)\n", "").sub("  delta\n", "  delta!\n")
        p.write("Gemfile.lock", "PATH\n  remote: delta\n  specs:\n    delta (0.3)\n\n#{text}")
      },
      "group changed" => ->(p) { change(p, "Gemfile", "group: :tools", "group: :other") },
      "gem no longer loaded" => ->(p) { change(p, "Gemfile", "group: :tools", "require: false") },
      "Gemfile reads one more file" => ->(p) { p.write("Gemfile.more", "gem \"alpha\", require: false\n") },
      "gemspec of a path gem" => lambda { |p|
        change(p, "gamma/gamma.gemspec", "spec.summary = spec.name", "spec.summary = spec.name\n  " \
                                                                     "spec.require_paths = [\"other\"]")
      },
      "specification of an installed gem" => lambda { |p|
        file = Dir.glob("#{p.bundle_root}/specifications/delta*").first.delete_prefix("#{p.folder}/")
        change(p, file, '["lib".freeze]', '["bib".freeze]')
      },
      "lockfile gone, gems there" => ->(p) { File.unlink(p.path("Gemfile.lock")) },
      "Gemfile is wrong" => ->(p) { change(p, "Gemfile", 'gem "alpha"', "gem :alpha, (") },
      "Gemfile and lockfile disagree" => ->(p) { change(p, "Gemfile", 'gem "alpha"', 'gem "alpha", "1.1"') },
      "group left out by a setting" => ->(p) { p.write(".bundle/config", "---\nBUNDLE_WITHOUT: \"tools\"\n") },
      "group left out by the user's setting" => lambda { |p|
        FileUtils.mkdir_p("#{p.home}/.bundle")
        File.write("#{p.home}/.bundle/config", "---\nBUNDLE_WITHOUT: \"tools\"\n")
      }
    }.freeze

    ENVIRONMENTS = {
      "group left out by the environment" => ->(_) { { env: { "BUNDLE_WITHOUT" => "tools" } } },
      "dual boot: the lockfile lacks a gem" => ->(_) { { env: { "DUAL" => "next" } } },
      "another Gemfile" => lambda { |p|
        p.write("Gemfile.next", File.read(p.path("Gemfile")))
        p.write("Gemfile.next.lock", BootGems.lockfile(alpha: "1.1"))
        { env: { "BUNDLE_GEMFILE" => p.path("Gemfile.next") } }
      },
      "RUBYLIB shadows" => lambda { |p|
        p.write("early/shadow.rb", "SHADOW = :early\n")
        { env: { "RUBYLIB" => p.path("early") } }
      },
      "-I shadows" => lambda { |p|
        p.write("early/shadow.rb", "SHADOW = :early\n")
        { arguments: ["-I", p.path("early"), "main.rb"] }
      },
      "RUBYOPT requires a file" => lambda { |p|
        p.write("opt.rb", "SHADOW = :option\n")
        { env: { "RUBYOPT" => "-r#{p.path("opt")}" } }
      },
      "RUBYOPT=-w" => ->(_) { { env: { "RUBYOPT" => "-w" } } },
      "frozen string literals" => ->(_) { { env: { "RUBYOPT" => "--enable=frozen-string-literal" } } },
      "--yjit" => ->(_) { RubyVM.const_defined?(:YJIT) ? { arguments: ["--yjit", "main.rb"] } : nil },
      "another exit code" => ->(_) { { arguments: ["main.rb", "three"] } },
      "GEM_HOME elsewhere" => ->(p) { { env: { "GEM_HOME" => p.path("nothing") } } },
      "BUNDLE_PATH elsewhere" => ->(p) { { env: { "BUNDLE_PATH" => p.path("nothing") } } },
      "another folder to start in" => lambda { |p|
        FileUtils.mkdir_p(p.path("app/deep"))
        { arguments: ["../../main.rb"], chdir: p.path("app/deep") }
      }
    }.freeze

    ALL = FILES.merge(NAMES, BUNDLES, ENVIRONMENTS).freeze
    # Independent edits that are made together to save time.
    TOGETHER = [
      ["same size, at once", "same size, mtime put back", "same size by an exchange of inodes, mtime put back", "grown",
       "lines added above", "emptied", "the application's file", "a file of a gem by path"],
      ["a syntax error", "removed", "renamed", "one that was missing", "one that was missing, in another gem"],
      ["shadowed by an earlier folder", "a folder exchanged for a link to another", "the program itself"],
      ["a folder in its place", "a folder exchanged for its copy, one file changed", "unreadable as text"],
      ["shadowed by a file in a new folder", "a symbolic link in its place"],
      ["times lost"], ["an extension beside it"], ["gem upgraded"], ["gem uninstalled"], ["the whole bundle gone"],
      ["gem switched to path"], ["group changed", "Gemfile reads one more file", "gemspec of a path gem"],
      ["group left out by a setting"], ["dual boot: the lockfile lacks a gem"], ["another Gemfile"],
      ["RUBYLIB shadows", "-I shadows"], ["RUBYOPT requires a file"], ["RUBYOPT=-w"], ["frozen string literals"],
      ["another folder to start in"]
    ].freeze
  end
end

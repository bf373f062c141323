# frozen_string_literal: true

require "cli/warm/warm_case"

# After a change of anything that a boot reads, a command gets the same state as from a boot.
class WarmChangesTest < WarmCase
  CHANGES = {
    "a file" => ->(t) { t.write("config/data.txt", "other") },
    "a file, with its size and times" => lambda do |t|
      stat = File.stat(path = t.path("config/data.txt"))
      File.write(path, "atad")
      File.utime(stat.atime, stat.mtime, path)
    end,
    "permissions" => ->(t) { File.chmod(0o600, t.path("config/data.txt")) },
    "a name in a listed folder" => ->(t) { t.write("config/extra/two", "") },
    "a name that was missing" => ->(t) { t.write("config/absent.txt", "") },
    "a name that a glob finds" => ->(t) { t.write("config/deep/a/c", "") },
    "the target of a link" => ->(t) { t.write("config/target", "other") },
    "a file that a child process reads" => ->(t) { t.write("config/child.txt", "other") },
    "settings" => ->(t) { t.write("config/state.yml", "shared:\n  a: 2\n") },
    "a library" => ->(t) { t.write("lib/library.rb", "LIBRARY = 2\n") },
    "an initializer" => ->(t) { t.write("config/initializers/more.rb", "STATE[:more] = 1\n") },
    "a class that is loaded later" => lambda do |t|
      t.write("app/models/note.rb", "class Note < Struct.new(:text)\n  def where = [7]\nend\n")
    end
  }.freeze

  def test_a_command_sees_each_change
    warm_up
    expected = show(SPATE_WARM: "0").out
    CHANGES.each do |name, change|
      kept = snapshot
      change.call(@app)
      cold = show(SPATE_WARM: "0").out

      refute_equal expected, cold, "#{name} has no effect"
      assert_equal cold, show.out, name
      restore(kept)
    end
  end

  def test_variables
    warm_up
    assert parent_of_command(SHLVL: "7", WINDOWID: "4"), "variables of a window do not count"

    others = [{ STATE_VARIABLE: "1" }, { TERM: "xterm" }, { TZ: "Asia/Tokyo" }, { RAILS_ENV: "test" }, { OTHER: "1" }]
    others.each do |more|
      assert_equal show(SPATE_WARM: "0", **more).out, show(**more).out, more
    end
  end

  private

  def snapshot
    paths = Dir.glob("#{@app.folder}/{config,app,lib}/**/*").select { |path| File.file?(path) && !File.symlink?(path) }
    paths.to_h { |path| [path, [File.binread(path), File.stat(path).mode]] }
  end

  def restore(kept)
    paths = Dir.glob("#{@app.folder}/{config,app,lib}/**/*").select { |path| File.file?(path) && !File.symlink?(path) }
    FileUtils.rm_f(paths - kept.keys)
    kept.each do |path, (text, mode)|
      File.binwrite(path, text) unless File.exist?(path) && File.binread(path) == text
      File.chmod(mode, path)
    end
  end
end

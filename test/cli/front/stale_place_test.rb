# frozen_string_literal: true

require_relative "stale_case"

# The front end leaves a command to Ruby if another user runs it, or if the bundle is at a different path or below
# another mount, unless the result is the same.
class StalePlaceTest < StaleCase
  NOBODY = "65534"
  GROUP = "4711"

  # Inserts words before each program; see InPlaceCase#answered?.
  def run_program(*command, **options) = super(*@before, *command, **options)

  def as(user: NOBODY, group: NOBODY, groups: nil)
    ["setpriv", "--reuid=#{user}", "--regid=#{group}", groups ? "--groups=#{groups}" : "--clear-groups"]
  end

  # Changes the owner of all files, makes a record as that user, and runs the block. Asserts that the front end needs no
  # Ruby afterwards.
  def given_to_nobody(**others)
    skip "only root can be another user" unless Process.uid.zero?
    FileUtils.chown_R(NOBODY.to_i, NOBODY.to_i, folder)
    File.chmod(0o755, folder)
    @before = as(**others)
    learn
    yield
    assert answered?
  end

  def vary_as(name, before)
    was = @before
    @before = before
    vary(name)
  ensure
    @before = was
  end

  def test_another_user
    given_to_nobody do
      vary_as("root", [])
      vary_as("another user", as(user: "4712"))
      vary_as("another group", as(group: GROUP))
      vary_as("more groups", as(groups: GROUP))
      vary_as("another user of the same group", as(user: "4712", groups: NOBODY))
    end
  end

  # Files that only a group can read.
  def test_files_of_a_group
    [path("Gemfile"), bundle("specifications/tool-1.0.gemspec"), bundle("gems/tool-1.0")].each do |place|
      given_to_nobody(groups: GROUP) do
        File.chown(0, GROUP.to_i, place)
        File.chmod(File.directory?(place) ? 0o750 : 0o640, place)
        learn
        vary_as("#{place} without the group", as)
      end
    end
  end

  def test_root_with_fewer_capabilities
    skip "only root has capabilities" unless Process.uid.zero?
    File.chown(NOBODY.to_i, nil, path("Gemfile"))
    File.chmod(0o600, path("Gemfile"))
    learn
    vary("without capabilities", before: %w[setpriv --bounding-set=-dac_override,-dac_read_search])
  end

  # ---- other places ----

  def test_moved_and_copied
    { "copied" => ->(to) { FileUtils.cp_r(path, to, preserve: true) }, "linked" => ->(to) { File.symlink(path, to) },
      "moved" => ->(to) { File.rename(path, to) } }.each do |name, change|
      change.call(to = File.join(folder, name))
      vary(name, dir: to)
    end
    File.rename(File.join(folder, "moved"), path)
    assert answered?
  end

  def test_another_store
    other = File.join(folder, "other")
    FileUtils.cp_r(user, other, preserve: true)
    vary("a copied home", env: { "HOME" => other })
    vary("a copied store", env: { "SPATE_HOME" => "#{other}/spate" })
    File.symlink(user("spate"), "#{other}/link")
    vary("a link to the store", env: { "SPATE_HOME" => "#{other}/link" })
    File.rename(user("spate"), "#{other}/moved")
    File.symlink("#{other}/moved", user("spate"))
    vary("a moved store behind a link")
  end

  def test_a_link_to_the_bundle
    File.rename(path("vendor"), File.join(folder, "vendor"))
    File.symlink("../vendor", path("vendor"))
    vary("the bundle behind a link")
    learn
    undo = aside(File.join(folder, "vendor")) { |old| FileUtils.cp_r(old, File.join(folder, "vendor"), preserve: true) }
    vary("a copy behind the link")
    undo.call
    File.unlink(path("vendor"))
    File.symlink(File.join(folder, "vendor"), path("vendor"))
    vary("another text of the link")
  end

  # ---- other mounts ----

  def test_mounts
    ignore_mounts
    assert answered?(before: mounted("mount --bind #{path} #{path}")), "the same files"
    [path("Gemfile"), path("Gemfile.lock"), path("vendor"), bundle, bundle("gems"), bundle("gems/base-1.0/lib/base.rb"),
     path, user, user("spate"), store("objects"), RbConfig.ruby, RbConfig::CONFIG["rubylibdir"]].each do |place|
      cover(place)
    end
    ["mount -t tmpfs none #{path("vendor")}", "mount -t tmpfs none #{store}",
     "mount --bind #{path} #{path} && mount -o remount,bind,ro #{path}",
     "mount --bind #{user} #{user} && mount -o remount,bind,ro #{user}"].each do |command|
      vary(command, before: mounted(command))
    end
  end
end

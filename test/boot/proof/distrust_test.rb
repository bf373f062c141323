# frozen_string_literal: true

require "boot/exec_case"

module Spate
  # A store in another user's folder. Its files may belong to root, but the other user can replace them, so they are not
  # used.
  class DistrustTest < ExecCase
    STRANGER = 54_321

    def setup
      skip "needs root to give a folder away" unless Process.euid.zero?

      super
      build
      @foreign = File.join(folder, "foreign").tap { |path| Dir.mkdir(path) }
    end

    def test_link_in_another_users_folder_is_not_followed
      File.symlink("#{project.home}/spate", "#{@foreign}/spate")
      assert_equal true, replay
      File.chown(STRANGER, nil, @foreign)
      assert_equal "#{@foreign} belongs to user #{STRANGER}", replay
    end

    def test_link_of_another_user_is_not_followed
      File.chmod(0o1777, @foreign)
      File.symlink("#{project.home}/spate", "#{@foreign}/spate")
      assert_equal true, replay
      File.lchown(STRANGER, nil, "#{@foreign}/spate")
      assert_equal "#{@foreign}/spate belongs to user #{STRANGER}", replay
    end

    def test_link_in_a_world_writable_folder_is_not_followed
      File.symlink("#{project.home}/spate", "#{@foreign}/spate")
      File.chmod(0o777, @foreign)
      assert_equal "#{@foreign} can be written by others (mode 777)", replay
    end

    def test_install_refuses_another_users_folder
      FileUtils.mkdir_p("#{@foreign}/spate")
      File.chown(STRANGER, nil, @foreign)
      output, status = project.spate("install", SPATE_HOME: "#{@foreign}/spate")
      assert_equal [9, true], [status.exitstatus, output.include?("#{@foreign} belongs to user #{STRANGER}")], output
      assert_predicate project.spate("install", SPATE_HOME: "#{@foreign}/spate", SPATE_TRUST_STORE: "1").last,
                       :success?
    end

    # Containers in CI may run as root with the HOME of another user.
    def test_home_may_belong_to_another_user
      File.chown(STRANGER, nil, @foreign)
      place = { HOME: @foreign, SPATE_HOME: nil }
      output, status = project.spate("install", **place)
      assert_predicate status, :success?, output
      build_compile_caches = project.spate("boot", "build", **place)
      assert_predicate build_compile_caches.last, :success?, build_compile_caches.first
      assert_equal [true, true], parts(**place).values_at("compile_cache", "replay")
      FileUtils.mkdir("#{@foreign}/own").then { File.chown(STRANGER, nil, "#{@foreign}/own") }
      assert_equal 9, project.spate("install", **place, XDG_CACHE_HOME: "#{@foreign}/own").last.exitstatus
    end

    # The compile cache is not opened, even if its owner and mode are fine.
    def test_compile_cache_of_spates_own_code_is_not_used
      home = "#{@foreign}/spate"
      script = "require 'spate'; require 'spate/self_cache'; p Spate::SelfCache.use"
      own = ["ruby", "--disable-gems", "-I#{File.expand_path("../../../lib", __dir__)}", "-e"]
      project.run!(*own, "#{script}; Process.wait(Spate::SelfCache.send(:start, Spate::SelfCache.path(ENV)))",
                   SPATE_HOME: home.tap { |path| FileUtils.mkdir_p("#{path}/store/v1") }, SPATE_NO_OWN_CODE: nil)
      assert_equal "true\n", project.run!(*own, script, SPATE_HOME: home, SPATE_NO_OWN_CODE: nil)
      File.chown(STRANGER, nil, @foreign)
      assert_equal "false\n", project.run!(*own, script, SPATE_HOME: home, SPATE_NO_OWN_CODE: nil)
    end

    private

    # true, or the reason why the Bundler replay or any compile cache is not used.
    def replay
      found = parts(SPATE_HOME: "#{@foreign}/spate")
      reason = found["compile_cache"]
      reason == true ? found["replay"] : reason.delete_prefix("compile caches are not used: ")
    end
  end
end

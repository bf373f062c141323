# frozen_string_literal: true

require "install/dozen_case"
require "open3"

# Compiles the extensions in a copy of the checkout: as for a system other than Linux, with musl, and for a Linux
# without /proc or newer system calls.
class ElsewhereTest < DozenCase
  ROOT = File.expand_path("../..", __dir__)
  # Tests that need no tracer, no times that prove content, and no sendfile.
  FILES = [
    "bytes/test", "test/store", "test/boot/background_test.rb", "test/boot/compile_cache_folder_test.rb",
    *%w[link release store unpack].map { |name| "test/native/#{name}_test.rb" },
    *%w[aside damage compile_cache loader require].map { |name| "test/native/boot/#{name}_test.rb" },
    *%w[install/prepare/variants install/trouble/kill install/unpack/hostile specification/rubygems_metadata]
      .map { |name| "test/#{name}_test.rb" },
    *%w[files http1/requests reactor workers].map { |name| "server/test/#{name}_test.rb" }
  ].select { |path| File.exist?(File.join(ROOT, path)) }.freeze
  # TMPDIR is short, because the path of a socket must be.
  OWN = { "SPATE_ELSEWHERE" => "1", "SPATE_TEST_FULL" => nil, "TMPDIR" => "/tmp" }.freeze
  MUSL_FLAGS = [
    "-std=gnu11", "-fsyntax-only", "-Werror=implicit-function-declaration",
    *%w[HAVE_PREADV HAVE_SYS_EPOLL_H].map { |name| "-D#{name}" },
    *%w[core ext/spate/boot server/core server/ext/io bytes/ext/bytes/include].map { |path| "-I#{ROOT}/#{path}" },
    *RbConfig::CONFIG.values_at("rubyhdrdir", "rubyarchhdrdir").flat_map { |path| ["-isystem", path] },
    *%w[include machine].flat_map { |name| ["-isystem", "#{ROOT}/build/core/musl/#{name}"] }
  ].freeze
  WITHOUT_PROC = 'mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec "$@"'

  def test_tests_as_on_another_system
    copy = "#{folder}/checkout"
    tracked = Open3.capture2("git", "ls-files", "-z", chdir: ROOT).first
    tracked.split("\0").each do |path|
      FileUtils.mkdir_p(File.dirname("#{copy}/#{path}"))
      FileUtils.copy_entry("#{ROOT}/#{path}", "#{copy}/#{path}")
    end
    said, status = Open3.capture2e(OWN, "bin/test", *FILES, chdir: copy)

    assert_predicate status, :success?, said
  end

  def test_without_proc
    skip "only root can hide /proc" unless Process.euid.zero?

    assert_works("unshare", "--mount", "sh", "-c", WITHOUT_PROC, "sh")
  end

  def test_an_old_kernel
    forbid = "#{folder}/forbid"
    assert system("cc", "-w", "-o", forbid, "#{ROOT}/test/tracer/programs/forbid.c")
    assert_works(forbid, "new")
  end

  # Uses musl's headers; those of Ruby, the kernel and libraries are this system's.
  def test_extensions_compile_with_musl
    skip "musl-gcc is missing" unless system("musl-gcc", "--version", out: File::NULL)
    assert system("make", "-s", "-C", "#{ROOT}/core", "musl-headers")
    sources = Dir["#{ROOT}/{ext/spate,bytes/ext,server/ext}/*/**/*.c"]
    refute_empty sources
    sources.each do |path|
      said, status = Open3.capture2e("musl-gcc", *MUSL_FLAGS, "-I#{path[%r{\A.*/ext/(?:spate/)?\w+}]}", path)
      assert_predicate status, :success?, said
    end
  end

  private

  # Installs a project and runs a program in it. start: words before each command.
  def assert_works(*start)
    project = dozen("beside")
    through(project, start, "install")
    assert_right(project)
    assert_includes through(project, start, "exec", "ruby", "-e", "puts :there"), "there"
  end

  def through(project, start, *words)
    command = [*start, RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/spate", *words]
    said, status = Open3.capture2e(project.env, *command, chdir: project.folder)
    assert_predicate status, :success?, said
    said
  end
end

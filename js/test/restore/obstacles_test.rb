# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # Something of a different type exists at a path that a restore needs. In node_modules it is moved away. In a folder
  # of the project or in an archive, it is an error that states the path and the expected type.
  class JSRestoreObstaclesTest < RestoreCase
    KINDS = {
      file: ->(path) { File.write(path, "mine") },
      nowhere: ->(path) { File.symlink("nowhere", path) },
      loop: ->(path) { File.symlink(File.basename(path), path) },
      elsewhere: ->(path) { File.symlink("/", path) },
      pipe: ->(path) { File.mkfifo(path) },
      folder: ->(path) { FileUtils.mkdir_p("#{path}/x/y") }
    }.freeze

    # The project's own folders. Nothing in them is moved away.
    OWN = %w[node_modules packages packages/w packages/w/node_modules].freeze
    PLACES = %w[.bin .bin/a @s @s/c a a/node_modules a/node_modules/.bin a/node_modules/link a/node_modules/b @l @l/link
                .state].map { |path| "node_modules/#{path}" } +
             %w[packages/w/node_modules/b packages/w/node_modules/link]

    def wanted(files = {})
      a = package("a", json: { bin: "cli.js" }, files: { "cli.js" => "", **files })
      trees = ["node_modules/a/node_modules/b", "node_modules/@s/c", "packages/w/node_modules/b"]
      links = %w[node_modules/@l/link packages/w/node_modules/link node_modules/a/node_modules/link]
      plan(tree("node_modules/a", a), *trees.map { |path| tree(path, package(path[%r{(@s/)?.\z}])) },
           projects: %w[. packages/w], links: links.to_h { |path| [path, "../../lib"] },
           bins: ["", "a/node_modules/"].map { |path| JS::BinFolder.new("node_modules/#{path}.bin", [], Style) })
    end

    def check
      context = JS::Restore::Context.new(root: root, env: {}, store: store, events: Events.new,
                                         options: JS::Options.new)
      JS::Restore::Check.new(context, wanted).call.differences.map(&:to_s)
    end

    def put(place, make)
      FileUtils.rm_rf([inside("node_modules"), inside("packages")])
      FileUtils.mkdir_p(File.dirname(inside(place)))
      make.call(inside(place))
    end

    def assert_told(error, place)
      assert_equal 9, error.exit_code
      assert_match(/#{Regexp.escape(inside(place))} is (a|no) .*: expected /, error.message)
      assert_match(/\Aremove it/, error.hint)
    end

    def test_obstacles_in_node_modules_are_moved_away
      PLACES.product(KINDS.to_a) do |place, (_, make)|
        put(place, make)
        restore(wanted)
        assert_empty check
      end
    end

    def test_an_obstacle_in_a_folder_of_the_project_is_an_error
      OWN.product(KINDS.except(:folder).to_a) do |place, (_, make)|
        put(place, make)
        assert_told(assert_raises(JS::Restore::FolderError) { restore(wanted) }, place)
      end
    end

    # The error is the same in a second restore, when the package is in the store.
    def test_an_obstacle_from_an_archive_is_an_error
      { "node_modules" => "node_modules", "node_modules/.bin" => "node_modules/.bin", "node_modules/b" => nil,
        "node_modules/link/x" => "node_modules/link" }.each do |file, culprit|
        2.times do
          FileUtils.rm_rf([inside("node_modules"), inside("packages")])
          error = assert_raises(JS::Restore::FolderError, file) { restore(wanted(file => "theirs")) }
          assert_told(error, "node_modules/a/#{culprit || file}")
        end
      end
    end

    def test_archive_files_without_a_conflict_are_accepted
      %w[node_modules/.bin/b node_modules/b/package.json node_modules/link node_modules/.bin/b/x].each do |file|
        FileUtils.rm_rf([inside("node_modules"), inside("packages")])
        restore(wanted(file => "theirs"))
        assert_path_exists inside("node_modules/a/node_modules/b/package.json")
      end
    end

    # The folder is so deep that paths in it exceed the system's limit.
    def test_removes_a_folder_of_any_depth
      %w[node_modules/stray node_modules/a/node_modules/stray node_modules/a/deep].each do |place|
        restore(wanted)
        deepen(inside(place))
        assert_equal ["#{place} is not in the lockfile"], check
        restore(wanted, options: JS::Options.new(restore: ["a"]), surroundings: place)
        assert_empty check
        refute_path_exists inside(place)
        assert_empty Dir.children(store.path("tmp"))
      end
    end

    def deepen(path)
      FileUtils.mkdir_p(path)
      text = "2000.times { Dir.mkdir('node_modules') && Dir.chdir('node_modules') }"
      assert system(RbConfig.ruby, "--disable-gems", "-e", text, chdir: path)
    end
  end
end

# frozen_string_literal: true

require_relative "majors_case"

module Spate
  # A lockfile with importers whose projects are missing. The other projects are installed, as by each pnpm major.
  class PnpmAbsentProjectsTest < PnpmMajorsCase
    def workspace(*)
      put("package.json", { name: "root", private: true, devDependencies: { one: "1.0.0" } })
      put("pnpm-workspace.yaml", "packages: [a, b, c]\n")
      member("a", dependencies: { one: "1.0.0" }, devDependencies: { three: "*" })
      member("b", dependencies: { two: "1.0.0" }, devDependencies: { one: "*" })
      member("c")
    end

    def member(name, **more)
      put("#{name}/package.json", { name: name, version: "1.0.0", **more })
    end

    def remove(*names) = -> { names.each { |name| FileUtils.rm_rf("#{@root}/#{name}") } }

    # This happens in a container to which only some package.json files were copied.
    def test_importers_of_missing_projects
      assert_as_each_pnpm(change: remove("b")) { workspace }
    end

    def test_importers_of_missing_projects_with_an_omitted_kind
      assert_as_each_pnpm(arguments: ["--prod"], options: { omit: ["dev"] }, change: remove("b", "c")) { workspace }
    end

    def test_the_folder_of_a_project_without_its_package_json
      assert_as_each_pnpm(change: -> { File.unlink("#{@root}/b/package.json") }) { workspace }
    end

    # The patterns of the workspace may no longer match the project.
    def test_a_project_that_no_pattern_names
      assert_as_each_pnpm(change: -> { put("pnpm-workspace.yaml", "packages: [a, c]\n") }) { workspace }
    end

    def test_all_projects_but_the_root
      assert_as_each_pnpm(change: remove("a", "b", "c")) { workspace }
    end

    # A link may lead to a missing folder.
    def test_a_project_that_another_links_to
      assert_as_each_pnpm(change: remove("b")) do
        workspace
        member("a", dependencies: { b: "workspace:*" })
      end
    end
  end
end

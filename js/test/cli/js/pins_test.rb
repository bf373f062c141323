# frozen_string_literal: true

require "cli/js/js_case"
require "json"

# `spate js check` and `spate check` compare the pins of an importmap with the vendored files, in projects with and
# without packages.
class JSPinsTest < JSCase
  def setup
    super
    write("app/config/importmap.rb", "pin \"md5\" # @2.3.0\npin \"own\"\n")
    vendor("md5", "2.3.0")
  end

  def vendor(name, version)
    write("app/vendor/javascript/#{name}.js", "// #{name}@#{version} downloaded from https://cdn.test/x\n\nexport {}\n")
  end

  def without_packages = %w[package.json package-lock.json].each { |name| FileUtils.rm(app(name)) }

  def test_beside_packages
    said = spate("js", "check", dir: app("config"))
    assert_equal [0, "node_modules is complete: 0 packages\n" \
                     "vendor/javascript matches config/importmap.rb: 1 pin\n"], said.to_a.values_at(0, 2)
    vendor("md5", "2.2.0")

    assert_equal 11, spate("js", "check", dir: app).status
    assert_empty spate("js", "check", "--quiet", dir: app).err.lines.grep(/complete/)
  end

  def test_without_packages
    without_packages
    assert_equal [0, "vendor/javascript matches config/importmap.rb: 1 pin\n"],
                 spate("js", "check", dir: app).to_a.values_at(0, 2)
    vendor("md5", "2.2.0")
    vendor("old", "1.0.0")
    assert_equal [11, "", <<~TEXT], spate("js", "check", dir: app).to_a
      error: vendor/javascript differs from config/importmap.rb in 2 places
        vendor/javascript/md5.js is md5@2.2.0, expected md5@2.3.0
        vendor/javascript/old.js is old@1.0.0, which is not pinned
      hint: bin/importmap pristine downloads the pinned files; remove files that are not pinned
    TEXT
    assert_equal 2, spate("js", dir: app).status
  end

  def test_json
    without_packages
    FileUtils.rm(app("vendor/javascript/md5.js"))
    said = spate("js", "check", "--json", dir: app)
    differs, checked = said.out.lines.map { |line| JSON.parse(line) }

    assert_equal 11, said.status
    assert_equal ["importmap_difference", "vendor/javascript/md5.js", "missing", "md5@2.3.0", nil], differs.values
    assert_equal({ "event" => "importmap_checked", "ok" => false, "total" => 1, "differences" => 1 }, checked)
  end

  def test_with_a_bundle
    without_packages
    vendor("md5", "2.2.0")
    write("app/Gemfile", "")
    write("app/Gemfile.lock", "GEM\n  specs:\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n")
    said = spate("check", dir: app)

    assert_equal [11, 1], [said.status, said.err.scan("differs from config/importmap.rb in 1 place").size]
    assert_includes said.err, "the bundle is complete: 0 gems"
  end
end

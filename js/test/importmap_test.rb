# frozen_string_literal: true

require "test_helper"
require "support/importmap_rails"

class JSImportmapTest < Minitest::Test
  Importmap = Spate::JS::Importmap
  # In the format of `bin/importmap pin` and `rails new`.
  PINS = <<~RUBY
    # Pin npm packages by running ./bin/importmap

    pin "application"
    pin "@hotwired/turbo-rails", to: "turbo.min.js"
    pin_all_from "app/javascript/controllers", under: "controllers"
    pin "md5", preload: true # @2.3.0
    pin "@rails/request.js", to: "@rails--request.js.js" # @0.0.9
    pin 'remote', to: "https://cdn.test/remote@1.0.0/x.js"
    # pin "old" # @1.0.0
  RUBY

  def setup
    @root = File.realpath(Dir.mktmpdir)
    write("config/importmap.rb", PINS)
    vendor("md5.js", "md5@2.3.0")
    vendor("@rails--request.js.js", "@rails/request.js@0.0.9")
  end

  def teardown = FileUtils.rm_rf(@root)

  def test_accepts_files_that_match_their_pins
    write("vendor/javascript/own.js", "export default 1\n")

    assert_empty problems
  end

  def test_nothing_is_reported_without_pins
    FileUtils.rm_rf("#{@root}/config")

    refute Importmap.at?(@root)
    assert_nil Importmap.check(@root)
  end

  def test_a_file_that_is_missing
    File.delete("#{@root}/vendor/javascript/md5.js")

    assert_equal ["vendor/javascript/md5.js is missing, expected md5@2.3.0"], problems
    write("app/javascript/md5.js", "export default 1\n")

    assert_empty problems
  end

  def test_another_version_or_package
    vendor("md5.js", "md5@2.2.0")
    vendor("@rails--request.js.js", "evil@0.0.9")

    assert_equal ["vendor/javascript/md5.js is md5@2.2.0, expected md5@2.3.0",
                  "vendor/javascript/@rails--request.js.js is evil@0.0.9, expected @rails/request.js@0.0.9"],
                 problems
  end

  def test_reports_files_that_are_not_pinned_any_more
    vendor("old.js", "old@1.0.0")

    assert_equal ["vendor/javascript/old.js is old@1.0.0, which is not pinned"], problems
    ["pin_all_from \"vendor/javascript\"", "%w[old].each { |name| pin name }", "pin(\n  \"old\")"].each do |pins|
      write("config/importmap.rb", "#{PINS}#{pins}\n")

      assert_empty problems
    end
  end

  def test_pins_cannot_leave_the_folder_and_are_not_evaluated
    write("config/importmap.rb", <<~RUBY)
      raise
      pin "x", to: "../../secret.js" # @1.0.0
      pin "y", to: "/etc/y.js" # @1.0.0
    RUBY
    write("secret.js", "// x@2.0.0 downloaded from z\n")
    %w[md5.js @rails--request.js.js].each { |name| File.delete("#{@root}/vendor/javascript/#{name}") }

    assert_empty problems
  end

  # Names and addresses of pins. Some names are invalid as file names, and one address has no version.
  REAL = { "md5" => "https://cdn.test/npm:md5@2.3.0/md5.js", "lib/part" => "https://cdn.test/npm:lib@1.0.0/part.js",
           "@scope/one" => "https://cdn.test/npm:@scope/one@3.1.4-beta.2/index.js",
           "#lib/internal/from.js" => "https://cdn.test/npm:stream@4.5.2/from.js",
           "plain" => "https://cdn.test/plain.js" }.freeze

  def test_accepts_files_that_importmap_rails_wrote
    skip "importmap-rails cannot be had here" unless ImportmapRails.folder
    FileUtils.rm_rf("#{@root}/vendor")
    write("config/importmap.rb", "")
    versions = ImportmapRails.pin(@root, REAL)

    assert_empty problems
    assert_equal versions, Importmap.pins(File.read("#{@root}/config/importmap.rb")).select(&:version)
                                    .map { |pin| [pin.name[%r{\A(?:@[^/]+/)?[^/]+}], pin.version] }
    File.write("#{@root}/config/importmap.rb", "pin \"plain\"\n")

    assert_equal REAL.size - 1, problems.size
  end

  # Importmap.pins finds the same versions as importmap-rails in comments of unusual formats.
  def test_which_pins_have_a_version_for_importmap_rails
    skip "importmap-rails cannot be had here" unless ImportmapRails.folder
    write("config/importmap.rb", <<~RUBY)
      pin "one", preload: true # kept back: @1.0.0 next
      pin 'two', to: "two#old.js" # @2.0.0-rc.1
      pin "three" # 3.0.0
      pin "four" # @4
      # pin "five" # @5.0.0
    RUBY

    assert_equal ImportmapRails.pin(@root), Importmap.pins(File.read("#{@root}/config/importmap.rb"))
                                                     .select(&:version).map { |pin| [pin.name, pin.version] }
  end

  private

  def problems = Importmap.check(@root).problems.map(&:to_s)

  def vendor(name, head)
    write("vendor/javascript/#{name}", "// #{head} downloaded from https://cdn.test/x\n\nexport {}\n")
  end

  def write(path, text)
    path = "#{@root}/#{path}"
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
  end
end

# frozen_string_literal: true

require_relative "stale_case"

# Edits and removes every file of settings. test/cli/front/stale_files_test.rb creates missing ones.
class StaleSettingsTest < StaleCase
  FILES = { "app/.bundle/config" => "---\nBUNDLE_RETRY: \"2\"\n", "user/.bundle/config" => "---\nBUNDLE_JOBS: \"2\"\n",
            "user/.gemrc" => "---\n:verbose: false\n", "user/.config/gem/gemrc" => "---\n:verbose: false\n",
            "gemrc" => "---\n:backtrace: false\n", "gitconfig" => "[user]\n\tname = x\n" }.freeze
  # Lines in the formats of Bundler's and RubyGems' settings.
  LINES = <<~YAML.lines.freeze
    BUNDLE_FROZEN: "true"
    BUNDLE_WITHOUT: "test"
    BUNDLE_PATH: "other"
    BUNDLE_GEMFILE: "missing"
    BUNDLE_ONLY: "test"
    BUNDLE_PATH__SYSTEM: "true"
    BUNDLE_DEPLOYMENT: "true"
    BUNDLE_RETRY: "x"
    BUNDLE_FORCE_RUBY_PLATFORM: "true"
    BUNDLE_CACHE_PATH: "other"
    BUNDLE_LOCKFILE: "missing"
    BUNDLE_MIRROR__ALL: "http://other.test"
    BUNDLE_UNKNOWN: "1"
    BUNDLE_SPATE__LINK: "copy"
    BUNDLE_SPATE__JS: "false"
    :gempath: [/nonexistent]
    :gemhome: /nonexistent
    :sources: [http://other.test]
    no settings: [
  YAML

  def prepare = FILES.each { |name, text| write(name, text) }

  def more = { "GEMRC" => File.join(folder, "gemrc"), "GIT_CONFIG_GLOBAL" => File.join(folder, "gitconfig"), **super }

  def test_edited
    FILES.keys.product(LINES) do |name, line|
      place = File.join(folder, name)
      undo = nil
      try("#{line} in #{name}", -> { undo.call }) do
        undo = edited(place) { |text| File.write(place, "#{text}#{line}") }
      end
    end
  end

  def test_removed_and_replaced
    FILES.each_key do |name|
      place = File.join(folder, name)
      undo = nil
      { "removed" => ->(_) {}, "a folder" => ->(_) { Dir.mkdir(place) }, "empty" => ->(_) { File.write(place, "") },
        "a link" => ->(old) { File.symlink(old, place) } }.each do |change, make|
        try("#{name} #{change}", -> { undo.call }) { undo = aside(place, &make) }
      end
    end
  end

  # BUNDLE_APP_CONFIG names another folder for the application's settings.
  def test_settings_in_another_folder
    write("settings/config", "---\nBUNDLE_RETRY: \"2\"\n")
    [File.join(folder, "settings"), "../settings"].each do |value|
      @more = { "BUNDLE_APP_CONFIG" => value }
      learn
      LINES.each do |line|
        undo = nil
        place = File.join(folder, "settings/config")
        try("#{line} in #{value}", -> { undo.call }) do
          undo = edited(place) { |text| File.write(place, "#{text}#{line}") }
        end
      end
      vary("without it", env: { "BUNDLE_APP_CONFIG" => nil })
    end
  end
end

# frozen_string_literal: true

require "test_helper"
require "ripper"

# Dependencies have one direction. docs/architecture.md lists the components, the lowest first. A file must not name a
# constant or load a file of a higher component. The C code of a gem includes no header of another gem.
class ComponentsTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  PAGE = File.read("#{ROOT}/docs/architecture.md", encoding: "UTF-8")
  TABLE = /^<!-- components -->\n(.*?)^<!-- end -->/m
  # The components in the second cell of each row.
  ORDER = PAGE[TABLE, 1].lines.flat_map { |row| row.split("|")[2].to_s.scan(/`(\w+)`/).flatten }.freeze
  # { folder of C => folders whose headers it may include, in addition to its own and the system's }
  INCLUDES = { "core" => [], "ext/spate" => %w[core], "bytes/ext" => %w[core], "server/core" => [],
               "server/ext" => %w[server/core bytes/ext/bytes/include] }.freeze
  QUOTED = /^\s*#\s*include\s+"([^"]+)"/
  # { constant => component } that spate.rb does not autoload.
  UNNAMED = { "Tracer" => "tracer", "Inputs" => "inputs" }.freeze
  NOTHING = %i[on_sp on_nl on_ignored_nl on_comment].freeze

  def test_no_component_depends_on_a_higher_one
    assert_empty(arrows.select { |_, from, to| ORDER.index(to) > ORDER.index(from) })
  end

  def test_every_component_is_in_the_table
    assert_equal files.map { |path| component(path) }.uniq.sort, ORDER.sort
    assert_operator arrows.size, :>, 300
  end

  # Loading a single file of the module would define it, so the others would never be loaded.
  def test_util_is_loaded_as_a_whole
    assert_empty(files.select { |path| File.read(path).match?(%r{require.*/util/}) })
  end

  def test_dependency_is_detected
    text = "module Spate; class Store; X = Boot::BootLog; Y = ::Spate::CLI; Z = 'Install'; end; end # Registry"
    assert_equal %w[store boot cli], named(text)
  end

  def test_no_product_includes_headers_of_another
    INCLUDES.each do |folder, others|
      known = [folder, *others].flat_map { |one| Dir["#{ROOT}/#{one}/**/*.h"] }
      included = sources(folder).flat_map { |path| File.read(path).scan(QUOTED).flatten }

      refute_empty included, folder
      assert_empty(included.reject { |name| known.any? { |path| path.end_with?("/#{name}") } }, folder)
    end
  end

  private

  def sources(folder) = Dir["#{ROOT}/#{folder}/**/*.{c,h}"].grep_v(%r{/core/test/})
  def files = Dir["#{ROOT}/{,js/}lib/spate/**/*.rb"]
  def component(path) = path[%r{/lib/spate/([^/.]+)}, 1]

  # Dependencies between components: [[path, from, to]].
  def arrows
    @arrows ||= files.flat_map do |path|
      from = component(path)
      text = File.read(path, encoding: "UTF-8")
      ((named(text) | required(text, path)) - [from]).map { |to| [path.delete_prefix("#{ROOT}/"), from, to] }
    end
  end

  # Components whose constants occur in a text.
  def named(text) = first_constants(text).filter_map { |name| components[name] }.uniq

  # { constant => component }: {"Boot" => "boot"}
  def components
    @components ||= File.read("#{ROOT}/lib/spate.rb").scan(%r{autoload :(\w+), "[^"]*spate/(\w+)}).to_h.merge(UNNAMED)
  end

  # The first constant of each path in a text, after "Spate": "Store" for Spate::Store::Prune and for Store::Prune.
  def first_constants(text)
    before = nil
    Ripper.lex(text).reject { |token| NOTHING.include?(token[1]) }.filter_map do |_, kind, word|
      first = kind == :on_const && !%w[. &. :].include?(before) && (before != "::" || @outer)
      @outer = word == "Spate" || (word == "::" && (@outer || before.nil? || !before.match?(/\A[A-Z]|[)\]}]\z/)))
      before = word
      word if first && word != "Spate"
    end
  end

  def required(text, path)
    text.scan(/^\s*require(_relative)? "([^"]+)"/).filter_map do |relative, name|
      next "native" if name.start_with?("spate/native")

      file = relative ? File.expand_path(name, File.dirname(path)) : "#{ROOT}/lib/#{name}"
      component(file) if file.include?("/lib/spate/")
    end
  end
end

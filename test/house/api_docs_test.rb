# frozen_string_literal: true

require "test_helper"
require "open3"
require_relative "../../rakelib/api_docs"

# The public Ruby API. Each method must be documented, and `rake doc` must build the pages without warnings.
class APIDocsTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)

  # All methods except aliases and writers of attributes, whose originals and readers are documented.
  def self.methods_of_the_api
    @methods_of_the_api ||= APIDocs.new(ROOT).methods.reject do |method|
      method.is_alias? || (method.is_attribute? && method.writer?)
    end
  end

  def test_files_exist
    assert_empty APIDocs::FILES.reject { |path| File.file?("#{ROOT}/#{path}") }
  end

  def test_public_methods_have_a_summary_and_say_what_they_return
    assert_operator methods.size, :>, 150
    assert_empty methods.reject { |method| summary?(method) }.map(&:path), "without a summary"
    assert_empty methods.reject { |method| returns?(method) }.map(&:path), "without @return"
  end

  def test_parameters_are_those_of_the_signature
    wrong = methods.reject { |method| documented(method) == accepted(method) }

    assert_empty(wrong.to_h { |method| [method.path, { documented: documented(method), accepted: accepted(method) }] })
  end

  def test_public_methods_have_a_signature
    missing = methods.map(&:path) - signed

    assert_empty missing
  end

  def test_rake_writes_pages_without_warnings
    skip_without_yard
    output, status = rake("doc[#{folder}/doc]")

    assert_predicate status, :success?, output
    assert_equal "#{folder}/doc/index.html\n", output
    assert_includes File.read("#{folder}/doc/Spate/Store.html", encoding: "UTF-8"), "open-class_method"
    refute_includes File.read("#{folder}/doc/Spate/Server/Request.html", encoding: "UTF-8"), "received-class_method"
  end

  def test_a_warning_fails
    skip_without_yard
    write("copy/lib/wrong.rb", "# Nothing.\nclass Wrong\n  # @param [String] missing not there\n  def call; end\nend\n")
    script = "APIDocs::FILES = %w[lib/wrong.rb]; APIDocs.new(ARGV[0]).write(ARGV[1])"
    output, status = Open3.capture2e(RbConfig.ruby, "-W0", "-r", "#{ROOT}/rakelib/api_docs", "-e", script,
                                     "#{folder}/copy", "#{folder}/doc")

    assert_match(/@param tag has unknown parameter name: missing/, output)
    refute_predicate status, :success?
  end

  def test_without_yard_rake_names_the_package
    write("shadow/yard.rb", "raise LoadError\n")
    output, status = rake("doc[#{folder}/doc]", "RUBYLIB" => "#{folder}/shadow")

    assert_equal 1, status.exitstatus
    assert_equal "rake doc: cannot load the gem yard\nhint: apt-get install yard, or gem install yard\n", output
  end

  private

  def rake(task, env = {}) = Open3.capture2e(env, RbConfig.ruby, "-S", "rake", task, chdir: ROOT)

  def methods
    skip_without_yard
    self.class.methods_of_the_api
  end

  # What the RBS files declare: "Spate::Store.open", "Spate::Plan#packages".
  def signed
    require "rbs"
    Dir["#{ROOT}/{.,bytes,server}/sig/*.rbs"].flat_map do |path|
      parsed = RBS::Parser.parse_signature(File.read(path, encoding: "UTF-8"))
      paths(parsed.last.is_a?(Array) ? parsed.last : parsed) # RBS 3 returns the source and directives, too
    end
  rescue LoadError
    skip "no gem rbs for this Ruby"
  end

  def paths(declarations, owner = nil)
    declarations.flat_map do |declaration|
      next ["#{owner}##{declaration.new_name}"] if declaration.respond_to?(:new_name)
      next [] unless declaration.respond_to?(:name)
      next paths(declaration.members, [owner, declaration.name].compact.join("::")) if declaration.respond_to?(:members)
      next [] unless declaration.respond_to?(:kind)

      ["#{owner}#{declaration.kind == :singleton ? "." : "#"}#{declaration.name}"]
    end
  end

  def skip_without_yard
    require "yard"
  rescue LoadError
    skip "no gem yard for this Ruby"
  end

  # YARD generates a text for each attribute ("Returns the value of attribute x"), which is not documentation.
  def summary?(method)
    text = method.docstring.to_s
    return true unless text.empty? || text.match?(/\A(?:Returns the value of|Sets the) attribute/)

    method.tag(:return)&.text.to_s.match?(/\w/) || method.constructor?
  end

  def returns?(method)
    return true if method.constructor? || method.name.end_with?("=")

    method.tags(:return).any? { |tag| tag.types&.any? } ||
      method.tags(:overload).any? { |overload| overload.tag(:return)&.types&.any? }
  end

  def documented(method)
    overloads = method.tags(:overload)
    return accepted(method) if overloads.any?

    (method.tags(:param) + method.tags(:yieldblock)).map { |tag| tag.name.delete("*&:") }.sort
  end

  # The method's parameters without the block, which @yield describes.
  def accepted(method)
    method.parameters.map(&:first).grep_v(/\A&/).map { |name| name.delete("*:") }.reject(&:empty?).sort
  end
end

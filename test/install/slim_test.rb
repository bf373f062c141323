# frozen_string_literal: true

require "test_helper"
require "rubygems"

class SlimTest < Minitest::Test
  def yaml(&change)
    Gem::Specification.new("a", "1.0") do |spec|
      spec.authors = ["x"]
      spec.summary = "s"
      spec.files = Array.new(200) { |index| "lib/a file #{index}.rb" }
      spec.add_dependency("b", ">= 1", "< 3")
      spec.add_development_dependency("c")
      change&.call(spec)
    end.to_yaml
  end

  def installed(text) = Gem::Specification.from_yaml(text).to_ruby_for_cache

  def test_the_installed_form_is_the_same_and_the_text_much_shorter
    text = yaml
    slim = Spate::Install::Slim.call(text)

    assert_equal installed(text), installed(slim)
    assert_operator slim.bytesize, :<, text.bytesize / 3
    refute_includes slim, "version_requirements"
  end

  def test_a_text_that_only_looks_like_a_list_stays
    text = yaml { |spec| spec.description = "files:\n- one\n\nfiles:\n- two\n" }

    assert_equal installed(text), installed(Spate::Install::Slim.call(text))
  end

  def test_a_text_with_anchors_passes_as_it_is
    text = yaml.sub("requirements:", "requirements: &id001")

    assert_same text, Spate::Install::Slim.call(text)
  end
end

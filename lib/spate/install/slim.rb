# frozen_string_literal: true

module Spate
  module Install
    # Cuts out of a gem's metadata what no installed form keeps, so that the YAML parser, by far the dearest step, does
    # not see it: the lists of files, and the second copy of each dependency's requirement. Only where the text has the
    # very form that RubyGems writes; anything else passes as it is.
    module Slim
      LISTS = %w[files test_files].freeze
      # The first line that belongs to no list item.
      END_OF_LIST = /\n(?!- |  )/
      # `version_requirements` has been nothing but a copy of `requirement` since RubyGems 1.3.
      COPY = Regexp.new(
        "^  version_requirements: !ruby/object:Gem::Requirement\n    requirements:\n" \
        "(?:    - - .*\n      - !ruby/object:Gem::Version\n        version: .*\n)+"
      )
      ANCHOR = /[&*]id\d/

      module_function

      # yaml: String. Answers another one, or the same.
      def call(yaml)
        return yaml if yaml.match?(ANCHOR)

        slim = LISTS.reduce(yaml) { |text, name| without_list(text, name) }
        slim.include?("\n  requirement: !ruby/object:Gem::Requirement\n") ? slim.gsub(COPY, "") : slim
      end

      def without_list(text, name)
        head = "\n#{name}:\n"
        start = text.index(head) or return text
        first = start + head.length
        return text unless text[first, 2] == "- " && text.index(head, first).nil?

        last = text.index(END_OF_LIST, first) or return text
        "#{text[0, start]}\n#{name}: []#{text[last..]}"
      end
      private_class_method :without_list
    end
  end
end

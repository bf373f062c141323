# frozen_string_literal: true

module Spate
  # Reads a gem's specification from its archive's metadata, and writes it in the same way as the machine's RubyGems.
  module Specification
    autoload :Dialect, "spate/specification/dialect"
    autoload :Facts, "spate/specification/facts"
    autoload :GeneratedFiles, "spate/specification/generated_files"
    autoload :PackageMismatchError, "spate/specification/errors"
    autoload :PlainMetadata, "spate/specification/plain_metadata"
    autoload :Reader, "spate/specification/reader"
    autoload :RubygemsMetadata, "spate/specification/rubygems_metadata"
    autoload :Samples, "spate/specification/samples"
    autoload :Writer, "spate/specification/writer"
    autoload :WrongRubyError, "spate/specification/errors"
    autoload :Yaml, "spate/specification/yaml"
  end
end

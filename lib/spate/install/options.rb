# frozen_string_literal: true

module Spate
  module Install
    # What the command line asked for, beside Bundler's settings (which the caller lays over Settings itself).
    #
    # jobs:: builds and unpacking threads at most, Integer, or nil for the default
    # copy:: copies instead of links; nil where not said
    # local:: no network
    # clean:: remove gems that the bundle does not name
    # force:: install again what is installed
    # memory:: bytes of inflated data held at once, nil for the core's default
    Options = Struct.new(:jobs, :copy, :local, :clean, :force, :memory, keyword_init: true)
  end
end

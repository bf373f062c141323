# frozen_string_literal: true

module Spate
  # The application's Gemfile: where it is, whether its lockfile agrees with it, and what of both is left to Bundler.
  module Gemfile
    # User and password in an address, also in one that was taken for a path ("http:/me:secret@host").
    USERINFO = %r{(\w:/+)[^/@\s]+@}

    autoload :Dependency, "spate/gemfile/dependency"
    autoload :Disagreement, "spate/gemfile/errors"
    autoload :EvaluationFailed, "spate/gemfile/errors"
    autoload :Environment, "spate/gemfile/environment"
    autoload :Evaluation, "spate/gemfile/evaluation"
    autoload :Facts, "spate/gemfile/facts"
    autoload :HandOver, "spate/gemfile/hand_over"
    autoload :Input, "spate/gemfile/input"
    autoload :Location, "spate/gemfile/location"
    autoload :NotFound, "spate/gemfile/errors"
    autoload :BundlerFailed, "spate/gemfile/errors"
    autoload :BundlerStatus, "spate/gemfile/bundler_status"
    autoload :Verdict, "spate/gemfile/verdict"

    # The Gemfile in charge of a folder. cwd: absolute path. Raises NotFound.
    def self.find(cwd = Dir.pwd, env = ENV, gemfile: nil)
      Location.find(cwd, env, gemfile: gemfile)
    end
  end
end

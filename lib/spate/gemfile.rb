# frozen_string_literal: true

module Spate
  # The application's Gemfile: where it is, whether its lockfile agrees with it, and what of both is left to Bundler.
  module Gemfile
    # User and password in an address, also in one that was taken for a path ("http:/me:secret@host").
    USERINFO = %r{(\w:/+)[^/@\s]+@}

    autoload :Basis, "#{__dir__}/gemfile/basis.rb"
    autoload :Dependency, "#{__dir__}/gemfile/facts.rb"
    autoload :Disagreement, "#{__dir__}/gemfile/errors.rb"
    autoload :EvaluationFailed, "#{__dir__}/gemfile/errors.rb"
    autoload :Environment, "#{__dir__}/gemfile/environment.rb"
    autoload :Evaluation, "#{__dir__}/gemfile/evaluation.rb"
    autoload :Explanation, "#{__dir__}/gemfile/explanation.rb"
    autoload :Facts, "#{__dir__}/gemfile/facts.rb"
    autoload :HandOver, "#{__dir__}/gemfile/hand_over.rb"
    autoload :Hearing, "#{__dir__}/gemfile/hearing.rb"
    autoload :Location, "#{__dir__}/gemfile/location.rb"
    autoload :NotFound, "#{__dir__}/gemfile/errors.rb"
    autoload :PathSpec, "#{__dir__}/gemfile/facts.rb"
    autoload :Policy, "#{__dir__}/gemfile/policy.rb"
    autoload :BundlerFailed, "#{__dir__}/gemfile/errors.rb"
    autoload :BundlerStatus, "#{__dir__}/gemfile/bundler_status.rb"
    autoload :Verdict, "#{__dir__}/gemfile/verdict.rb"

    # The Gemfile in charge of a folder. cwd: absolute path. Raises NotFound.
    def self.find(cwd = Dir.pwd, env = ENV, gemfile: nil)
      Location.find(cwd, env, gemfile: gemfile)
    end
  end
end

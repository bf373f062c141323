# frozen_string_literal: true

module Spate
  # Builds native extensions with RubyGems' builders, in parallel under one jobserver, and only once per machine. The
  # installer calls Builder.
  #
  #   Schedule   the order of the builds, from their durations and the gems that they need
  #   Run        the build processes, limited by the jobserver
  #   Trace      the inputs of a build, and whether they are unchanged in this bundle
  #   Cache      builds in a store: variants under a build key, their records, invalidation
  #   Failure    the error message of a failed build
  #
  # Key and the parts of Trace and Cache that look up a stored build are on the hot path. They load only core Ruby, the
  # store and the check of inputs.
  module Build
    autoload :BuildError, "spate/build/failure"
    autoload :Builder, "spate/build/builder"
    autoload :Environment, "spate/build/environment"
    autoload :Explanation, "spate/build/explanation"
    autoload :Failure, "spate/build/failure"
    autoload :Job, "spate/build/job"
    autoload :Key, "spate/build/key"
    autoload :Result, "spate/build/job"
    autoload :RubyBuild, "spate/build/key"
    autoload :Schedule, "spate/build/schedule"

    # Child processes that build.
    module Run
      autoload :Attempt, "spate/build/run/attempt"
      autoload :Child, "spate/build/run/child"
      autoload :Jobserver, "spate/build/run/jobserver"
      autoload :Runner, "spate/build/run/runner"
      autoload :Snapshot, "spate/build/run/snapshot"
    end

    # The inputs of a build.
    module Trace
      autoload :Artifacts, "spate/build/trace/artifacts"
      autoload :Content, "spate/build/trace/content"
      autoload :Elf, "spate/build/trace/elf"
      autoload :FoldersAbove, "spate/build/trace/folders_above"
      autoload :ObservedInputs, "spate/build/trace/observed_inputs"
      autoload :Programs, "spate/build/trace/programs"
      autoload :RealPaths, "spate/build/trace/real_paths"
      autoload :ReuseCheck, "spate/build/trace/reuse_check"
      autoload :Walk, "spate/build/trace/walk"
      autoload :Words, "spate/build/trace/words"
    end

    # Builds in a store.
    module Cache
      autoload :Variants, "spate/build/cache/variants"
      autoload :Entry, "spate/build/cache/entry"
      autoload :Invalidations, "spate/build/cache/invalidations"
      autoload :Record, "spate/build/cache/entry"
      autoload :Recorder, "spate/build/cache/recorder"
      autoload :Removals, "spate/build/cache/entry"
    end
  end
end

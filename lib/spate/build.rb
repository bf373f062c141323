# frozen_string_literal: true

module Spate
  # Native extensions: built by RubyGems' own builders, in parallel under one jobserver, and never twice on a machine.
  #
  #   Builder    key, reuse, build: what the installer calls
  #   Key        what is known of a build before         Workshop   where builds run, several at once
  #   Candidates what is stored under a key              Child      one build process, and how it ends
  #   Fit        whether a candidate holds here          Learned    what a result stands on, of all that was heard
  #   Words      which variables a text may mean         Programs   what a name means by PATH
  #   Schedule   which build starts first                Snapshot   what a tree looks like, before and after
  #   Jobserver  how many jobs run at once               Recorder   puts a build into the store, and makes a candidate
  #   Failure    what to show of a failed build          Record     what is known of a stored build
  #   Forgotten  builds that nobody wants again          Made       what a build made, and for where
  #   Standalone whether it needs other gems to be there first                   Ways   where paths lead
  #
  # Key, Candidates, Fit, Record, Words and Programs are on the hot path: core Ruby, the store and the check of inputs.
  module Build
    autoload :Attempt, "spate/build/attempt"
    autoload :BuildError, "spate/build/errors"
    autoload :Builder, "spate/build/builder"
    autoload :Candidates, "spate/build/candidates"
    autoload :Child, "spate/build/child"
    autoload :Content, "spate/build/content"
    autoload :Elf, "spate/build/elf"
    autoload :Environment, "spate/build/environment"
    autoload :Explanation, "spate/build/explanation"
    autoload :Failure, "spate/build/failure"
    autoload :Files, "spate/build/files"
    autoload :Fit, "spate/build/fit"
    autoload :Forgotten, "spate/build/forgotten"
    autoload :Job, "spate/build/job"
    autoload :Jobserver, "spate/build/jobserver"
    autoload :Key, "spate/build/key"
    autoload :Learned, "spate/build/learned"
    autoload :Log, "spate/build/log"
    autoload :Made, "spate/build/made"
    autoload :Packages, "spate/build/packages"
    autoload :Programs, "spate/build/programs"
    autoload :Record, "spate/build/record"
    autoload :Recorder, "spate/build/recorder"
    autoload :Replaced, "spate/build/replaced"
    autoload :Result, "spate/build/job"
    autoload :RubyBuild, "spate/build/ruby_build"
    autoload :Schedule, "spate/build/schedule"
    autoload :Snapshot, "spate/build/snapshot"
    autoload :Standalone, "spate/build/standalone"
    autoload :Stored, "spate/build/stored"
    autoload :Ways, "spate/build/ways"
    autoload :Weights, "spate/build/weights"
    autoload :Words, "spate/build/words"
    autoload :Workshop, "spate/build/workshop"
  end
end

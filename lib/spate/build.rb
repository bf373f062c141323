# frozen_string_literal: true

module Spate
  # Native extensions: built by RubyGems' own builders, in parallel under one jobserver, and never twice on a machine.
  #
  #   Builder    key, reuse, build: what the installer calls
  #   Key        what a build depends on, as one hash     Workshop   where builds run, several at once
  #   Inputs     what a gem's own build files ask for     Child      one build process, and how it ends
  #   Toolchain  which compiler this is                   Snapshot   what a tree looks like, before and after
  #   Schedule   which build starts first                 Recorder   puts a finished build into the store
  #   Jobserver  how many jobs run at once                Record     what is known of a stored build
  #   Failure    what to show of a failed build           Elf, Libraries  whether its libraries still resolve
  #   Standalone whether it needs other gems to be there first
  #   BuildFiles which files decide about a build   Processor  which kind of machine a result is for
  #   Shelf      where builds are found and kept    Absent     what probes did not find
  #   Forgotten  builds that nobody wants again     Cargo      what configures cargo
  #
  # Key, Inputs, Toolchain, Record and Libraries are on the hot path: core Ruby and the store, nothing else.
  module Build
    autoload :Absent, "spate/build/absent"
    autoload :Arguments, "spate/build/arguments"
    autoload :Attempt, "spate/build/attempt"
    autoload :Bound, "spate/build/bound"
    autoload :BuildError, "spate/build/errors"
    autoload :BuildFiles, "spate/build/build_files"
    autoload :Builder, "spate/build/builder"
    autoload :Cargo, "spate/build/cargo"
    autoload :Child, "spate/build/child"
    autoload :Elf, "spate/build/elf"
    autoload :Environment, "spate/build/environment"
    autoload :Failure, "spate/build/failure"
    autoload :Files, "spate/build/files"
    autoload :Forgotten, "spate/build/forgotten"
    autoload :Inputs, "spate/build/inputs"
    autoload :Job, "spate/build/job"
    autoload :Jobserver, "spate/build/jobserver"
    autoload :Key, "spate/build/key"
    autoload :Libraries, "spate/build/libraries"
    autoload :LinkerCache, "spate/build/linker_cache"
    autoload :Log, "spate/build/log"
    autoload :Packages, "spate/build/packages"
    autoload :Processor, "spate/build/processor"
    autoload :Processors, "spate/build/processors"
    autoload :Record, "spate/build/record"
    autoload :Recorder, "spate/build/recorder"
    autoload :Replaced, "spate/build/replaced"
    autoload :Result, "spate/build/result"
    autoload :RubyBuild, "spate/build/ruby_build"
    autoload :Schedule, "spate/build/schedule"
    autoload :Shelf, "spate/build/shelf"
    autoload :Snapshot, "spate/build/snapshot"
    autoload :Standalone, "spate/build/standalone"
    autoload :Stored, "spate/build/stored"
    autoload :Toolchain, "spate/build/toolchain"
    autoload :Weights, "spate/build/weights"
    autoload :Workshop, "spate/build/workshop"
  end
end

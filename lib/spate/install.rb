# frozen_string_literal: true

module Spate
  # Installs a bundle from a lockfile. Each phase has its own folder.
  module Install
    autoload :ArchiveError, "spate/install/errors"
    autoload :Attempt, "spate/install/attempt"
    autoload :BundleFolder, "spate/install/bundle_folder"
    autoload :ByBundler, "spate/install/by_bundler"
    autoload :ChecksumError, "spate/install/errors"
    autoload :Context, "spate/install/context"
    autoload :Dependencies, "spate/install/dependencies"
    autoload :FolderLock, "spate/install/folder_lock"
    autoload :HeldError, "spate/install/errors"
    autoload :IndistinctError, "spate/install/errors"
    autoload :Installer, "spate/install/installer"
    autoload :Item, "spate/install/item"
    autoload :MissingFolderError, "spate/install/errors"
    autoload :NotLocalError, "spate/install/errors"
    autoload :Options, "spate/install/context"
    autoload :Pipeline, "spate/install/pipeline"
    autoload :Previous, "spate/install/previous"
    autoload :Report, "spate/install/report"
    autoload :Shareable, "spate/install/shareable"
    autoload :UnknownGemError, "spate/install/errors"

    # Determines the packages of the bundle and their states.
    module Prepare
      autoload :AvailableVersions, "spate/install/prepare/available_versions"
      autoload :ChecksumLookup, "spate/install/prepare/checksum_lookup"
      autoload :Distrusted, "spate/install/prepare/distrusted"
      autoload :GroupCheck, "spate/install/prepare/group_check"
      autoload :Inquiry, "spate/install/prepare/inquiry"
      autoload :Inventory, "spate/install/prepare/inventory"
      autoload :Items, "spate/install/prepare/items"
      autoload :LocalChanges, "spate/install/prepare/local_changes"
      autoload :Resolution, "spate/install/prepare/resolution"
    end

    # Gets archives from the store, vendor/cache or a gem source.
    module Fetch
      autoload :Acquisition, "spate/install/fetch/acquisition"
      autoload :Archive, "spate/install/fetch/archive"
      autoload :ArchiveCheck, "spate/install/fetch/archive_check"
      autoload :Archives, "spate/install/fetch/archives"
      autoload :Backlog, "spate/install/fetch/backlog"
      autoload :Sources, "spate/install/fetch/sources"
    end

    # Unpacks archives into packages in the store.
    module Unpack
      autoload :ExecutableBits, "spate/install/unpack/executable_bits"
      autoload :Executables, "spate/install/unpack/executables"
      autoload :Step, "spate/install/unpack/step"
    end

    # Links packages from the store into gems/ of the bundle.
    module Link
      autoload :Linking, "spate/install/link/linking"
      autoload :MethodChange, "spate/install/link/method_change"
      autoload :Step, "spate/install/link/step"
    end

    # Builds native extensions, or uses stored builds.
    module Extensions
      autoload :BuildState, "spate/install/extensions/build_state"
      autoload :DependencyBuilds, "spate/install/extensions/dependency_builds"
      autoload :Keys, "spate/install/extensions/keys"
      autoload :Lookup, "spate/install/extensions/lookup"
      autoload :Signers, "spate/install/extensions/signers"
      autoload :Step, "spate/install/extensions/step"
    end

    # Marks gems as installed, and writes the record of the bundle.
    module Commit
      autoload :Plugins, "spate/install/commit/plugins"
      autoload :RecordWriter, "spate/install/commit/record_writer"
      autoload :Step, "spate/install/commit/step"
    end

    # Installs gems without an archive: git checkouts, and folders of the application.
    module Folders
      autoload :GitStep, "spate/install/folders/git_step"
      autoload :PathStep, "spate/install/folders/path_step"
      autoload :Step, "spate/install/folders/step"
      autoload :VendoredGit, "spate/install/folders/vendored_git"
    end

    # Checks the bundle against its lockfile and packages.
    module Check
      autoload :Checker, "spate/install/check/checker"
      autoload :Edits, "spate/install/check/edits"
      autoload :HealingReport, "spate/install/check/healing_report"
      autoload :OwnCopies, "spate/install/check/own_copies"
      autoload :Presence, "spate/install/check/presence"
    end
  end
end

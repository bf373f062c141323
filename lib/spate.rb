# frozen_string_literal: true

# Installs gems and boots applications. Components are loaded when first referenced, so a command loads only its own
# files.
module Spate
  autoload :Boot, "spate/boot/entry"
  autoload :Build, "spate/build"
  autoload :CLI, "spate/cli"
  autoload :ContentAddress, "spate/package"
  autoload :PermissionError, "spate/permission_error"
  autoload :Error, "spate/error"
  autoload :Events, "spate/events"
  autoload :ErrorSummary, "spate/error"
  autoload :GemVersion, "spate/gem_version"
  autoload :Gemfile, "#{__dir__}/spate/gemfile.rb" # an absolute path, like the one that a boot loads
  autoload :Git, "spate/git"
  autoload :Util, "#{__dir__}/spate/util.rb"
  autoload :HTTP, "spate/http"
  autoload :CompileCache, "#{__dir__}/spate/compile_cache.rb"
  autoload :Install, "spate/install"
  autoload :Interrupted, "spate/error"
  autoload :JS, "spate/js" # in the gem spate-js: see JSGem
  autoload :JSGem, "spate/js_gem"
  autoload :Layout, "spate/layout"
  autoload :Lockfile, "spate/lockfile"
  autoload :Native, "spate/native"
  autoload :Package, "spate/package"
  autoload :Plan, "spate/plan"
  autoload :Planner, "spate/planner"
  autoload :Platform, "spate/platform"
  autoload :Profile, "spate/profile"
  autoload :Registry, "spate/registry"
  autoload :RemoteCache, "spate/remote_cache"
  autoload :Requirement, "spate/requirement"
  autoload :Resolve, "spate/resolve"
  autoload :Settings, "spate/settings"
  autoload :Specification, "spate/specification"
  autoload :Store, "spate/store"
  autoload :UsageError, "spate/error"
  autoload :VERSION, "spate/version"
end

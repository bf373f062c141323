# frozen_string_literal: true

# One measured run of BootSynthetic: boot_synthetic_child.rb MODE GEMS CACHE BOOTSNAP
# Prints milliseconds and the number of features found or loaded, to prove that the measured code ran.
mode, gems, cache, bootsnap = ARGV
libraries = Dir.children(gems).sort.map { |name| "#{gems}/#{name}/lib" }
names = libraries.map { |path| File.basename(File.dirname(path)) }
$LOAD_PATH.unshift(*libraries)
features = names.flat_map { |name| [name, *Array.new(20) { |number| "#{name}/part#{number}" }] }

def timed
  started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  count = yield
  seconds = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  puts format("%<milliseconds>.3f %<count>d", count: count, milliseconds: seconds * 1e3)
end

def with_bootsnap(folders)
  $LOAD_PATH.unshift(*folders.split(":"))
  Object.const_set(:Bootsnap, Module.new).const_set(:ExplicitRequire, Module.new)
  Bootsnap::ExplicitRequire.define_singleton_method(:gem) { |*| true }
  require "bootsnap"
end

def bootsnap_setup(cache, compile:)
  Bootsnap.setup(cache_dir: cache, development_mode: false, load_path_cache: true, compile_cache_iseq: compile,
                 compile_cache_yaml: false)
end

def spate(cache)
  $LOAD_PATH.push(File.expand_path("../../lib", __dir__))
  require "spate/native/boot"
  Spate::Native::CompileCache.open("#{cache}/boot.compiled", key: "0" * 32)
end

case mode
when "scan"
  with_bootsnap(bootsnap)
  timed do
    bootsnap_setup("#{cache}/scan-#{Process.pid}", compile: false)
    features.count { |name| Bootsnap::LoadPathCache.load_path_cache.find(name) }
  end
when "search" then timed { features.count { |name| $LOAD_PATH.resolve_feature_path(name) } }
when "load_path_cache"
  require_relative "../../lib/spate/native/boot.so"
  timed do
    compile_cache = spate(cache)
    Spate::Native::Requirer.install(compile_cache.data("load_path_cache"))
    features.count { |name| Spate::Native::Requirer.find(name) }
  end
when "plain" then timed { names.each { |name| require name } && $LOADED_FEATURES.grep(/part/).length }
when "bootsnap"
  with_bootsnap(bootsnap)
  timed do
    bootsnap_setup(cache, compile: true)
    names.each { |name| require name }
    $LOADED_FEATURES.grep(/part/).length
  end
when "bundles"
  timed do
    compile_cache = spate(cache)
    Spate::Native::Loader.key = "0" * 32
    Spate::Native::Loader.install
    Spate::Native::Loader.gem_caches = names.to_h { |name| ["#{gems}/#{name}", "#{cache}/#{name}.compiled"] }
    Spate::Native::Requirer.install(compile_cache.data("load_path_cache"))
    names.each { |name| require name }
    Spate::Native::Loader.counts[:hit]
  end
end

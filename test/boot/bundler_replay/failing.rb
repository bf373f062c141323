# frozen_string_literal: true

# Activates the Bundler replay in the file REPLAY, with a failure before and after each of its steps. Prints what
# differs after each failure. In the end sets up with the real Bundler.

path = ENV.delete("REPLAY")
library = File.expand_path("../../../lib", __dir__)
require "#{library}/spate/native/boot"
require "#{library}/spate/boot/entry"

replay = Spate::Boot::BundlerReplay
bytes = File.binread(path)
RECORD = Spate::Gemfile::Setup::Record
abort "no Bundler replay" unless RECORD.new(bytes).usable?(ENV) == true

OWNERS = [Kernel, Kernel.singleton_class, Gem.singleton_class, Gem::Specification.singleton_class].freeze
METHODS = lambda do |owner|
  [owner.private_instance_methods(false), owner.public_instance_methods(false)].map do |names|
    names.sort.to_h { |name| [name, owner.instance_method(name).source_location] }
  end
end
PROCESS = lambda do
  { env: ENV.to_h, load_path: $LOAD_PATH.dup, bundler: defined?(Bundler), pathname: Object.autoload?(:Pathname),
    specs: Gem.loaded_specs.map { |name, spec| [name, spec.full_name, spec.activated, spec.object_id] },
    hooks: Gem.post_reset_hooks.size, features: $LOADED_FEATURES.grep(%r{/bundler(/|\.rb)}), path: Gem.path,
    found: Gem::Specification.stubs.map(&:full_name), methods: OWNERS.map(&METHODS), current: replay.current }
end

STEPS = { replay::Activation => %i[activate gems bundler libraries clean_load_path load_path features pathname
                                   variables composed],
          replay::Spec.singleton_class => %i[of],
          replay::Replacements.singleton_class => %i[install plain_require bundled_gems kernel_gem executables
                                                     specifications replace define] }.freeze
FAILURES = [RuntimeError, SyntaxError, NoMemoryError, SystemStackError, Exception].freeze

# Runs the block while a method raises in one of its calls (number), :before or :after its work (place).
def failing(owner, name, place, number)
  original = owner.instance_method(name)
  calls = 0
  error = FAILURES[(name.length + number) % FAILURES.length]
  owner.define_method(name) do |*arguments, **options, &block|
    now = (calls += 1) == number
    raise error, "injected" if now && place == :before

    result = original.bind_call(self, *arguments, **options, &block)
    raise error, "injected" if now && place == :after

    result
  end
  yield
ensure
  owner.define_method(name, original)
end

failed = 0
STEPS.each do |owner, names|
  names.product(%i[before after], [1, 3]).each do |name, place, number|
    next if number > 1 && !%i[of replace define].include?(name)

    before = PROCESS.call
    begin
      failing(owner, name, place, number) { replay.activate(RECORD.new(bytes)) }
      # The method was called fewer than `number` times, so nothing was raised.
      replay::Undo.new(replay.current).call
      replay.instance_variable_set(:@current, nil)
    rescue replay::Failed
      failed += 1
    end
    now = PROCESS.call
    now.each { |what, value| puts "#{name} #{place}: #{what}: #{before[what]} -> #{value}" if before[what] != value }
  end
end
puts "failures: #{failed}"
require "bundler/setup"

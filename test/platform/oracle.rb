# frozen_string_literal: true

# Runs in a child process and returns how RubyGems and Bundler parse and match platforms. Reads [names, cases] from
# standard input (Marshal) and writes { parsed:, matches:, best: }. best contains the names of all equally good
# variants.
names, cases = Marshal.load($stdin.binmode.read) # rubocop:disable Security/MarshalLoad -- the test's own pipe

if (folder = ENV.fetch("ORACLE_RUBYGEMS", nil))
  module Gem; end
  require "#{folder}/rubygems/platform"
  newest = true
else
  require "bundler"
  require "bundler/match_platform"
end

Variant = Struct.new(:platform) do
  def installable_on_platform?(target) = ["ruby", nil, target].include?(platform) || match?(target)
  def match?(target) = platform === target # rubocop:disable Style/CaseEquality -- it is what RubyGems calls matching
  alias_method :match_platform, :installable_on_platform?
  def dependencies = []
  def required_ruby_version = nil
  def required_rubygems_version = nil
end

platforms = names.map { |name| Gem::Platform.new(name) }
matches = platforms.map { |gem| platforms.map { |local| Variant.new(gem).installable_on_platform?(local) || false } }
best = cases.map do |variants, local|
  local = Gem::Platform.new(local)
  specs = variants.map { |name| Variant.new(Gem::Platform.new(name)) }
  chosen =
    if newest
      Gem::Platform.sort_and_filter_best_platform_match(specs.select { |it| it.installable_on_platform?(local) }, local)
    elsif defined?(Bundler::GemHelpers)
      Bundler::GemHelpers.select_best_platform_match(specs, local)
    else
      Bundler::MatchPlatform.select_best_platform_match(specs, local)
    end
  chosen.map { |spec| specs.index { |it| it.equal?(spec) } }
end
parsed = platforms.map { |platform| platform == "ruby" ? ["ruby"] : [*platform.to_a, platform.to_s] }
$stdout.binmode.write(Marshal.dump({ parsed: parsed, matches: matches, best: best }))

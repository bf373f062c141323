# frozen_string_literal: true

require "fileutils"
require_relative "precompiled/precompiled_gem"

# Builds gems that need no compiler: for each platform, one variant of each gem that has native files. It contains the
# files for several Ruby versions.
class Precompiled
  # The systems of bin/fresh in which `rake release` compiles, with Ruby 3.1 and 3.3.
  SYSTEMS = "debian12 debian13"

  # systems: lists of bin/fresh's arguments. rubies: paths of Rubies on this machine.
  def initialize(root, systems:, rubies:)
    @root = root
    @folder = "#{root}/tmp/precompiled"
    @systems = systems
    @rubies = rubies
  end

  # Compiles HEAD. Yields a line for each Ruby.
  def compile
    FileUtils.rm_rf(@folder)
    @natives = []
    @systems.each { |system| yield add(NativeFiles.in_system(@root, system, place)) }
    @rubies.each { |ruby| yield add(NativeFiles.for_ruby(@root, ruby, place)) }
  end

  # Builds the gems in a folder. Returns their paths.
  def build(folder)
    @natives.group_by(&:platform).flat_map do |_, natives|
      NativeFiles::FOLDERS.keys.map { |name| PrecompiledGem.new(@root, name, natives).build(folder) }
    end
  end

  private

  def place = "#{@folder}/#{@natives.size}"

  def add(natives)
    other = @natives.find { |found| [found.platform, found.abi] == [natives.platform, natives.abi] }
    raise NativeFiles::Failed, "#{natives.origin} and #{other.origin} have the same Ruby #{natives.abi}" if other

    @natives << natives
    "compiled twice for Ruby #{natives.abi} on #{natives.platform} (#{natives.origin}): the same bytes"
  end
end

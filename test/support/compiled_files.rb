# frozen_string_literal: true

require "open3"
require "rbconfig"

# The files that are compiled into an extension, according to its Makefile: sources, and headers that they include.
class CompiledFiles
  INCLUDE = /^\s*#\s*include\s+"([^"]+)"/

  # extconf: a path; folder: for its Makefile.
  def initialize(extconf, folder)
    said, status = Open3.capture2e(RbConfig.ruby, extconf, chdir: folder)
    raise said unless status.success?

    @folder = File.dirname(extconf)
    @makefile = File.read("#{folder}/Makefile")
  end

  def paths
    found = sources
    found.each { |path| included(path).each { |header| found << header unless found.include?(header) } }
  end

  private

  def sources
    words(:OBJS).map { |name| first("#{name.delete_suffix(".o")}.c", [@folder, *words(:VPATH, ":").grep(%r{\A/})]) }
  end

  def included(path)
    folders = words(:INCFLAGS).filter_map { |flag| flag[%r{\A-I(/.*)}, 1] }
    File.read(path).scan(INCLUDE).flatten.map { |name| first(name, [File.dirname(path), @folder, *folders]) }
  end

  def first(name, folders)
    paths = folders.map { |folder| File.expand_path(name, folder) }
    paths.find { |path| File.file?(path) } or raise "#{name} is in none of #{folders}"
  end

  def words(variable, separator = " ") = @makefile[/^#{variable} = (.*)$/, 1].split(separator)
end

# frozen_string_literal: true

module NpmRegistry
  # The packages of a registry, by name and version.
  class Catalog
    PUBLISHED = "2020-01-02T03:04:05.000Z"

    def initialize
      @packages = Hash.new { |packages, name| packages[name] = {} }
      @dates = Hash.new { |dates, name| dates[name] = {} }
      @addresses = {}
      @mutex = Mutex.new
    end

    # Sets the publication date of a version, instead of PUBLISHED. date: in JSON's format, nil for none.
    def date(name, version, date) = @mutex.synchronize { @dates[name][version] = date }

    # Sets the address of a version's archive in documents; nil for the usual one.
    def address(name, version, address) = @mutex.synchronize { @addresses[[name, version]] = address }

    def add(package)
      @mutex.synchronize { @packages[package.name][package.version] = package }
    end

    def remove(name, version) = @mutex.synchronize { @packages[name].delete(version) }

    def fetch(name, version) = @mutex.synchronize { @packages.fetch(name).fetch(version) }

    # The bytes of an archive, or nil.
    def archive(name, file)
      @mutex.synchronize { @packages.fetch(name, {}).each_value.find { |package| package.file == file }&.archive }
    end

    # Returns the registry's document about a package, or nil if the package is unknown. The latest version is the last
    # one added. The block returns the address of an archive.
    def document(name, &address)
      versions, dates = @mutex.synchronize { [@packages.fetch(name, {}).dup, @dates.fetch(name, {}).dup] }
      return if versions.empty?

      times = versions.to_h { |version, _| [version, dates.fetch(version, PUBLISHED)] }.compact
      modified = [PUBLISHED, *times.values].max
      { "_id" => name, "name" => name, "dist-tags" => { "latest" => versions.keys.last }, "modified" => modified,
        "time" => times.merge("created" => PUBLISHED, "modified" => modified),
        "versions" => versions.transform_values { |package| package.entry(at(package, &address)) } }
    end

    private

    def at(package) = @addresses[[package.name, package.version]] || yield(package)
  end
end

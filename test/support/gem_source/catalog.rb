# frozen_string_literal: true

require "digest"
require "rubygems"
require "rubygems/package"
require "set"
require "zlib"

module GemSource
  # The gems in a folder, in the formats that clients request: the compact index (/versions, /info/NAME, /names), and
  # RubyGems' old index (specs.4.8, quick/Marshal.4.8).
  class Catalog
    # address: the content address, or nil. created_at: "2026-01-02T03:04:05Z", or nil.
    Entry = Struct.new(:name, :version, :platform, :dependencies, :ruby, :rubygems, :sha256, :file, :address,
                       :created_at) do
      def full_name = "#{name}-#{number}"
      def number = [version, address || (platform unless platform == "ruby")].compact.join("-")

      # One line of /info/NAME.
      def info_line
        needs = ["checksum:#{sha256}"]
        needs << "ruby:#{ruby}" if ruby
        needs << "rubygems:#{rubygems}" if rubygems
        needs << "platform:#{platform}" if address
        needs << "created_at:#{created_at}" if created_at
        deps = dependencies.map { |dep, requirements| "#{dep}:#{requirements.join("&")}" }.join(",")
        "#{number} #{deps}|#{needs.join(",")}\n"
      end
    end

    attr_reader :folder

    def initialize(folder)
      @folder = File.expand_path(folder)
      FileUtils.mkdir_p(@folder)
      @mutex = Mutex.new
      @yanked = Set.new
      @history = nil
      @remembered = recall
      @entries = Dir.glob("*.gem", base: @folder).sort.map { |file| entry_for(file) }
      remember
    end

    def entries = @mutex.synchronize { @entries.dup }

    # Writes a recipe's archive to the folder, or these bytes with the recipe's name.
    def add(recipe, bytes = recipe.archive)
      file = "#{recipe.full_name}.gem"
      File.binwrite(File.join(@folder, file), bytes)
      entry = describe(recipe.specification, file, Digest::SHA256.hexdigest(bytes))
      @mutex.synchronize do
        @entries.reject! { |other| other.full_name == entry.full_name }
        @entries << entry
        @history << "#{entry.name} #{entry.number} #{info_digest(entry.name)}\n" if @history
      end
      entry
    end

    def yank(full_name)
      @mutex.synchronize do
        entry = @entries.find { |other| other.full_name == full_name } or raise ArgumentError, "no #{full_name}"
        @entries.delete(entry)
        @yanked << full_name
        @history << "#{entry.name} -#{entry.number} #{info_digest(entry.name)}\n" if @history
      end
    end

    # Sets the entries that the source lists. They may be wrong.
    def list(*entries) = @mutex.synchronize { @entries, @history = entries, nil }

    def entry(full_name) = entries.find { |entry| entry.full_name == full_name }

    # The path of an archive; nil if it is missing or was yanked.
    def archive(file)
      return if @yanked.include?(file.delete_suffix(".gem")) || file.include?("/")

      path = File.join(@folder, file)
      path if File.file?(path)
    end

    def names = "---\n#{entries.map(&:name).uniq.sort.join("\n")}\n"

    # Append-only, like the real index: each new gem or yank appends a line.
    def versions
      @mutex.synchronize do
        @history ||= @entries.group_by(&:name).map do |name, entries|
          "#{name} #{entries.map(&:number).join(",")} #{info_digest(name)}\n"
        end
        "created_at: 2020-01-02T00:00:00Z\n---\n#{@history.join}"
      end
    end

    def info(name) = @mutex.synchronize { info_text(name) }

    # kind: :all, :latest or :prerelease. Returns [[name, Gem::Version, platform], ...]
    def tuples(kind)
      listed = entries.reject(&:address).map { |entry| [entry.name, Gem::Version.new(entry.version), entry.platform] }
      return listed.select { |_, version, _| version.prerelease? } if kind == :prerelease

      released = listed.reject { |_, version, _| version.prerelease? }
      return released if kind == :all

      released.group_by { |name, _, platform| [name, platform] }.map { |_, group| group.max_by { |tuple| tuple[1] } }
    end

    def specification(full_name)
      entry = entry(full_name)
      entry && Gem::Package.new(File.join(@folder, entry.file)).spec
    end

    private

    def info_text(name)
      mine = @entries.select { |entry| entry.name == name }
      mine.empty? ? nil : "---\n#{mine.map(&:info_line).join}"
    end

    def info_digest(name) = Digest::MD5.hexdigest(info_text(name) || "---\n")

    def entry_for(file)
      path = File.join(@folder, file)
      stat = File.stat(path)
      key = [file, stat.size, stat.mtime.to_i]
      @seen ||= {}
      @seen[key] = @remembered[key] ||
                   describe(Gem::Package.new(path).spec, file, Digest::SHA256.file(path).hexdigest)
    end

    def describe(spec, file, sha256)
      dependencies = spec.runtime_dependencies.map { |dep| [dep.name, requirements(dep.requirement)] }
      Entry.new(spec.name, spec.version.to_s, spec.original_platform.to_s, dependencies,
                needed(spec.required_ruby_version), needed(spec.required_rubygems_version), sha256, file,
                address(spec, file))
    end

    def address(spec, file)
      suffix = file.delete_suffix(".gem").delete_prefix("#{spec.name}-#{spec.version}-")
      suffix if suffix.match?(/\A[0-9a-f]{8,64}\z/) && spec.platform.to_s != "ruby"
    end

    def requirements(requirement) = requirement.requirements.map { |operator, version| "#{operator} #{version}" }.sort

    def needed(requirement)
      requirement.nil? || requirement.none? ? nil : requirements(requirement).join("&")
    end

    # Reading the metadata of hundreds of archives takes seconds, so the result is cached in the same folder.
    def recall
      Marshal.load(File.binread(memory_path)) # rubocop:disable Security/MarshalLoad
    rescue SystemCallError, TypeError, ArgumentError
      {}
    end

    def remember
      return if @seen.nil? || @seen.size < 20 || @seen == @remembered

      File.binwrite("#{memory_path}.#{Process.pid}", Marshal.dump(@seen))
      File.rename("#{memory_path}.#{Process.pid}", memory_path)
    rescue SystemCallError
      nil # the folder may be read-only
    end

    def memory_path = File.join(@folder, ".catalog")
  end
end

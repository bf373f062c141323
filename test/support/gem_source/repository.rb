# frozen_string_literal: true

require "fileutils"
require "open3"

module GemSource
  # A git repository with gems, for tests of git sources. All commits have the same time and author.
  class Repository
    ENVIRONMENT = { "GIT_AUTHOR_NAME" => "Author", "GIT_AUTHOR_EMAIL" => "author@gems.test",
                    "GIT_COMMITTER_NAME" => "Author", "GIT_COMMITTER_EMAIL" => "author@gems.test",
                    "GIT_AUTHOR_DATE" => "2020-01-02T00:00:00Z", "GIT_COMMITTER_DATE" => "2020-01-02T00:00:00Z",
                    "GIT_CONFIG_GLOBAL" => File::NULL, "GIT_CONFIG_NOSYSTEM" => "1",
                    "GIT_DIR" => nil, "GIT_WORK_TREE" => nil, "GIT_INDEX_FILE" => nil }.freeze

    attr_reader :folder

    def initialize(folder)
      @folder = folder
      FileUtils.mkdir_p(folder)
      git("init", "--quiet", "--initial-branch", "main") unless File.exist?(File.join(folder, ".git"))
    end

    def url = "file://#{@folder}"

    # Writes files ({ path => content, or [content, mode] }) and commits them. Returns the revision.
    def commit(files, message = "Change")
      files.each do |path, (content, mode)|
        absolute = File.join(@folder, path)
        FileUtils.mkdir_p(File.dirname(absolute))
        File.write(absolute, content)
        File.chmod(mode, absolute) if mode
      end
      git("add", "--all")
      git("commit", "--quiet", "--message", message)
      revision
    end

    def revision(name = "HEAD") = git("rev-parse", name).strip

    def git(*arguments)
      output, status = Open3.capture2e(ENVIRONMENT, "git", "-c", "protocol.file.allow=always", "-C", @folder,
                                       *arguments)
      status.success? ? output : raise("git #{arguments.join(" ")}: #{output}")
    end

    # Files of a gem whose gemspec runs git and loads the gem's version.
    def self.gem_files(name, version, folder: nil, extra: "")
      prefix = folder ? "#{folder}/" : ""
      gemspec = <<~RUBY
        require_relative "lib/#{name}/version"
        Gem::Specification.new do |spec|
          spec.name = #{name.dump}
          spec.version = #{name.capitalize}::VERSION
          spec.summary = "A gem in a repository"
          spec.authors = ["Author"]
          spec.files = `git ls-files -z`.split("\\0")
          #{extra}
        end
      RUBY
      { "#{prefix}#{name}.gemspec" => gemspec,
        "#{prefix}lib/#{name}.rb" => "require \"#{name}/version\"\n",
        "#{prefix}lib/#{name}/version.rb" => "module #{name.capitalize}\n  VERSION = #{version.dump}\nend\n" }
    end
  end
end

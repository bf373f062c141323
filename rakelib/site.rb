# frozen_string_literal: true

require "erb"
require "fileutils"
require_relative "site/page"

# Writes the documentation as a web site that can be opened from files. Each Markdown file becomes a page, with links to
# all other pages.
class Site
  # Title of a part => its files or patterns, in this order. Files of a pattern are sorted by title.
  PARTS = {
    "Spate" => %w[README.md docs/install.md docs/boot.md docs/commands.md docs/*.md],
    "Server" => %w[server/README.md server/docs/*.md],
    "JavaScript" => %w[js/README.md js/docs/*.md],
    "Bytes and zlib" => %w[bytes/README.md bytes/docs/*.md],
    "Figures" => %w[benchmark/results/*.md server/benchmark/results/*.md bytes/benchmark/results/*.md
                    js/benchmark/results/*.md],
    "Why so" => %w[docs/adr/*.md server/docs/adr/*.md bytes/docs/adr/*.md],
    "The project" => %w[CONTRIBUTING.md SECURITY.md CHANGELOG.md server/CHANGELOG.md bytes/CHANGELOG.md js/CHANGELOG.md]
  }.freeze
  LAYOUT = File.expand_path("site/layout.html.erb", __dir__)
  STYLE = File.expand_path("site/style.css", __dir__)

  # The name of a file that marks a folder as written by this task, which may overwrite it.
  MARK = ".made-by-rake-site"

  # The target of a link does not exist.
  class Broken < StandardError; end

  # The folder contains files that this task did not write.
  class Occupied < StandardError; end

  def initialize(root, folder)
    @root = root
    @folder = folder
  end

  # Rewrites the whole site. Returns the number of pages. Raises Broken, Occupied.
  def write
    clear
    pages.each_value { |page| put(page.target, layout(page)) }
    pages.size
  end

  # {"docs/boot.md" => Page}
  def pages = @pages ||= parts.values.flatten.to_h { |page| [page.path, page] }

  # {title => [Page]}
  def parts
    @parts ||= PARTS.transform_values do |patterns|
      patterns.flat_map do |pattern|
        Dir.glob(pattern, base: @root).map do |path|
          Page.new(@root, path)
        end.sort_by(&:title)
      end
              .uniq(&:path)
    end
  end

  private

  def clear
    unless !File.exist?(@folder) || Dir.empty?(@folder) || File.exist?(File.join(@folder, MARK))
      raise Occupied, "#{@folder} holds something else than this site"
    end

    FileUtils.rm_rf(@folder)
    put(MARK, "")
  end

  def layout(page)
    body = page.body(pages) { |file| copy(page, file) }
    @layout ||= ERB.new(File.read(LAYOUT, encoding: "UTF-8"), trim_mode: "-")
    @layout.result_with_hash(page: page, body: body, parts: parts, style: File.read(STYLE, encoding: "UTF-8"))
  end

  def copy(page, file)
    source = File.join(@root, file)
    unless File.file?(source) && !file.start_with?("..")
      raise Broken,
            "#{page.path} links to #{file}, which is not there"
    end

    put(file, File.binread(source))
  end

  def put(path, content)
    path = File.join(@folder, path)
    FileUtils.mkdir_p(File.dirname(path))
    File.binwrite(path, content)
  end
end

# frozen_string_literal: true

require "cgi"
require "kramdown"
require "kramdown-parser-gfm"
require "pathname"

class Site
  # A Markdown file as an HTML page. A link to a file leads to the page of this file. If it has no page, the link leads
  # to the file itself, which is copied to the site.
  class Page
    LINK = /(<a href=")([^"#:]*)(#[^"]*)?(")/
    # The file to which a link to a folder leads.
    FRONT = "README.md"

    attr_reader :path

    # path: path in the repository, e.g. "docs/boot.md". root: folder of the repository.
    def initialize(root, path)
      @root = root
      @path = path
    end

    def title = text[/^# (.+)/, 1].delete("`")
    def target = Page.target(path)
    def self.target(path) = path == FRONT ? "index.html" : path.sub(/\.md\z/, ".html")

    # known: {"docs/boot.md" => Page}. Yields the path of each linked file that is not a page.
    def body(known, &block)
      html.gsub(LINK) do
        before, place, part, after = Regexp.last_match.captures
        place.empty? ? "#{before}#{part}#{after}" : "#{before}#{linked(place, known, &block)}#{part}#{after}"
      end
    end

    # The relative path from this page to another file of the site, e.g. "../index.html".
    def way(target) = Pathname(target).relative_path_from(Pathname(self.target).dirname).to_s

    private

    def text = @text ||= File.read(File.join(@root, path), encoding: "UTF-8")

    # Removes HTML comments, which are markers for tests.
    def html
      markdown = text.gsub(/^<!--.*?-->\n/m, "")
      Kramdown::Document.new(markdown, input: "GFM", hard_wrap: false, syntax_highlighter: nil).to_html
    end

    def linked(place, known)
      file = Pathname(path).dirname.join(CGI.unescapeHTML(place)).cleanpath.to_s
      page = known[file] || front(file, known)
      return way(page.target) if page

      yield file
      way(file)
    end

    # The page for a folder: its README, or else its first page.
    def front(folder, known)
      known["#{folder}/#{FRONT}"] || known.find { |path, _| path.start_with?("#{folder}/") }&.last
    end
  end
end

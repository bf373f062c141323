# frozen_string_literal: true

require "cgi"
require "kramdown"
require "kramdown-parser-gfm"
require "pathname"

class Site
  # One Markdown file as a page of HTML. Links keep their meaning: to another page where there is one for the file they
  # name, else to the file itself, which the site then holds too.
  class Page
    LINK = /(<a href=")([^"#:]*)(#[^"]*)?(")/
    # The page a folder's link leads to.
    FRONT = "README.md"

    attr_reader :path

    # path: in the repository, e.g. "docs/boot.md". root: the repository.
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

    # The way from this page to another place of the site, e.g. "../index.html".
    def way(target) = Pathname(target).relative_path_from(Pathname(self.target).dirname).to_s

    private

    def text = @text ||= File.read(File.join(@root, path), encoding: "UTF-8")

    # Comments in the sources mark what tests read.
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

    # The page of a folder: its own, else the first below it.
    def front(folder, known)
      known["#{folder}/#{FRONT}"] || known.find { |path, _| path.start_with?("#{folder}/") }&.last
    end
  end
end

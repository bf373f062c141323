# frozen_string_literal: true

module Spate
  module JS
    # Compares the pins of importmap-rails (config/importmap.rb) with the files that `bin/importmap pin` downloaded to
    # vendor/javascript. The version is both in the pin's comment (`# @1.2.3`) and in the file's first line ("//
    # name@1.2.3 downloaded from ..."). The two are committed separately, and a mismatch has effects only in the
    # browser. The importmap is parsed as text, never run. File contents are not compared, because the CDN transforms
    # the registry's package.
    module Importmap
      FILE = "config/importmap.rb"
      VENDOR = "vendor/javascript"
      # Other folders in which Rails looks for a file. A pinned file in one of them belongs to the application.
      OTHERS = "{app,lib,vendor}/{javascript,assets/*}"
      STRING = /"[^"\n]*"|'[^'\n]*'/
      PIN = /^[ \t]*pin[ \t(]+(#{STRING})((?:#{STRING}|[^#"'\n])*)(?:\#[^\n]*@(\d+\.\d+\.\d+\S*))?/
      TARGET = /\bto:\s*["']([^"']+)["']/
      ALL = /^[ \t]*pin_all_from[ \t(]+(#{STRING})/
      COMMENT = /^[ \t]*#.*/
      HEAD = %r{\A// (\S+?)@(\d\S*) downloaded from }
      BYTES = 1024

      # name:: of the package
      # version:: from the comment; nil without one, in which case the file belongs to the application
      # file:: path below vendor/javascript
      Pin = Struct.new(:name, :version, :file)

      # path:: of the file, relative to the root
      # kind:: :missing, :changed (a different version or package) or :stray (not pinned)
      # expected, found:: "md5@2.3.0", or nil
      Problem = Struct.new(:path, :kind, :expected, :found) do
        def to_s
          case kind
          when :missing then "#{path} is missing, expected #{expected}"
          when :changed then "#{path} is #{found}, expected #{expected}"
          else "#{path} is #{found}, which is not pinned"
          end
        end
      end

      # problems:: [Problem], empty if everything is as pinned
      # total:: number of pins with a version
      Result = Struct.new(:problems, :total) do
        def ok? = problems.empty?
      end

      module_function

      def at?(root) = File.file?(File.join(root, FILE))

      # Result, or nil without an importmap.
      def check(root)
        return unless at?(root)

        text = File.read(File.join(root, FILE), encoding: Encoding::UTF_8).scrub
        pins = pins(text).select(&:version)
        Result.new(pins.filter_map { |pin| problem(root, pin) } + strays(root, text, pins.map(&:file)), pins.size)
      end

      # [Pin] with a local file; pins with an address are left out.
      def pins(text)
        text.scan(PIN).filter_map do |name, options, version|
          name = name[1..-2]
          target = options[TARGET, 1] || "#{name}.js"
          Pin.new(name, version, target) unless target.include?("://") || !Package::Name.inside?(target)
        end
      end

      def problem(root, pin)
        path = "#{VENDOR}/#{pin.file}"
        expected = "#{pin.name}@#{pin.version}"
        head = head(File.join(root, path))
        return (Problem.new(path, :missing, expected) unless elsewhere?(root, pin.file)) unless head

        name, version = HEAD.match(head)&.captures
        return if name.nil? || (same?(name, pin.name) && version == pin.version)

        Problem.new(path, :changed, expected, "#{name}@#{version}")
      end
      private_class_method :problem

      def elsewhere?(root, file)
        Dir.glob(OTHERS, base: root).any? { |folder| File.file?(File.join(root, folder, file)) }
      end
      private_class_method :elsewhere?

      # Downloaded files whose package name does not occur in the text of the importmap. The whole text is searched,
      # because an importmap can define pins with any Ruby code. Files without the download comment are ignored.
      def strays(root, text, pinned)
        text = text.gsub(COMMENT, "")
        folders = text.scan(ALL).map { |(folder)| "#{folder[1..-2].delete_prefix("./").chomp("/")}/" }
        (Dir.glob("**/*.js", base: File.join(root, VENDOR)) - pinned).sort.filter_map do |file|
          path = "#{VENDOR}/#{file}"
          name, version = HEAD.match(head(File.join(root, path)).to_s)&.captures
          next if name.nil? || path.start_with?(*folders) || names?(text, name)

          Problem.new(path, :stray, nil, "#{name}@#{version}")
        end
      end
      private_class_method :strays

      def names?(text, name) = text.match?(%r{(?<![\w@/.-])#{Regexp.escape(name)}(?![\w/-])})
      private_class_method :names?

      # The comment of a part of a package (the pin "lib/file") may have the name of the package ("lib") or of the part.
      def same?(found, pinned) = found == pinned || pinned.start_with?("#{found}/")
      private_class_method :same?

      def head(path)
        File.binread(path, BYTES).to_s.force_encoding(Encoding::UTF_8).scrub if File.file?(path)
      end
      private_class_method :head
    end
  end
end

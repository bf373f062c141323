# frozen_string_literal: true

module Spate
  module JS
    # The pins of importmap-rails (config/importmap.rb) against the files that `bin/importmap pin` has downloaded to
    # vendor/javascript. Each is told by its pin's comment (`# @1.2.3`) and by its own first line ("// name@1.2.3
    # downloaded from ..."): they are committed apart, and an application whose two halves differ breaks in the browser
    # only. Read as text, never run. The bytes have nothing to be compared with: what is downloaded is not the package
    # of the registry, but what a CDN has made of it.
    module Importmap
      FILE = "config/importmap.rb"
      VENDOR = "vendor/javascript"
      PIN = /^[ \t]*pin[ \t(]+["']([^"'\n]+)["']([^#\n]*)(?:\#[ \t]*@(\S+))?/
      TARGET = /\bto:\s*["']([^"']+)["']/
      ALL = %r{^[ \t]*pin_all_from[ \t(]+["'](?:\./)?vendor/javascript\b}
      HEAD = %r{\A// (\S+?)@(\d\S*) downloaded from }
      BYTES = 1024

      # name:: of the package
      # version:: of the comment; nil where there is none: then it is one of the application's own
      # file:: below vendor/javascript
      Pin = Struct.new(:name, :version, :file)

      # path:: of the file, relative to the root
      # message:: what is wrong with it, for people
      Problem = Struct.new(:path, :message)

      module_function

      def at?(root) = File.file?(File.join(root, FILE))

      # [Problem], empty where all is as pinned, or nothing is.
      def check(root)
        return [] unless at?(root)

        text = File.read(File.join(root, FILE), encoding: Encoding::UTF_8).scrub
        pins = pins(text)
        pins.select(&:version).filter_map { |pin| problem(root, pin) } +
          (text.match?(ALL) ? [] : orphans(root, pins.map(&:file)))
      end

      # [Pin] with a file here, not those with an address.
      def pins(text)
        text.scan(PIN).filter_map do |name, options, version|
          target = options[TARGET, 1] || "#{name}.js"
          Pin.new(name, version, target) unless target.include?("://") || !Package::Name.inside?(target)
        end
      end

      def problem(root, pin)
        path = "#{VENDOR}/#{pin.file}"
        head = head(File.join(root, path))
        return Problem.new(path, "is missing: #{pin.name} is pinned to #{pin.version}") unless head

        name, version = HEAD.match(head)&.captures
        return if name.nil? || (same?(name, pin.name) && version == pin.version)

        Problem.new(path, "is #{name}@#{version}, and #{pin.name} is pinned to #{pin.version}")
      end
      private_class_method :problem

      # What was downloaded and is pinned no more. Other files may be anybody's.
      def orphans(root, pinned)
        found = Dir.glob("**/*.js", base: File.join(root, VENDOR)) - pinned
        found.sort.filter_map do |file|
          name, version = HEAD.match(head(File.join(root, VENDOR, file)).to_s)&.captures
          Problem.new("#{VENDOR}/#{file}", "is #{name}@#{version}, which is not pinned") if name
        end
      end
      private_class_method :orphans

      # A part of a package ("lib/file") has its package's name, or its own.
      def same?(found, pinned) = found == pinned || pinned.start_with?("#{found}/")
      private_class_method :same?

      def head(path)
        File.binread(path, BYTES).to_s.force_encoding(Encoding::UTF_8).scrub if File.file?(path)
      end
      private_class_method :head
    end
  end
end

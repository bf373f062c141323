# frozen_string_literal: true

module Spate
  module Images
    # An image that may exist, with the facts that builders need.
    class ImageFile
      # Lines `key<TAB>value` as a Hash.
      def self.lines(text)
        text.to_s.dup.force_encoding(Encoding::UTF_8).each_line(chomp: true).to_h { |line| line.split("\t", 2) }
      end

      # An image's data "about": kind, subject, when and by which Spate it was made.
      # signers: see #signers.
      def self.describe(kind, signers: [], **facts)
        facts = { kind: kind, **facts, made: Time.now.to_i, spate: VERSION }.compact
        facts[:signers] = signers.uniq.map { |signer| signer.join(" ") }.sort.join(",") if signers.any?
        facts.map { |key, value| "#{key}\t#{value}\n" }.join
      end

      # reason: why it cannot be used (Symbol), nil if it can.
      attr_reader :path, :image, :reason

      # trusts: whether code compiled by another machine counts, callable with a key's id and a Unix time; nil for
      # read-only inspection.
      def initialize(path, ruby_key, trusts: nil)
        @path = path
        @image = Native::Image.open(path, key: ruby_key)
        return if trusts.nil? || signers.all? { |signer| trusts.call(*signer) }

        @image = nil
        @reason = :signer
      rescue Native::Image::Unusable => e
        @reason = e.reason
      end

      def usable? = !@image.nil?
      # Whether its blobs are undamaged as well: all are read (1 ms for 24 MB).
      def whole? = usable? && damaged.empty?
      def data(name) = @image&.data(name)
      def paths = @image ? @image.paths : []

      # Whether the image has the file's current version.
      def fits?(path)
        state = @image&.state(path)
        !state.nil? && !damaged.include?(path) && Native.judge(path, state).first == :hit
      end

      # The signers of the blobs in it: [[key's id, Unix time]].
      def signers
        about["signers"].to_s.split(",").map { |pair| pair.split.then { |id, made| [id.to_s, made.to_i] } }
      end

      # {"kind" => "boot", "root" => ...}
      def about = ImageFile.lines(data("about"))

      # {gem folder => path of its image}
      def gem_images = @gem_images ||= ImageFile.lines(data("bundles"))

      private

      def damaged = @damaged ||= @image.verify
    end
  end
end

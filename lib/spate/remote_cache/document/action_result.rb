# frozen_string_literal: true

module Spate
  module RemoteCache
    class Document
      # Bazel's ActionResult (build/bazel/remote/execution/v2/remote_execution.proto), as far as Spate needs it: servers
      # of that protocol check that the named blobs are there, and keep those as long as the result.
      #
      #   ActionResult  2 output_files (each an OutputFile)  5 stdout_raw (bytes)
      #   OutputFile    1 path (string)  2 digest (Digest)
      #   Digest        1 hash (string, hex)  2 size_bytes (int64)
      #
      # files:: [File]; stdout:: bytes
      ActionResult = Struct.new(:files, :stdout) do
        # Raises Malformed, and nothing else, for any bytes.
        def self.decode(bytes)
          raise Malformed, "an action result of more than #{self::LIMIT} bytes" if bytes.bytesize > self::LIMIT

          files = Wire.fields(bytes).filter_map { |number, value| file(value) if number == 2 }
          raise Malformed, "an action result with more than #{self::FILES} files" if files.size > self::FILES

          new(files, Wire.values(bytes, 5 => String).first.to_s.b)
        end

        def self.file(bytes)
          path, digest = Wire.values(bytes, 1 => String, 2 => String)
          sha256, size = Wire.values(digest.to_s, 1 => String, 2 => Integer)
          unless sha256&.match?(/\A[0-9a-f]{64}\z/n) && size.to_i < 1 << 63
            raise Malformed, "an action result's file without digest"
          end

          self::File.new(path.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?"), sha256.encode("UTF-8"), size.to_i)
        end
        private_class_method :file

        # Bytes.
        def encode
          files.map do |file|
            digest = Wire.field(1, file.sha256) + Wire.field(2, file.bytes)
            Wire.field(2, Wire.field(1, file.path) + Wire.field(2, digest))
          end.join.b + Wire.field(5, stdout)
        end
      end

      # A blob: sha256 in hex; how many bytes.
      ActionResult::File = Struct.new(:path, :sha256, :bytes)
      # Bytes of one, and the most files in it.
      ActionResult::LIMIT = 4 << 20
      ActionResult::FILES = 64
    end
  end
end

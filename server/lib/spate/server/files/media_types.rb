# frozen_string_literal: true

module Spate
  module Server
    class Files
      # Media types by a name's ending.
      module MediaTypes
        OTHER = "application/octet-stream"
        BY_ENDING = {
          "html" => "text/html; charset=utf-8", "htm" => "text/html; charset=utf-8", "css" => "text/css; charset=utf-8",
          "js" => "text/javascript; charset=utf-8", "mjs" => "text/javascript; charset=utf-8",
          "json" => "application/json", "map" => "application/json", "txt" => "text/plain; charset=utf-8",
          "md" => "text/markdown; charset=utf-8", "csv" => "text/csv; charset=utf-8", "xml" => "application/xml",
          "svg" => "image/svg+xml", "png" => "image/png", "jpg" => "image/jpeg", "jpeg" => "image/jpeg",
          "gif" => "image/gif", "webp" => "image/webp", "avif" => "image/avif", "ico" => "image/x-icon",
          "woff" => "font/woff", "woff2" => "font/woff2", "ttf" => "font/ttf", "pdf" => "application/pdf",
          "wasm" => "application/wasm", "mp4" => "video/mp4", "webm" => "video/webm", "mp3" => "audio/mpeg",
          "zip" => "application/zip", "gz" => "application/gzip", "tgz" => "application/gzip"
        }.freeze

        def self.of(path) = BY_ENDING.fetch(File.extname(path).delete_prefix(".").downcase, OTHER)
      end
    end
  end
end

# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Reads and writes the signers of the builds in a gem's folder of extensions. They are stored in a file in that
      # folder, because a bundle may be moved, used by several projects, or outlive the store.
      module Signers
        FILE = Prepare::Distrusted::FILE

        module_function

        # Returns [[key's id, Unix time]], empty if everything was built on this machine. An empty file means an unknown
        # signer.
        def of(folder)
          lines = File.readlines("#{folder}/#{FILE}", chomp: true)
          (lines.empty? ? [""] : lines).map { |line| line.b.split.then { |id, made| [id.to_s, made.to_i] } }
        rescue Errno::ENOENT, Errno::ENOTDIR
          []
        end

        # Called before the signed build is marked as complete.
        def note(folder, signers)
          path = "#{folder}/#{FILE}"
          return Util::Files.remove(path) if signers.empty?

          Util::Files.make_folder(folder)
          BundleFolder.write(path, signers.map { |signer| "#{signer.join(" ")}\n" }.join)
        end
      end
    end
  end
end

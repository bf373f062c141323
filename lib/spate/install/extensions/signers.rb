# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # Who signed what lies in a gem's folder of extensions, in a file of that folder: a bundle may be moved, shared by
      # projects, or kept without its store, and then nothing else says so.
      module Signers
        FILE = Prepare::Distrusted::FILE

        module_function

        # [[key's id, Unix time]]; nobody where all was built here. A file that says nothing is of somebody unknown.
        def of(folder)
          lines = File.readlines("#{folder}/#{FILE}", chomp: true)
          (lines.empty? ? [""] : lines).map { |line| line.b.split.then { |id, made| [id.to_s, made.to_i] } }
        rescue Errno::ENOENT, Errno::ENOTDIR
          []
        end

        # Before what they signed counts as complete.
        def note(folder, signers)
          path = "#{folder}/#{FILE}"
          return Ground::Files.remove(path) if signers.empty?

          Ground::Files.make_folder(folder)
          BundleFolder.write(path, signers.map { |signer| "#{signer.join(" ")}\n" }.join)
        end
      end
    end
  end
end

# frozen_string_literal: true

module Spate
  module Install
    module Extensions
      # The signers of the builds in a gem's folder of extensions. They are stored in a file in that folder, because a
      # bundle may be moved, shared by projects, or kept without its store.
      module Signers
        FILE = Prepare::Distrusted::FILE

        module_function

        # [[key's id, Unix time]]; empty if everything was built here. An empty file means an unknown signer.
        def of(folder)
          lines = File.readlines("#{folder}/#{FILE}", chomp: true)
          (lines.empty? ? [""] : lines).map { |line| line.b.split.then { |id, made| [id.to_s, made.to_i] } }
        rescue Errno::ENOENT, Errno::ENOTDIR
          []
        end

        # Called before the signed build counts as complete.
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

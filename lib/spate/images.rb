# frozen_string_literal: true

module Spate
  # Makes, inspects and removes images: in builders and in the command line's processes, never in an application's
  # (test/boot/process_test.rb). The parts that a boot itself needs are in Boot.
  module Images
    {
      Builder: "builder", Clear: "clear", Compiler: "compiler", Distrusted: "distrusted", Explain: "explain",
      GemFiles: "gem_files", ImageFile: "image_file", Index: "index", Lock: "lock", Prune: "prune",
      Recording: "recording", Shared: "shared", ReplayExplanation: "replay_explanation", Status: "status",
      Verify: "verify"
    }.each { |name, file| autoload name, "#{__dir__}/images/#{file}.rb" }
  end
end

# frozen_string_literal: true

module HostileArchives
  # A gem with everything that is unusual but valid, and its expected files.
  module Accepted
    MANY = 40 # members: enough to be unpacked in parallel
    # Names that some file systems treat as equal (CVE-2026-23950): a ligature, and a letter composed and decomposed.
    ALIKE = ["lib/stra\u00dfe", "lib/strasse", "lib/\u00e9", "lib/e\u0301"].freeze

    module_function

    def bytes
      Gem.new(*members, metadata: Gem.metadata(post_install_message: "\"red \\e[31m and \\e]0;title\\a rings\"")).bytes
    end

    def members
      twice = %w[first last].map { |text| Tar.member("lib/twice.rb", text) }
      smuggled = Tar.member("smuggled", "a member inside another's content")
      [twice.first, *Array.new(MANY) { |i| Tar.member("data/#{i}", "number #{i}") }, twice.last,
       Tar.member("bin/setuid", "s", mode: 0o6755),
       Tar.member("lib/Case.rb", "upper"), Tar.member("lib/case.rb", "lower"),
       *ALIKE.map { |name| Tar.member(name, name) },
       Tar.pax({ "size" => smuggled.bytesize.to_s }), Tar.member("lib/pax", "", size: 0) + smuggled,
       Tar.pax({ "path" => "lib/#{"long" * 30}.rb" }), Tar.member("lib/short", "long name"),
       Tar.member("lib/link", "", type: "2", link: "Case.rb"), Tar.member("lib/folded/../plain", "folded"),
       Tar.member("./lib//slashes", "two")]
    end

    # {path => content, or [mode]}, in addition to data/.
    def files
      { "lib/twice.rb" => "last", "lib/Case.rb" => "upper", "lib/case.rb" => "lower", "bin/setuid" => "s",
        "lib/#{"long" * 30}.rb" => "long name", "lib/link" => "upper", "lib/plain" => "folded", "lib/slashes" => "two",
        "data/39" => "number 39", **ALIKE.to_h { |name| [name, name] } }
    end
  end
end

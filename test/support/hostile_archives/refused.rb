# frozen_string_literal: true

require "zlib"

module HostileArchives
  # Archives that an install must reject: {label => [bytes, exit code, words of the message]}. CVE numbers refer to the
  # attack in a case. outside: a folder to which no install may write.
  class Refused
    MEBIBYTE = 1 << 20

    def initialize(outside)
      @outside = outside
    end

    def cases
      [names, links, kinds, sizes, outer, metadata].reduce(:merge).transform_values do |bytes, code, words|
        [bytes, code, [Gem::FULL_NAME, *words]]
      end
    end

    private

    def gem(*inner, **parts) = Gem.new(*inner, **parts).bytes
    def file(name, content = "x", **header) = Tar.member(name, content, **header)

    # CVE-2018-1000079, 2019-8320, 2007-0469
    def names
      { "absolute name" => [gem(file("#{@outside}/absolute")), 8, ["#{@outside}/absolute", "absolute"]],
        "name that leaves" => [gem(file("../../../../../outside/up")), 8, ["../outside/up", "leads out"]],
        "name that leaves after folding" => [gem(file("lib/./../../x")), 8, ["lib/./../../x"]],
        "sibling with the same prefix" => [gem(file("../evil-1.0_backup/x")), 8, ["../evil-1.0_backup/x"]],
        "NUL in a name" => [gem(Tar.pax({ "path" => "lib/a\0.rb" }), file("lib/a.rb")), 8, ["null byte"]],
        "newline in a name" => [gem(file("lib/a\nb.rb")), 8, ["newline"]],
        "terminal escape in a name" => [gem(file("lib/\e[31mred.rb")), 8, ["control character", "\\x1b[31mred.rb"]],
        "pax path that leaves" => [gem(Tar.pax({ "path" => "../x" }), file("lib/a.rb")), 8, ["../x"]],
        "GNU long name that leaves" => [gem(file("././@LongLink", "../long\0", type: "L"), file("a")), 8, ["../long"]],
        "file where a folder is" => [gem(file("lib"), file("lib/a.rb")), 8, ["lib"]] }
    end

    # CVE-2018-1000073, 2019-8320, 2022-36113 (a marker that is a link), 2026-23745, 2026-24056
    def links
      { "absolute symlink" => [gem(symlink("lib/x", @outside)), 8, ["lib/x", "absolute"]],
        "symlink that leaves" => [gem(symlink("lib/x", "../../../outside")), 8, ["lib/x", "out of the package"]],
        "marker that is a symlink" => [gem(symlink("gem.build_complete", "#{@outside}/x")), 8, ["gem.build_complete"]],
        "symlink out through another" =>
          [gem(symlink("lib/here", "deep"), symlink("lib/x", "here/../../..")), 8, ["lib/x"]],
        "file below a symlink" => [gem(symlink("lib", "data"), file("lib/a.rb"), file("data/x")), 8, ["lib"]],
        "file below a link that leaves" => [gem(symlink("lib", "../.."), file("lib/outside/a")), 8, ["lib"]],
        "folder replaced by a symlink" =>
          [gem(file("lib/a.rb"), symlink("lib", "../../.."), file("lib/b.rb")), 8, ["lib"]],
        "hard link outside" => [gem(file("lib/x", "", type: "1", link: "/etc/passwd")), 8, ["lib/x", "hard link"]],
        "hard link inside" => [gem(file("a"), file("b", "", type: "1", link: "a")), 8, ["hard link"]] }
    end

    # CVE-2025-62518 (pax size against header size), GNU sparse
    def kinds
      { "character device" => [gem(file("dev", "", type: "3")), 8, ["dev"]],
        "block device" => [gem(file("dev", "", type: "4")), 8, ["dev"]],
        "FIFO" => [gem(file("pipe", "", type: "6")), 8, ["pipe"]],
        "GNU sparse" => [gem(file("holes", "x", type: "S")), 8, ["holes"]],
        "sparse by pax" =>
          [gem(Tar.pax({ "GNU.sparse.major" => "1", "GNU.sparse.minor" => "0" }), file("holes")), 8, []],
        "content in a folder" => [gem(file("lib/", "content", type: "5")), 8, ["lib"]],
        "path for all members" => [gem(Tar.pax({ "path" => "all" }, type: "g"), file("a")), 8, []] }
    end

    # CVE-2018-1000075, 2022-36114 (a decompression bomb)
    def sizes
      { "negative octal size" => [gem(file("a", "x", size: "-0000000010\0")), 8, []],
        "negative binary size" => [gem(file("a", "x", size: "#{"\xff" * 11}\xf0".b)), 8, []],
        "overflowing binary size" => [gem(file("a", "x", size: "\x80\x7f#{"\xff" * 10}".b)), 8, []],
        "size past the end" => [gem(file("a", "x", size: 100_000)), 8, ["a"]],
        "largest octal size" => [gem(file("a", "x", size: 0o77777777777)), 8, ["a"]],
        "pax size past the end" => [gem(Tar.pax({ "size" => "99999" }), file("a")), 8, ["a"]],
        "negative pax size" => [gem(Tar.pax({ "size" => "-1" }), file("a")), 8, []],
        "wrong header checksum" => [gem(file("a").sub("a\0\0", "b\0\0")), 8, []],
        "one file of 600 MiB" => [bomb, 8, ["big"]],
        "an endless tail" => [tail, 8, ["when inflated"]] }
    end

    # CVE-2018-1000076
    def outer
      { "data twice" =>
          [gem(file("a"), more: Tar.member("data.tar.gz", Zlib.gzip(Tar::ENDING))), 8,
           ["data.tar.gz", "duplicate member"]],
        "metadata twice" =>
          [gem(file("a"), more: Tar.member("metadata.gz", Zlib.gzip("--- {}\n"))), 8, ["metadata.gz"]],
        "no metadata" => [gem(file("a"), parts: { "metadata.gz" => nil }), 8, ["metadata.gz"]],
        "no data" => [gem(parts: { "data.tar.gz" => nil }), 8, ["data.tar.gz"]],
        "data is not gzip" => [gem(parts: { "data.tar.gz" => "plainly nothing" }), 8, ["data.tar.gz"]],
        "nothing" => ["", 8, []],
        "zeros only" => [Tar::ENDING, 8, []],
        "wrong checksums inside" =>
          [gem(file("a"), parts: { "checksums.yaml.gz" => wrong_checksums }), 7, ["metadata.gz", "0" * 64]],
        "half of the gem" => [half(gem(file("a", Random.new(1).bytes(50_000)))), 8, []] }
    end

    # CVE-2017-0899, 2017-0901, 2017-0903, 2019-8324
    def metadata
      said = "evil-1.0"
      { "metadata over 10 MiB" => [with("#{Gem.metadata}description: #{"x" * (11 * MEBIBYTE)}\n"), 8, ["metadata.gz"]],
        "another gem" => [with(Gem.metadata(name: "good")), 8, ["good-1.0"]],
        "another version" => [with(Gem.metadata(version: "2.0")), 8, ["evil-2.0"]],
        "another platform" => [with(Gem.metadata(platform: "java")), 8, ["evil-1.0-java"]],
        "terminal escape in the name" => [with(Gem.metadata(name: "\"\\e]0;x\\a\"")), 8, ["\\e]0;x"]],
        "name with a path" => [with(Gem.metadata(name: "../../evil")), 8, ["../../evil"]],
        "newline in the name" => [with(Gem.metadata(name: "\"evil\\nsystem('touch x')\"")), 8, [said]],
        "newline in require_paths" => [with(Gem.metadata(require_paths: "[\"lib\\nsystem('touch x')\"]")), 8, [said]],
        "newline in extensions" => [with(Gem.metadata(extensions: "[\"ext/a\\nsystem('touch x')\"]")), 8, [said]],
        "newline in the platform" => [with(Gem.metadata(platform: "\"ruby\\nsystem('touch x')\"")), 8, [said]],
        "class in the YAML" => [with("--- !ruby/object:Gem::Installer\ni: x\n"), 8, [said]],
        "class deep in the YAML" => [with(Gem.metadata(description: "!ruby/object:Net::WriteAdapter {}")), 8, [said]],
        "no specification" => [with("--- just words\n"), 8, [said]],
        "no YAML" => [with("--- [\n"), 8, [said]],
        "empty metadata" => [with(""), 8, [said]],
        "aliases of aliases" => [with(Gem.metadata(anything: laughs, authors: "*l9")), 8, [said, "expand to"]],
        "aliases as keys" => [with(Gem.metadata(anything: laughs, email: "{? *l9 : x}")), 8, [said, "expand to more"]],
        "aliases of a long string" => [with(Gem.metadata(licenses: long)), 8, [said, "expand to more than 16 MiB"]],
        "a list within itself" => [with(Gem.metadata(licenses: "&a [x, *a]")), 8, [said]],
        "lists in lists" => [with(Gem.metadata(licenses: "[" * MEBIBYTE)), 8, [said]],
        "folders in folders" => [with(Gem.metadata(licenses: "\n#{deep}")), 8, [said]],
        "executable with a path" => [exe("bin/../../../x", "bin", "../../../x"), 8, [said]],
        "executable in a folder" => [exe("bin/a/b", "bin", "a/b"), 8, [said]],
        "executable that is a folder" => [exe("bin/x", "bin", ".."), 8, [said]],
        "executables that are not a list" => [with(Gem.metadata(executables: "{a: {b: c}}")), 8, [said]],
        "executables that are not names" => [with(Gem.metadata(executables: "[{a: b}, 3]")), 8, [said]],
        "dependencies that are not objects" => [with(Gem.metadata(dependencies: "[x, 3]")), 8, [said]] }
    end

    # Hundreds of millions of strings in ten lines of YAML.
    def laughs
      lists = Array.new(9) { |depth| "- &l#{depth + 1} [#{(["*l#{depth}"] * 9).join(", ")}]\n" }
      "\n- &l0 laugh\n#{lists.join}"
    end

    def long = "\n- &long #{"x" * MEBIBYTE}\n#{"- *long\n" * 20}"
    def deep = Array.new(3000) { |depth| "#{" " * depth}-\n" }.join

    def symlink(name, target) = Tar.member(name, "", type: "2", link: target, mode: 0o777)
    def with(yaml) = gem(file("lib/evil.rb"), metadata: yaml)
    def half(bytes) = bytes.byteslice(0, bytes.bytesize / 2)

    def exe(path, bindir, name)
      gem(file(path, "#!/usr/bin/env ruby\n", mode: 0o755),
          metadata: Gem.metadata(bindir: bindir, executables: "[#{name.inspect}]"))
    end

    def wrong_checksums = Zlib.gzip("---\nSHA256:\n  metadata.gz: #{"0" * 64}\n  data.tar.gz: #{"0" * 64}\n")

    # A gzip member with the text, then zeros, which compress to a thousandth. A compressed piece that ends with a full
    # flush can be repeated (RFC 1951). No reader gets to the checksum at its end.
    def inflated(text, mebibytes)
      deflate = Zlib::Deflate.new(Zlib::BEST_SPEED, -Zlib::MAX_WBITS)
      start = deflate.deflate(text, Zlib::FULL_FLUSH)
      piece = deflate.deflate("\0" * (16 * MEBIBYTE), Zlib::FULL_FLUSH)
      "\x1f\x8b\b\0\0\0\0\0\0\x03".b + start + (piece * (mebibytes / 16)) + deflate.finish + ("\0" * 8)
    end

    def bomb
      gem(parts: { "data.tar.gz" => inflated(Tar.header("big", 600 * MEBIBYTE, "0", "", 0o644), 608) })
    end

    def tail = gem(parts: { "data.tar.gz" => inflated(Tar.archive(file("a")), 1536) })
  end
end

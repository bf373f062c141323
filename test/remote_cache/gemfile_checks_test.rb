# frozen_string_literal: true

require "remote_cache/entries"
require "spate/tracer"

module Spate
  # A Gemfile check by the real Bundler on one machine, used on another with the same home and other folders.
  class RemoteGemfileChecksTest < Minitest::Test
    include CacheEntries

    GEMFILE = "source 'http://gems.test'\ngem 'rack'\n"
    LOCK = "GEM\n  remote: http://gems.test/\n  specs:\n    rack (2.2.8)\n\nPLATFORMS\n  ruby\n  " \
           "#{Gem::Platform.local}\n\nDEPENDENCIES\n  rack\n\nBUNDLED WITH\n   2.3.15\n".freeze

    def setup
      skip "tracing is unavailable here: #{Tracer.available?}" unless Tracer.available? == true
      home = FileUtils.mkdir_p(File.join(folder, "home")).first
      @env = ENV.to_h.reject { |name, _| name.start_with?("BUNDLE") }.merge("HOME" => home)
    end

    def test_gemfile_check_of_one_machine_is_used_on_the_next_if_its_signer_is_trusted
      facts, entry = sent
      assert_equal facts.to_a, choose("two", entry).to_a
      trusts = ->(signer, _) { signer == private_key.id }
      assert_equal facts.to_a, recall("two", trusts: trusts).to_a
      assert_nil recall("two", trusts: ->(*) { false })
      assert_nil recall("two"), "not used without a trusted signer"
      assert_equal [["signed by #{private_key.id}, which is not trusted here"], nil],
                   [choose("three", entry, trust: trust(public_key(:other))), recall("three", trusts: trusts)]
    end

    def test_two_equal_machines_give_the_same_answer
      assert_equal 1, (%w[one two].map { |machine| sent(machine).last.id }).uniq.size
    end

    def test_machines_that_differ_in_one_input_do_not_share
      gemfile = "#{GEMFILE}ENV['FLAVOUR']\nFile.read('flavour')\nDir.glob('*.list')\n"
      _, entry = sent(gemfile: gemfile, "flavour" => "plain")
      { "./flavour changed" => ["content", { "flavour" => "sweet" }, {}],
        "FLAVOUR has changed" => ["variable", { "flavour" => "plain" }, { "FLAVOUR" => "1" }],
        "HOME has changed" => ["home", { "flavour" => "plain" }, { "HOME" => folder }],
        "BUNDLE_JOBS is set" => ["setting", { "flavour" => "plain" }, { "BUNDLE_JOBS" => "2" }],
        "the names that" => ["names", { "flavour" => "plain", "new.list" => "" }, {}] }
        .each do |words, (machine, files, env)|
          reasons = choose(machine, entry, gemfile: gemfile, env: env, **files)
          assert_kind_of Array, reasons, words
          assert_includes reasons.join.sub(folder, "."), words.delete_prefix("./")
          assert_nil recall(machine, trusts: ->(*) { true }, env: env)
        end
    end

    def test_gemfile_check_signed_for_another_question_is_refused
      _, entry = sent
      swapped = entry.dup.tap { |other| other.packed = Spate::RemoteCache::Entry::Records.new("", "", "x").pack }
      forged = entry.dup.tap { |other| other.signature = "\0" * 64 }
      facts = entry.to_h.slice(:key, :kind, :what, :id)
      others = { key: hex("other"), ruby: "ruby 2.0", platform: "arm64-linux", kind: "build",
                 made: Time.now.to_i + 200_000 }
      signed = others.map { |name, value| again(entry, facts.merge(name => value)) }
      malformed = [Marshal.dump([1, 2]), "no dump", ""].map do |bytes|
        RemoteCache::Entry.sign(facts, RemoteCache::Entry::Records.new("", "", bytes).pack, private_key)
      end
      [swapped, forged, *signed, *malformed].each_with_index do |each, number|
        assert_kind_of Array, choose("m#{number}", each), each.to_h
        assert_nil recall("m#{number}", trusts: ->(*) { true })
      end
    end

    def test_secrets_are_not_sent
      @env["DEPLOY_TOKEN"] = "0123456789abcdef"
      assert_match(/DEPLOY_TOKEN, which looks secret/, refused("#{GEMFILE}ENV['DEPLOY_TOKEN']\n"))
      assert_match(/master.key, which looks/, refused("#{GEMFILE}File.read('master.key')\n", "master.key" => "k"))
      assert_match(/contains the value of a secret/, refused("#{GEMFILE}gem 'other', group: '0123456789abcdef'\n"))
    end

    # The digest of a file would reveal a password that can be guessed.
    def test_private_files_are_not_sent
      write("home/.bundle/config", "---\nBUNDLE_JOBS: \"2\"\n")
      sent("plain")
      write("home/.bundle/config", "---\nBUNDLE_GEMS__ACME__TEST: \"me:hunter2\"\n")
      assert_match(/it read .*bundle.config, which has credentials/, refused(GEMFILE))
      File.unlink("#{folder}/home/.bundle/config")
      write("one/app/.bundle/config", "---\nBUNDLE_LOCALHOST: \"me:hunter2\"\n")
      assert_match(/it read .*bundle.config, which has credentials/, refused(GEMFILE))
      FileUtils.rm_rf("#{folder}/one/app/.bundle")
      write("home/.config/notes", "mine")
      assert_match(%r{it read ~/.config/notes, which may be private},
                   refused("#{GEMFILE}File.read(File.expand_path('~/.config/notes'))\n"))
    end

    def test_gemfile_check_with_inputs_outside_of_the_application_is_not_sent
      write("one/engine/engine.gemspec", "Gem::Specification.new('engine', '1') { |s| s.summary = s.author = 'x' }\n")
      evaluate(app("one", "#{GEMFILE}path('../engine') { }\nFile.exist?('../engine')\n"))
      assert_empty parcels("one")
    end

    private

    def again(entry, facts)
      facts = entry.to_h.except(:records, :signer).compact.merge(facts)
      if facts[:kind] == "build"
        facts.update(archive: hex("a"), blob: hex("b"), blob_bytes: 1, tar_bytes: 1, file_bytes: 1, paths: 1,
                     seconds: "1.0")
      end
      RemoteCache::Entry.sign(facts, entry.packed, private_key)
    end

    def refused(gemfile, **files)
      evaluate(app("one", gemfile, **files))
      answer = parcels("one").first.offer.call(private_key)
      assert_kind_of String, answer
      answer
    end

    # Evaluates a Gemfile on a machine, and creates the Entry that the machine would send. Returns [Facts, Entry].
    def sent(machine = "one", gemfile: GEMFILE, **files)
      facts = evaluate(app(machine, gemfile, **files))
      assert_empty facts.volatile
      entry, blob = parcels(machine).first.offer.call(private_key)
      assert_nil blob
      assert_kind_of RemoteCache::Entry, entry
      [facts, entry]
    end

    def choose(machine, entry, gemfile: GEMFILE, trust: self.trust, env: {}, **files)
      app(machine, gemfile, **files)
      checks(machine, trust: trust, env: env).choose(RemoteCache::Document.new([entry]).encode)
    end

    def parcels(machine)
      checks(machine).then { |checks| checks.parcels(checks.key) }
    end

    def checks(machine, trust: self.trust, env: {})
      RemoteCache::GemfileChecks.new(**known(machine, env), trust: trust)
    end

    def evaluate(machine) = Gemfile::Check.evaluate(**known(machine))
    def recall(machine, env: {}, **trusts) = Gemfile::Check.recall(**known(machine, env), **trusts)

    def known(machine, env = {})
      env = @env.merge(env)
      location = Gemfile.find(File.join(folder, machine, "app"), env)
      store = (@stores ||= {})[machine] ||= Store.open(home: File.join(folder, machine, "spate"), env: {})
      { location: location, settings: Settings.load(root: location.root, env: env), store: store }
    end

    def app(machine, gemfile, **files)
      { "Gemfile" => gemfile, "Gemfile.lock" => LOCK, **files.transform_keys(&:to_s) }.each do |name, text|
        write("#{machine}/app/#{name}", text)
      end
      machine
    end
  end
end

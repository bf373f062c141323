# frozen_string_literal: true

module Spate
  module CLI
    # `spate doctor`: reports problems of this machine, store and bundle, with hints.
    class Doctor < Command
      autoload :BootCheck, "spate/cli/doctor/boot_check"
      autoload :BundleCheck, "spate/cli/doctor/bundle_check"
      autoload :DiskCheck, "spate/cli/doctor/store_check"
      autoload :Faster, "spate/cli/doctor/faster"
      autoload :JavascriptCheck, "spate/cli/doctor/javascript_check"
      autoload :MachineCheck, "spate/cli/doctor/machine_check"
      autoload :StoreCheck, "spate/cli/doctor/store_check"

      # The result of one check. state: :ok, :odd (works, could be better) or :broken (an install would fail or be
      # wrong).
      Finding = Struct.new(:state, :text, :hint, :exit_code, keyword_init: true) do
        def self.ok(text) = new(state: :ok, text: text)
        def self.odd(text, hint: nil) = new(state: :odd, text: text, hint: hint)

        def self.broken(text, hint: nil, exit_code: 1)
          new(state: :broken, text: text, hint: hint, exit_code: exit_code)
        end

        def ok? = state == :ok
        def broken? = state == :broken
      end

      CHECKS = {
        "machine" => :MachineCheck, "store" => :StoreCheck, "disk" => :DiskCheck, "bundle" => :BundleCheck,
        "javascript" => :JavascriptCheck, "boot" => :BootCheck
      }.freeze

      summary "Diagnose this machine, store and bundle, with hints"
      usage "spate doctor [options]"
      bundle_options
      common_options
      left_to_bundler "ssl", "diagnose", "--ssl"
      note "Changes nothing. If past boots show how boots could be faster, the last line names the change.\n" \
           "Exit code 0, or that of the first broken finding."

      def run
        no_operands!
        found = CHECKS.flat_map { |area, check| check == :JavascriptCheck ? javascript : examine(area, check) }
        odd = found.count { |finding| !finding.ok? }
        if json?
          json.call(event: :diagnosed, findings: found.length, odd: odd)
        elsif !terminal.quiet?
          terminal.out.puts "", odd.zero? ? "no problems found" : "#{Units.count(odd, "problem")} found"
        end
        print_advice
        found.find(&:broken?)&.exit_code || 0
      end

      private

      # Prints what would make boots faster, if this machine's boot log shows it.
      def print_advice
        advice = context.bundle? && Faster.new(boot_log).advice
        return unless advice
        return json.call(event: :faster, **advice.to_h) if json?

        terminal.out.puts "faster: #{Util::Terminal.plain(advice.to_s)}" unless terminal.quiet?
      rescue Error, SystemCallError, LoadError
        nil # the findings report why there are no compile caches
      end

      def boot_log
        require "spate/native/boot"
        caches = ::Spate::Boot::CompileCacheFolder.new(context.store.root)
        caches.usable_folder? ? ::Spate::Boot::BootLog.lines(caches.boot_log_path(context.location)) : []
      end

      def makes_store? = false

      def javascript
        return examine("javascript", :JavascriptCheck) if JSGem.activate
        return [] unless JS.find_upwards(Dir.pwd) { |folder| File.file?(File.join(folder, "package.json")) }

        missing = JS::Missing.new
        [print_finding("javascript", Finding.odd(missing.message, hint: missing.hint))]
      end

      # Reports an exception in a check as a finding, because doctor must work on broken machines.
      def examine(area, check)
        terminal.out.puts terminal.paint_data(area, :bold) unless json? || terminal.quiet?
        found = []
        Doctor.const_get(check).new(context).each { |finding| print_finding(area, found.push(finding).last) }
        found
      rescue Error => e
        found << print_finding(area, Finding.broken(e.message, hint: e.hint, exit_code: e.exit_code))
      rescue SystemCallError => e
        found << print_finding(area, Finding.broken(ErrorSummary.of(e), exit_code: Util::Failure::FILE_SYSTEM))
      rescue LoadError => e
        raise unless Native.unbuilt?(e)

        found << print_finding(area, Finding.broken(e.message, hint: Native.remedy, exit_code: Util::Failure::UNBUILT))
      end

      def print_finding(area, finding)
        return finding.tap { json.call(event: :finding, area: area, **finding.to_h) } if json?
        return finding if finding.ok? && terminal.quiet?

        word = { ok: "ok    ", odd: terminal.paint_data("odd   ", :yellow),
                 broken: terminal.paint_data("broken", :red) }
        terminal.out.puts "  #{word.fetch(finding.state)}  #{Util::Terminal.plain(finding.text)}"
        hint(finding.hint) if finding.hint
        finding
      end

      def hint(text) = terminal.out.puts("          #{terminal.paint_data("hint:",
                                                                          :cyan)} #{Util::Terminal.plain(text)}")
    end
  end
end

# frozen_string_literal: true

module Spate
  module Boot
    # Ensures that only one of Spate and bootsnap is active in an application that loads both.
    #
    # Requiring bootsnap installs its load_iseq, which does not call super. If Spate has a compile cache, this module
    # removes load_iseq as soon as it is installed and turns Bootsnap.setup into a no-op. Spate's load-path cache
    # replaces bootsnap's.
    #
    # bootsnap stays active if Spate has no compile cache yet (bootsnap's may be warm), if Spate's loader is off, or if
    # config/bootsnap.rb exists, because that file configures how the application is compiled. Spate then reads the list
    # of loaded files from $LOADED_FEATURES.
    module Bootsnap
      # Prepended to Bootsnap's singleton class to disable its setup.
      module Quiet
        def setup(...) = nil
        def default_setup(...) = nil
      end

      class << self
        # Returns true if bootsnap will do nothing, otherwise the reason why it stays active.
        def deactivate(session)
          reason = reason_to_stay_active(session)
          return "bootsnap stays active if it is loaded: #{reason}" if reason

          BootEnd.watch { quiet }
          true
        end

        # The file that configures how bootsnap compiles an application.
        def config(root, env) = File.expand_path(env["BOOTSNAP_CONFIG"] || "config/bootsnap.rb", root)

        def set_up? = defined?(::Bootsnap::CompileCache::ISeq) ? true : false

        private

        def reason_to_stay_active(session)
          return "bootsnap was loaded first" if set_up?
          return "Spate's loader is off" unless session.on?(:loader)
          return "no compile cache yet" unless session.cache

          config = config(session.application.root, ENV)
          "#{config} exists" if File.exist?(config)
        end

        # Called for each loaded file until bootsnap has installed its hook.
        def quiet
          return unless set_up? && ::Bootsnap::CompileCache::ISeq.const_defined?(:InstructionSequenceMixin)

          mixin = ::Bootsnap::CompileCache::ISeq::InstructionSequenceMixin
          return unless RubyVM::InstructionSequence.singleton_class.include?(mixin)

          mixin.send(:remove_method, :load_iseq) if mixin.method_defined?(:load_iseq, false)
          ::Bootsnap.singleton_class.prepend(Quiet)
          true
        end
      end
    end
  end
end

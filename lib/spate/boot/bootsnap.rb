# frozen_string_literal: true

module Spate
  module Boot
    # For applications that also load bootsnap: makes sure that only one of the two is active.
    #
    # bootsnap's load_iseq does not call super, and requiring the library installs it. Spate's load-path cache replaces
    # bootsnap's. So if Spate has a compile cache, bootsnap's hook is removed as soon as it is installed, and
    # Bootsnap.setup does nothing. bootsnap stays active as long as Spate has no compile cache (bootsnap's cache may be
    # warm; $LOADED_FEATURES then lists the loaded files), if Spate's loader is off, or if config/bootsnap.rb chooses
    # how files are compiled, since that is behaviour of the application.
    module Bootsnap
      # Replaces bootsnap's own method.
      module Quiet
        def setup(...) = nil
        def default_setup(...) = nil
      end

      class << self
        # Returns true if bootsnap will do nothing, otherwise the reason why it stays active.
        def meet(session)
          reason = stays(session)
          return "bootsnap stays active if it is loaded: #{reason}" if reason

          BootEnd.watch { quiet }
          true
        end

        # The file that configures how bootsnap compiles an application.
        def config(root, env) = File.expand_path(env["BOOTSNAP_CONFIG"] || "config/bootsnap.rb", root)

        def set_up? = defined?(::Bootsnap::CompileCache::ISeq) ? true : false

        private

        def stays(session)
          return "bootsnap was loaded first" if set_up?
          return "Spate's loader is off" unless session.on?(:loader)
          return "no compile cache yet" unless session.cache

          config = config(session.application.root, ENV)
          "#{config} exists" if File.exist?(config)
        end

        # Called while the library is being loaded, as soon as it has installed its hook.
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

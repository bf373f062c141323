# frozen_string_literal: true

module Spate
  module Boot
    # For applications that also load bootsnap: only one of the two is active.
    #
    # bootsnap's load_iseq calls no super, and requiring the library is enough to install it; Spate's load-path cache
    # answers what its load-path cache would. So where Spate has a compile cache, bootsnap's hook is removed as soon as
    # it appears, and Bootsnap.setup does nothing. bootsnap stays where no compile cache exists yet (its cache may be
    # warm; $LOADED_FEATURES then lists what was loaded), where Spate's loader is off, and where config/bootsnap.rb
    # chooses how files are compiled: that is the application's behaviour, not a cache's.
    module Bootsnap
      # Replaces bootsnap's own.
      module Quiet
        def setup(...) = nil
        def default_setup(...) = nil
      end

      class << self
        # true if bootsnap will do nothing, else why it stays.
        def meet(session)
          reason = stays(session)
          return "bootsnap stays, where it is loaded: #{reason}" if reason

          BootEnd.watch { quiet }
          true
        end

        # The file that chooses how bootsnap compiles an application.
        def config(root, env) = File.expand_path(env["BOOTSNAP_CONFIG"] || "config/bootsnap.rb", root)

        def set_up? = defined?(::Bootsnap::CompileCache::ISeq) ? true : false

        private

        def stays(session)
          return "it came first" if set_up?
          return "Spate's loader is off" unless session.on?(:loader)
          return "no compile cache yet" unless session.cache

          config = config(session.application.root, ENV)
          "#{config} is there" if File.exist?(config)
        end

        # As soon as the library has installed its hook, while it is being loaded.
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

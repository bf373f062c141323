# frozen_string_literal: true

require "io/nonblock"
require "io/wait"
require "json"
require "tmpdir"
require "fileutils"

module Spate
  # Headless Chromium, controlled through a pipe (DevTools protocol; messages end with NUL). Records console messages,
  # exceptions and requests of a page.
  class Browser
    NAMES = %w[chromium-headless-shell chromium chromium-browser google-chrome].freeze
    SECONDS = 30
    EVENTS = { "Runtime.exceptionThrown" => :problems, "Log.entryAdded" => :problems,
               "Runtime.consoleAPICalled" => :problems, "Network.requestWillBeSent" => :requests,
               "Page.loadEventFired" => :loads }.freeze

    # The program's path, or nil.
    def self.program
      folders = ENV.fetch("PATH").split(File::PATH_SEPARATOR)
      NAMES.product(folders).map { |name, folder| "#{folder}/#{name}" }.find { |path| File.executable?(path) }
    end

    attr_reader :problems, :requests

    # Yields the browser, and closes it afterwards.
    def self.open(width: 1200, height: 900)
      browser = new(width, height)
      yield browser
    ensure
      browser&.close
    end

    def initialize(width, height)
      @folder = Dir.mktmpdir("spate-browser-")
      @problems = []
      @requests = []
      @loads = []
      @number = 0
      commands, @commands = IO.pipe(binmode: true)
      @answers, answers = IO.pipe(binmode: true)
      [commands, answers].each { |pipe| pipe.nonblock = false } # Chromium treats EAGAIN as the end
      @pid = Process.spawn({ "HOME" => @folder }, Browser.program, "--headless", "--no-sandbox", "--disable-gpu",
                           "--remote-debugging-pipe", "--user-data-dir=#{@folder}", "--window-size=#{width},#{height}",
                           "--no-first-run", "--disable-dev-shm-usage",
                           3 => commands, 4 => answers, in: File::NULL, %i[out err] => File::NULL)
      [commands, answers].each(&:close)
      attach
    end

    # Opens a page and waits until it has loaded.
    def visit(url)
      @requests.clear
      @loads.clear
      call("Page.navigate", url: url)
      pump until @loads.any?
    end

    # The value of a JavaScript expression.
    def evaluate(expression)
      answer = call("Runtime.evaluate", expression: expression, returnByValue: true, awaitPromise: true)
      raise answer["exceptionDetails"].inspect if answer["exceptionDetails"]

      answer.fetch("result")["value"]
    end

    def key(key, code: key, text: nil)
      call("Input.dispatchKeyEvent", { type: "keyDown", key: key, code: code, text: text }.compact)
      call("Input.dispatchKeyEvent", type: "keyUp", key: key, code: code)
    end

    # kind: mousePressed, mouseReleased, mouseMoved, mouseWheel
    def mouse(kind, left, top, **more)
      call("Input.dispatchMouseEvent", type: kind, x: left, y: top, **more)
    end

    def emulate(**features)
      list = features.map { |name, value| { name: name.to_s.tr("_", "-"), value: value } }
      call("Emulation.setEmulatedMedia", features: list)
    end

    def close
      @commands.close
      Process.kill(:TERM, @pid)
      Process.wait(@pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil
    ensure
      @answers.close
      FileUtils.rm_rf(@folder)
    end

    private

    def attach
      target = call("Target.createTarget", url: "about:blank").fetch("targetId")
      @session = call("Target.attachToTarget", targetId: target, flatten: true).fetch("sessionId")
      %w[Page Runtime Log Network].each { |domain| call("#{domain}.enable") }
    end

    def call(method, parameters = {}, **more)
      @number += 1
      message = { id: @number, method: method, params: parameters.merge(more), sessionId: @session }.compact
      @commands.write(JSON.generate(message), "\0")
      @commands.flush
      wanted = @number
      loop do
        answer = pump
        next unless answer["id"] == wanted
        raise "#{method}: #{answer["error"]}" if answer["error"]

        return answer.fetch("result")
      end
    end

    def pump
      raise "the browser says nothing for #{SECONDS} s" unless @rest&.include?("\0") || @answers.wait_readable(SECONDS)

      @rest ||= +"".b
      @rest << @answers.readpartial(1 << 16) until @rest.include?("\0")
      message = JSON.parse(@rest.slice!(0..@rest.index("\0")).chomp("\0"))
      note(message)
      message
    end

    def note(message)
      list = EVENTS[message["method"]] or return
      instance_variable_get("@#{list}") << message["params"]
    end
  end
end

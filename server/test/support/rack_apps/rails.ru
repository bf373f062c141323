# frozen_string_literal: true

require "logger"
require "rails"
require "action_controller/railtie"

# A Rails application in one file: pages, JSON, a live stream, an upload, a file.
class Small < Rails::Application
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = true
  config.secret_key_base = "0" * 64
  config.hosts.clear
  config.action_controller.default_protect_from_forgery = false
  config.logger = Logger.new(File::NULL)
  config.root = __dir__
  routes.append do
    root to: "notes#page"
    get "json", to: "notes#json"
    get "live", to: "notes#live"
    post "upload", to: "notes#upload"
    get "file", to: "notes#file"
    get "fail", to: "notes#boom"
    get "hints", to: "notes#hints"
  end
end

class NotesController < ActionController::Base
  include ActionController::Live

  def page
    render html: "<!doctype html><title>rails</title><p id=said></p><script>fetch('/json').then(r => r.json())" \
                 ".then(j => { document.getElementById('said').textContent = j.said })</script>".html_safe
  end

  def json = render(json: { said: "hello", verb: request.request_method, ssl: request.ssl? })

  def live
    response.headers["content-type"] = "text/event-stream"
    3.times { |n| response.stream.write("data: #{n}\n\n") }
  ensure
    response.stream.close
  end

  def upload = render(plain: params[:file].read.sum.to_s)
  def file = send_file(__FILE__, type: "text/plain", disposition: "inline")
  def boom = raise("as asked")

  def hints
    request.send_early_hints("link" => "</a.css>; rel=preload")
    render plain: "hints"
  end
end

Small.initialize!
run Rails.application

# frozen_string_literal: true

require "sinatra/base"

# A page with a form, a stream, an upload, a redirect.
class Small < Sinatra::Base
  set :environment, :production
  set :host_authorization, { permitted_hosts: [] } if respond_to?(:host_authorization)
  enable :sessions
  set :session_secret, "0" * 64

  get("/") { "<!doctype html><title>sinatra</title><form method=post action=/say><input name=what value=hello></form>" }
  post("/say") do
    session[:said] = params[:what]
    redirect to("/said")
  end
  get("/said") { "said #{session[:said]}" }
  get("/stream") { stream { |out| 3.times { |n| out << "part #{n}\n" } } }
  post("/upload") { params[:file][:tempfile].read.sum.to_s }
  get("/fail") { raise "as asked" }
end

run Small

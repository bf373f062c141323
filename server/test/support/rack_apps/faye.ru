# frozen_string_literal: true

# Echoes a websocket's messages, with a gem that takes the socket (a full hijack).
require "faye/websocket"

run(lambda do |env|
  next [404, {}, []] unless Faye::WebSocket.websocket?(env)

  socket = Faye::WebSocket.new(env)
  socket.on(:message) { |event| socket.send(event.data) }
  socket.rack_response
end)

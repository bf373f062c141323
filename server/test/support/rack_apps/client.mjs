// Node's HTTP/2 client: a GET, an upload, concurrent requests and a cancelled stream. Prints JSON.
import http2 from "node:http2";

const client = http2.connect(`http://127.0.0.1:${process.argv[2]}`);
const ask = (headers, content) => new Promise((resolve, reject) => {
  const stream = client.request(headers, { endStream: content === undefined });
  const answer = { status: 0, text: "", trailers: {} };
  stream.on("response", (fields) => { answer.status = fields[":status"]; });
  stream.on("trailers", (fields) => { answer.trailers = { ...fields }; });
  stream.on("data", (part) => { answer.text += part; });
  stream.on("end", () => resolve(answer));
  stream.on("error", reject);
  if (content !== undefined) stream.end(content);
});
const told = {
  get: await ask({ ":path": "/array" }),
  echo: (await ask({ ":path": "/echo", ":method": "POST" }, "x".repeat(300000))).text.length,
  trailers: (await ask({ ":path": "/trailers" })).trailers["x-sum"],
  many: (await Promise.all(Array.from({ length: 100 }, () => ask({ ":path": "/stream" })))).filter((answer) => answer.text === "stream\n").length,
};
const cancelled = client.request({ ":path": "/echo", ":method": "POST" }, { endStream: false });
cancelled.write("abc");
cancelled.on("error", () => {});
await new Promise((resolve) => { cancelled.on("close", resolve); setTimeout(() => cancelled.close(http2.constants.NGHTTP2_CANCEL), 50); });
told.after = (await ask({ ":path": "/array" })).text;
client.close();
console.log(JSON.stringify(told));

// Preloaded into servers that listen on every address of the machine: they listen on a loopback address and on a
// port of the system's choice, which is written into the file named by PORT_FILE.
const { writeFileSync } = require("node:fs");
const net = require("node:net");

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const ready = args.find((a) => typeof a === "function");
  return listen.call(this, { host: "127.0.0.1", port: 0 }, () => {
    writeFileSync(process.env.PORT_FILE, String(this.address().port));
    ready?.call(this);
  });
};

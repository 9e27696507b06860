// Calls tools with the TypeScript SDK 2.x and prints what it read: node calls_v2.ts <url> <calls as JSON> <mode>
// The mode is "legacy", or a version of the protocol to insist on.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { callAll } from "./calls.ts";

const mode = process.argv[4] === "legacy" ? "legacy" : { pin: process.argv[4] };
const client = new Client({ name: "calls-v2", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
await callAll(client, JSON.parse(process.argv[3]));

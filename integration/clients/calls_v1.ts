// Calls tools with the TypeScript SDK 1.x and prints what it read: node calls_v1.ts <url> <calls as JSON>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { callAll } from "./calls.ts";

const client = new Client({ name: "calls-v1", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
await callAll(client, JSON.parse(process.argv[3]));

// The retry loop of a client that branches on the envelope's code, as its authors publish it. Only what surrounds
// the function was added: node retry_code.ts <url> <tool> <arguments as JSON>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

async function callWithRetry(call: () => Promise<any>, maxAttempts = 3) {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const r = await call();
    if (!r.isError) return r;
    const code = r.structuredContent?.code;
    const wait = r.structuredContent?.retryAfter ?? Math.min(2 ** attempt, 30);
    if (["rate_limited", "at_capacity", "service_unavailable", "upstream_error"].includes(code)) {
      await new Promise((res) => setTimeout(res, wait * 1000));
      continue;
    }
    // Non-retryable, surface to caller
    throw new Error(`${code}: ${r.structuredContent?.error}`);
  }
  throw new Error("max retries exceeded");
}

const [url, name, args] = process.argv.slice(2);
const client = new Client({ name: "retry-code", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
try {
  const result = await callWithRetry(() => client.callTool({ name, arguments: JSON.parse(args) }));
  console.log(JSON.stringify({ result }));
} catch (err: any) {
  console.log(JSON.stringify({ thrown: { message: err.message } }));
}
await client.close();

// The retry loop of a client that looks at the text of a failure, as its authors publish it. Only what surrounds
// the function was added: node retry_text.ts <url> <tool> <arguments as JSON>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

async function callWithRetry(
  client: import("@modelcontextprotocol/sdk/client/index.js").Client,
  name: string,
  args: Record<string, unknown>,
  maxAttempts = 3,
) {
  let lastText = "";
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const res = await client.callTool({ name, arguments: args });
    if (!res.isError) return res;
    lastText = res.content[0]?.text ?? "";
    // Rate-limit / transient → back off and retry.
    const isRateLimited = /rate limit/i.test(lastText);
    if (isRateLimited && attempt < maxAttempts) {
      const waitMs = 1000 * attempt; // honor retry_hint when you have it
      await new Promise((r) => setTimeout(r, waitMs));
      continue;
    }
    // Approval / permission / validation → do not retry.
    break;
  }
  throw new Error(`call_tool ${name} failed: ${lastText}`);
}

const [url, tool, args] = process.argv.slice(2);
const client = new Client({ name: "retry-text", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
try {
  console.log(JSON.stringify({ result: await callWithRetry(client, tool, JSON.parse(args)) }));
} catch (err: any) {
  console.log(JSON.stringify({ thrown: { message: err.message } }));
}
await client.close();

// Lists the tools, as agents do, which is when the SDKs learn output schemas; then makes the calls one by one and
// prints {"tools": [...], "outcomes": [{"result": ...} | {"thrown": ...}]}.
export async function callAll(client: any, calls: { name: string; arguments: Record<string, unknown> }[]) {
  const { tools } = await client.listTools();
  const outcomes = [];
  for (const call of calls) {
    try {
      outcomes.push({ result: await client.callTool(call) });
    } catch (err: any) {
      outcomes.push({ thrown: { name: err.name, code: err.code, message: err.message, data: err.data } });
    }
  }
  console.log(JSON.stringify({ tools, outcomes }));
  await client.close();
}

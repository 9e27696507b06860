"""The retry loop of a client that looks at the text of a failure, as its authors publish it.

Only what surrounds the function was added: python retry_text.py <url> <tool> <arguments as JSON>
"""
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

import asyncio
async def call_with_retry(session, name, args, max_attempts=3):
    last_text = ""
    for attempt in range(1, max_attempts + 1):
        result = await session.call_tool(name, arguments=args)
        if not result.isError:
            return result
        last_text = result.content[0].text if result.content else ""
        # Rate-limit / transient -> back off and retry.
        if "rate limit" in last_text.lower() and attempt < max_attempts:
            await asyncio.sleep(1.0 * attempt)  # honor retry_hint when you have it
            continue
        # Approval / permission / validation -> do not retry.
        break
    raise RuntimeError(f"call_tool {name} failed: {last_text}")


async def main(url, tool, args):
    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        try:
            result = await call_with_retry(session, tool, json.loads(args))
            print(json.dumps({"result": result.model_dump(mode="json", by_alias=True, exclude_none=True)}))
        except RuntimeError as e:
            print(json.dumps({"thrown": {"message": str(e)}}))


asyncio.run(main(*sys.argv[1:]))

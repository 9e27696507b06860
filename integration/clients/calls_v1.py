"""Calls tools with the Python SDK 1.x and prints what it read: python calls_v1.py <url> <calls as JSON>"""
import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from calls import call_all


async def main(url, calls):
    async with streamable_http_client(url) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        await call_all(session, json.loads(calls))


asyncio.run(main(*sys.argv[1:]))

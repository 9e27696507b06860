"""Calls tools with the Python SDK 2.x and prints what it read: python calls_v2.py <url> <calls as JSON> <mode>

The mode is "legacy", or a version of the protocol to insist on.
"""
import asyncio
import json
import sys

from mcp import Client

from calls import call_all


async def main(url, calls, mode):
    async with Client(url, mode=mode) as client:
        await call_all(client, json.loads(calls))


asyncio.run(main(*sys.argv[1:]))

"""A server on the Python SDK 1.x."""
from mcp.server.fastmcp import FastMCP

from serve import serve
from tools import add_to

mcp = FastMCP("tools")
add_to(mcp)
serve(mcp.streamable_http_app())

"""A server on FastMCP."""
from fastmcp import FastMCP

from serve import serve
from tools import add_to

mcp = FastMCP("tools")
add_to(mcp)
serve(mcp.http_app())

"""A server on the Python SDK 2.x."""
from mcp.server.mcpserver import MCPServer

from serve import serve
from tools import add_to

mcp = MCPServer("tools")
add_to(mcp)
serve(mcp.streamable_http_app())

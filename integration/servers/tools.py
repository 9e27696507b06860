"""Tools that fail in the ways of real ones, added to whichever framework is under test."""
import sqlite3
from typing import Annotated

from pydantic import BaseModel, Field


class Weather(BaseModel):
    celsius: float


class Address(BaseModel):
    city: str
    zip: Annotated[str, Field(min_length=4)]


def add_to(mcp):
    @mcp.tool()
    def echo(text: str) -> str:
        return text

    @mcp.tool()
    def order(quantity: int, address: Address | None = None) -> str:
        return f"ordered {quantity}"

    @mcp.tool()
    def traceback() -> str:
        raise ValueError("Invalid date format: 2025-13-45")

    @mcp.tool()
    def key_error() -> str:
        return {}["customer_id"]

    @mcp.tool()
    def database() -> str:
        sqlite3.connect(":memory:").execute("SELECT name FROM user_data_v2")
        return "not reached"

    @mcp.tool()
    def permission() -> str:
        raise PermissionError(13, "Permission denied", "/etc/shadow")

    @mcp.tool()
    def refused() -> str:
        raise ConnectionError("Failed to connect to api.example.com:443")

    @mcp.tool()
    def rate_limited() -> str:
        raise RuntimeError("Client error '429 Too Many Requests' for url 'https://api.example.com/v1?api_key=none'")

    @mcp.tool()
    def weather(city: str) -> Weather:
        if city != "Delft":
            raise RuntimeError("HTTP 503 Service Unavailable")
        return Weather(celsius=11.5)

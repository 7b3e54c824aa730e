"""The official MCP client: prints the instructions, the person's tools, and the text of an answer and of a refusal.

AGENT_URL=http://127.0.0.1:8000 AGENT_TOKEN=… python docs/examples/with_mcp.py
"""

import os

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

LEDGER = "queryLedgerCashTransactions"


async def main() -> None:
    """Ask as any host asks; the text is what a model reads, `structured_content` the same for a program."""
    headers = {"Authorization": f"Bearer {os.environ['AGENT_TOKEN']}"}
    url = f"{os.environ['AGENT_URL'].rstrip('/')}/mcp"
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        print(client.instructions)
        for tool in (await client.list_tools()).tools:
            print(f"{tool.name}: {tool.title}")
        for flow in ("EXPENSE", "EXPENSES"):
            result = await client.call_tool(LEDGER, {"flow": flow, "rows": 0})
            print("refused" if result.is_error else "answered")
            print(result.content[0].text)


anyio.run(main)

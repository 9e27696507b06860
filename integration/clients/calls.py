"""Lists the tools, which is when the SDK learns output schemas, makes the calls one by one and prints
{"tools": [...], "outcomes": [{"result": ...} | {"thrown": ...}]}."""
import json


def dump(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def call_all(session, calls):
    tools = (await session.list_tools()).tools
    outcomes = []
    for call in calls:
        try:
            result = await session.call_tool(call["name"], call["arguments"])
            outcomes.append({"result": dump(result)})
        except Exception as e:
            outcomes.append({"thrown": {"name": type(e).__name__, "message": str(e)}})
    print(json.dumps({"tools": [dump(t) for t in tools], "outcomes": outcomes}))

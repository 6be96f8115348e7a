import json
import sys

from anthropic.lib.tools import ToolError
from memory_tool import MemendMemoryTool

tool = MemendMemoryTool(*sys.argv[1:])
for line in sys.stdin:
    try:
        answer = {"content": tool.call(json.loads(line)), "is_error": False}
    except ToolError as e:
        answer = {"content": e.content, "is_error": True}
    print(json.dumps(answer))
tool.close()

"""Claude's memory tool for the Python SDK (anthropic), kept in a memend store.

    tool = MemendMemoryTool("--store", "notes", "--session", "run-42")
    client.beta.messages.tool_runner(model=..., max_tokens=..., messages=[...], tools=[tool]).until_done()

The arguments are those of `memend tool`. One process serves all calls of one object.
"""

import json
import subprocess
import threading

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError


class MemendMemoryTool(BetaAbstractMemoryTool):
    def __init__(self, *args, **kwargs):
        super().__init__(**kwargs)
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            ["memend", "tool", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def _run(self, command):
        with self._lock:  # one call at a time, each answered by one line
            self._process.stdin.write(json.dumps(command.to_dict()) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"memend tool has ended with {self._process.wait()}")
        answer = json.loads(line)
        if answer["is_error"]:
            raise ToolError(answer["content"])
        return answer["content"]

    view = create = str_replace = insert = delete = rename = _run

    def close(self):
        self._process.stdin.close()
        self._process.wait()

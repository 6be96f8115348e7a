import { createInterface } from "node:readline";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";
import { memendMemoryTool } from "./memory_tool.js";

const memory = memendMemoryTool(...process.argv.slice(2));
const answers = [];
for await (const line of createInterface({ input: process.stdin })) {
  const call = memory.tool.parse(JSON.parse(line));
  answers.push(Promise.resolve(memory.tool.run(call)).then(
    (content) => ({ content, is_error: false }),
    (e) => { if (!(e instanceof ToolError)) throw e; return { content: e.content, is_error: true }; }));
}
for (const answer of await Promise.all(answers)) console.log(JSON.stringify(answer));
memory.close();

// Claude's memory tool for the TypeScript SDK (@anthropic-ai/sdk), kept in a memend store.
//
//   const memory = memendMemoryTool("--store", "notes", "--session", "run-42");
//   await client.beta.messages.toolRunner({ model, max_tokens, messages, tools: [memory.tool] });
//   memory.close();
//
// The arguments are those of `memend tool`. One process serves all calls.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { ToolError } from "@anthropic-ai/sdk/lib/tools/ToolError";

export function memendMemoryTool(...args: string[]) {
  const child = spawn("memend", ["tool", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<never>((_, reject) => child.on("error", reject));
  ended.catch(() => {}); // told to whoever calls
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();

  async function answer(command: object): Promise<string> {
    child.stdin.write(JSON.stringify(command) + "\n");
    const { value, done } = await Promise.race([lines.next(), ended]);
    if (done) throw new Error("memend tool has ended");
    const { content, is_error } = JSON.parse(value);
    if (is_error) throw new ToolError(content);
    return content;
  }
  function run(command: object): Promise<string> { // one call at a time, each answered by one line
    const result = last.then(() => answer(command));
    last = result.catch(() => {});
    return result;
  }
  return {
    tool: betaMemoryTool({ view: run, create: run, str_replace: run, insert: run, delete: run, rename: run }),
    close: () => child.stdin.end(),
  };
}

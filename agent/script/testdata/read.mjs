// The official TypeScript SDK reads the scripted API. usage: node read.mjs SDK_FOLDER BASE_URL
// Prints a JSON object; the Go test beside it says what must be in it.
import { pathToFileURL } from 'node:url';
const [folder, baseURL] = process.argv.slice(2);
const load = file => import(pathToFileURL(folder + '/' + file).href);
const { default: Anthropic } = await load('index.mjs');
const { betaMemoryTool } = await load('helpers/beta/memory.mjs');
const client = new Anthropic({ apiKey: 'key', baseURL, maxRetries: 0 });
const out = {};
const ask = (model, more) => ({ model, max_tokens: 2000, messages: [{ role: 'user', content: 'go' }], ...more });
const failure = async run => {
  try { await run(); return 'no error'; } catch (e) { return { status: e.status ?? null, body: e.error ?? null, retry: e.headers?.get?.('retry-after-ms') ?? null }; }
};

// The tool runner: thinking, split text, calls, results, edits, a threshold's summary.
// Without thread:false it would keep the conversation on the server.
out.turns = []; out.calls = [];
const tool = betaMemoryTool(new Proxy({}, { get: (_, command) => input => { out.calls.push({ command, ...input }); return 'x'.repeat(4000); } }));
const runner = client.beta.messages.toolRunner({ ...ask('all'), stream: true, thread: false, tools: [tool], thinking: { type: 'adaptive' },
  betas: ['context-management-2025-06-27', 'compact-2026-01-12'],
  context_management: { edits: [{ type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 2500 }, keep: { type: 'tool_uses', value: 1 } }, { type: 'compact_20260112' }] } });
for await (const stream of runner) {
  let text = '', json = '';
  stream.on('text', t => { text += t; });
  stream.on('inputJson', p => { json += p; });
  const m = await stream.finalMessage();
  out.turns.push({ stop: m.stop_reason, content: m.content, usage: m.usage, context: m.context_management, text, json });
}

out.whole = await client.beta.messages.create(ask('all'));
out.compacted = await client.beta.messages.stream({ ...ask('all'), betas: ['compact-2026-09-04'], compaction: { type: 'summarize' } }).finalMessage();
out.resumed = await client.beta.messages.create({ ...ask('all'), betas: ['compact-2026-09-04'], messages: [{ role: 'assistant', content: out.compacted.content }] });
out.refused = await failure(() => client.beta.messages.create(ask('limited')));
out.broken = await failure(() => client.beta.messages.stream(ask('broken')).finalMessage());
out.cut = await failure(() => client.beta.messages.stream(ask('cut')).finalMessage());
out.invalid = await failure(() => client.beta.messages.create({ ...ask('all'), betas: ['context-management-2025-06-27'], context_management: { edits: [{ type: 'clear_thinking_20251015' }] } }));
out.models = [];
for await (const m of client.beta.models.list({ limit: 2 })) out.models.push(m.id);
out.model = await client.beta.models.retrieve('all');
console.log(JSON.stringify(out));

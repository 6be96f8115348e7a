// Runs the tool runner of the TypeScript SDK with compaction on the client:
// node runner.mjs SDK_FOLDER BASE_URL OPTIONS
const [folder, baseURL, options] = process.argv.slice(2);
const { default: Anthropic } = await import(folder + '/index.mjs');
const { compaction, max } = JSON.parse(options);
console.warn = () => {};
const client = new Anthropic({ apiKey: 'none', baseURL, maxRetries: 0 });
const runner = client.beta.messages.toolRunner({
  model: 'model-1', max_tokens: 77, system: 'SYSTEM', max_iterations: max,
  tools: [{ name: 'memory', description: 'd', input_schema: { type: 'object' }, run: async (i) => 'saw ' + i.path }],
  messages: [{ role: 'user', content: 'go' }],
  compactionControl: { enabled: true, ...compaction },
});
try {
  for await (const message of runner) message;
} catch (e) {
  console.log('error');
}

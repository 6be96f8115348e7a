// Plays the official TypeScript SDK against a server and tells what it saw, as JSON:
// node sdk.mjs FOLDER-OF-THE-PACKAGE BASE-URL FOLDER-FOR-FILES
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, baseURL, files] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(path.join(folder, file)).href);
const { default: Anthropic } = await load('index.mjs');
const { SessionMemoryStores } = await load('tools/agent-toolset/memories.mjs');
const client = new Anthropic({ baseURL, apiKey: 'typescript', logLevel: 'off' });
const { memoryStores } = client.beta;

const refused = async (what) => {
  try {
    await what();
    return 'was not refused';
  } catch (e) {
    return { class: e.constructor.name, status: e.status, id: Boolean(e.requestID), error: e.error };
  }
};
const all = async (list, field) => {
  const out = [];
  for await (const item of list) out.push(item[field]);
  return out;
};
const sha = async (text) => Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('hex');

const seen = {};
const store = await memoryStores.create({ name: 'From TypeScript', metadata: { user: 'u1', old: 'x' } });
seen.updated = await memoryStores.update(store.id, { metadata: { old: null } });
const a = await memoryStores.memories.create(store.id, { path: '/a.md', content: 'one — ☃ 🦀\r\n' });
seen.full = await memoryStores.memories.retrieve(a.id, { memory_store_id: store.id });
seen.taken = await refused(() => memoryStores.memories.create(store.id, { path: '/a.md/b', content: '' }));
seen.changed = await memoryStores.memories.update(a.id, { memory_store_id: store.id, content: 'two', precondition: { type: 'content_sha256', content_sha256: a.content_sha256 } });
seen.stale = await refused(() => memoryStores.memories.update(a.id, { memory_store_id: store.id, content: 'three', precondition: { type: 'content_sha256', content_sha256: a.content_sha256 } }));
seen.head = await refused(() => memoryStores.memoryVersions.redact(seen.changed.memory_version_id, { memory_store_id: store.id }));
for (let i = 0; i < 25; i++) await memoryStores.memories.create(store.id, { path: `/d/${String(i).padStart(2, '0')}.md`, content: `${i}` });
seen.children = await all(memoryStores.memories.list(store.id, { depth: 1, limit: 1 }), 'path');
seen.memories = (await all(memoryStores.memories.list(store.id, { view: 'full' }), 'content')).length;
seen.versions = await all(memoryStores.memoryVersions.list(store.id, { memory_id: a.id, limit: 1 }), 'operation');
seen.none = await all(memoryStores.memoryVersions.list(store.id, { 'created_at[gte]': '2999-01-01T00:00:00Z' }), 'id');
seen.redacted = await memoryStores.memoryVersions.redact(a.memory_version_id, { memory_store_id: store.id });
seen.deleted = await memoryStores.memories.delete(a.id, { memory_store_id: store.id, expected_content_sha256: await sha('two') });
seen.gone = await refused(() => memoryStores.memories.retrieve(a.id, { memory_store_id: store.id }));
seen.stores = await all(memoryStores.list({ limit: 1, include_archived: true }), 'name');

// The worker that keeps a folder in step.
const b = await memoryStores.memories.create(store.id, { path: '/b.md', content: 'b' });
const mount = path.join(files, 'mount');
const sync = new SessionMemoryStores(client, { workdir: files });
await sync.download({ resources: [{ type: 'memory_store', memory_store_id: store.id, access: 'read_write', mount_path: mount, name: 'x' }] });
seen.downloaded = fs.readdirSync(path.join(mount, 'd')).length;
fs.writeFileSync(path.join(mount, 'b.md'), 'edited here');
fs.writeFileSync(path.join(mount, 'new.md'), 'made here');
fs.writeFileSync(path.join(mount, 'large.md'), 'x'.repeat(102401));
fs.rmSync(path.join(mount, 'd', '00.md'));
const one = (await all(memoryStores.memories.list(store.id, { path_prefix: '/d/' }), 'id'))[1];
await memoryStores.memories.update(one, { memory_store_id: store.id, content: 'edited there' });
await sync.finish();
seen.synced = {};
for await (const m of memoryStores.memories.list(store.id, { view: 'full' })) {
  if (!m.path.startsWith('/d/') || m.path < '/d/02.md') seen.synced[m.path] = m.content;
}
seen.pulled = fs.readFileSync(path.join(mount, 'd', '01.md'), 'utf8');
seen.same = (await memoryStores.memories.retrieve(b.id, { memory_store_id: store.id })).content;
await sync.dispose();

seen.archived = await memoryStores.archive(store.id);
seen.readonly = await refused(() => memoryStores.memories.create(store.id, { path: '/c.md', content: '' }));
seen.end = await memoryStores.delete(store.id);
console.log(JSON.stringify(seen));

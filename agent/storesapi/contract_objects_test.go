package storesapi

import (
	"context"
	"net"
	"regexp"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

type (
	dialContext = context.Context
	dialConn    = net.Conn
)

var dial = (&net.Dialer{}).DialContext

const (
	storeFields   = "type id name description metadata created_at updated_at archived_at"
	memoryFields  = "type id memory_store_id path content content_size_bytes content_sha256 memory_version_id created_at updated_at"
	versionFields = "type id memory_store_id memory_id operation path content content_size_bytes content_sha256 created_by created_at redacted_at redacted_by"
)

var objects = []line{
	{"2", "a store has all its fields, ids are prefix and letters and digits", func(w *world) {
		r := w.post(storesPath, object{"name": "User Preferences", "description": "Per-user.", "metadata": object{"user": "u1"}}).ok().fields(storeFields)
		r.has("type", "memory_store", "name", "User Preferences", "description", "Per-user.", "metadata", object{"user": "u1"}, "archived_at", nil, "updated_at", r.str("created_at"))
		if !regexp.MustCompile(`^memstore_[a-z0-9]{24}$`).MatchString(r.str("id")) {
			w.Error(r.str("id"))
		}
		w.post(storesPath, object{"name": "x"}).ok().fields(storeFields).has("description", "", "metadata", object{})
	}},
	{"2", "a name is 1 to 255 characters without control characters, and need not be unique", func(w *world) {
		for _, name := range []string{"x", strings.Repeat("é", 255), "a/b", "..", ".", "memstore_x", "日本", "\u202e", " "} {
			for range 2 {
				r := w.post(storesPath, object{"name": name}).ok().has("name", name)
				w.get(storesPath+"/"+r.str("id")).ok().has("name", name)
			}
		}
		for _, name := range []string{"", strings.Repeat("x", 256), "a\nb", "\x00", "\u0085", "\x7f"} {
			w.post(storesPath, object{"name": name}).is(400, "invalid_request_error")
		}
	}},
	{"2", "a description has up to 1,024 characters", func(w *world) {
		w.post(storesPath, object{"name": "x", "description": strings.Repeat("é", 1024)}).ok().has("description", strings.Repeat("é", 1024))
		w.post(storesPath, object{"name": "x", "description": strings.Repeat("x", 1025)}).is(400, "invalid_request_error")
	}},
	{"2", "metadata has up to 16 pairs of strings, keys of 1 to 64 and values of up to 512 characters", func(w *world) {
		with := func(m object) reply { return w.post(storesPath, object{"name": "x", "metadata": m}) }
		full := object{}
		for i := range 16 {
			full[numbered("%d", i)] = "v"
		}
		with(full).ok().has("metadata", full)
		full["17"] = "v"
		with(full).is(400, "invalid_request_error")
		with(object{strings.Repeat("é", 64): strings.Repeat("é", 512), "empty": ""}).ok()
		for _, bad := range []object{{strings.Repeat("x", 65): ""}, {"": "v"}, {"k": strings.Repeat("x", 513)}, {"k": 1}, {"k": nil}, {"k": object{}}} {
			with(bad).is(400, "invalid_request_error")
		}
	}},
	{"2", "updated_at of a store moves by update and archive, not by its memories", func(w *world) {
		s := w.store()
		made := w.get(s).str("updated_at")
		w.memory(s, "/a.md", "1")
		if now := w.get(s).str("updated_at"); now != made {
			w.Errorf("%s after a memory, %s before", now, made)
		}
		changed := w.post(s, object{"description": "x"}).ok().has("created_at", made).str("updated_at")
		archived := w.post(s+"/archive", nil).ok().str("updated_at")
		if !(made < changed && changed < archived) {
			w.Error(made, changed, archived)
		}
	}},
	{"2", "a memory has all its fields", func(w *world) {
		s := w.store()
		m := w.memory(s, "/preferences/formatting.md", "Always use tabs, not spaces.").fields(memoryFields)
		m.has("type", "memory", "memory_store_id", strings.TrimPrefix(s, storesPath+"/"), "path", "/preferences/formatting.md", "content_size_bytes", 28,
			"content_sha256", "ba7936d94c84d948a2232088f78228f175df6a8353b2d5bc9228eee5794a0024")
		w.get(m.place()).ok().fields(memoryFields)
	}},
	{"2", "a content is kept byte for byte, and its hash is of just those bytes", func(w *world) {
		s := w.store()
		for i, content := range []string{"", "a\r\nb\n", "\ufeffx", "e\u0301", "é", "\u0000\u001b", " x ", "\u2028", "𝄞", "<&>", "\ufffd"} {
			m := w.memory(s, numbered("/%d", i), content).has("content_sha256", hashOf(content), "content_size_bytes", len(content))
			w.get(m.place()).has("content", content, "content_sha256", hashOf(content))
		}
	}},
	{"2", "memory_version_id is the head; id and created_at outlive updates and renames", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		n := w.post(m.place(), object{"content": "2", "path": "/b.md"}).ok().has("id", m.str("id"), "created_at", m.str("created_at"))
		if n.str("memory_version_id") == m.str("memory_version_id") || n.str("updated_at") <= m.str("updated_at") {
			w.Errorf("%s", n.raw)
		}
		newest := w.get(s + "/memory_versions").rows()[0]
		newest.has("id", n.str("memory_version_id"), "created_at", n.str("updated_at"))
		w.get(m.place()).has("memory_version_id", n.str("memory_version_id"), "path", "/b.md", "content", "2")
	}},
	{"2", "a directory marker has a path with a slash at its end, and no id", func(w *world) {
		s := w.store()
		w.memory(s, "/projects/foo/a.md", "1")
		w.get(s + "/memories?depth=1&path_prefix=/projects/").rows()[0].fields("type path").has("type", "memory_prefix", "path", "/projects/foo/")
	}},
	{"2", "versions of each operation have what the table says", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.post(m.place(), object{"path": "/b.md"}).ok()
		w.delete(m.place()).ok()
		rows := w.get(s + "/memory_versions?view=full").rows()
		same(w, "operations", w.get(s+"/memory_versions").column("operation"), []string{"deleted", "modified", "created"})
		for i, want := range [][]any{
			{"path", "/b.md", "content", nil, "content_sha256", nil, "content_size_bytes", nil},
			{"path", "/b.md", "content", "1", "content_sha256", hashOf("1"), "content_size_bytes", 1},
			{"path", "/a.md", "content", "1", "content_sha256", hashOf("1"), "content_size_bytes", 1},
		} {
			rows[i].fields(versionFields).has(want...).has("type", "memory_version", "memory_id", m.str("id"), "redacted_at", nil, "redacted_by", nil,
				"memory_store_id", m.str("memory_store_id"), "created_by", object{"type": "api_actor", "api_key_id": "apikey_local"})
			w.get(s + "/memory_versions/" + rows[i].str("id")).ok().fields(versionFields).has(want...)
		}
	}},
	{"2", "a person is a user_actor, an agent a session_actor, an outside program null", func(w *world) {
		s := w.store()
		id := versions.StoreID(strings.TrimPrefix(s, storesPath+"/"))
		st, err := w.trail.OpenStore(w.Context(), id)
		if err != nil {
			w.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		for i, by := range []versions.By{
			{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_p"},
			{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_a"},
			{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_x"}, Session: "sesn_k"},
		} {
			p, err := memfs.ParsePath(numbered("/%d", i))
			if err == nil {
				_, err = st.Write(w.Context(), by, p, []byte("x"), versions.Pre{})
			}
			if err != nil {
				w.Fatal(err)
			}
		}
		w.outside(s, "3", "x")
		w.soon("the file is adopted", func() bool { return len(w.get(s+"/memory_versions").rows()) == 4 })
		for i, want := range []any{nil, object{"type": "api_actor", "api_key_id": "apikey_x"}, object{"type": "session_actor", "session_id": "sesn_a"}, object{"type": "user_actor", "user_id": "user_alice"}} {
			w.get(s + "/memory_versions").rows()[i].has("created_by", want)
		}
		for query, want := range map[string]string{"session_id=sesn_a": "/1", "api_key_id=apikey_x": "/2", "session_id=sesn_p": "", "session_id=sesn_k": "", "session_id=no": "",
			"api_key_id=alice": "", "service_account_id=svac_1": "", "session_id=": "", "api_key_id=": "", "api_key_id=apikey_x&session_id=sesn_a": "", "operation=created&session_id=sesn_a": "/1",
			"operation=deleted&session_id=sesn_a": "", "memory_id=mem_none": ""} {
			if got := strings.Join(w.get(s+"/memory_versions?"+query).ok().column("path"), " "); got != want {
				w.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}},
	{"2", "a file that is no text is no memory, and its path is taken", func(w *world) {
		s := w.store()
		w.memory(s, "/a.md", "1")
		w.outside(s, "bin", "\xff\xfe")
		w.outside(s, "d/bin", "\xff\xfe")
		w.soon("they are adopted", func() bool { return len(w.get(s+"/memory_versions").rows()) == 3 })
		for _, query := range []string{"", "?depth=1", "?view=full"} {
			same(w, query, w.get(s+"/memories"+query).column("path"), []string{"/a.md"})
		}
		id := w.get(s + "/memory_versions").rows()[0].has("content", nil).str("memory_id")
		w.get(s+"/memories/"+id).is(404, "not_found_error")
		w.post(s+"/memories/"+id, object{"content": ""}).is(404, "not_found_error")
		w.delete(s+"/memories/"+id).is(404, "not_found_error")
		w.post(s+"/memories", object{"path": "/bin", "content": ""}).is(409, "memory_path_conflict_error")
		w.get(s + "/memory_versions?view=full").ok()
	}},
}

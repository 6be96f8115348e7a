package storesapi

import (
	"os"
	"strings"

	"github.com/memend/memend/versions/redact"
)

var ofStores = []line{
	{"3.1", "create needs a name", func(w *world) {
		for _, body := range []any{"", "{}", "[]", "null", "1", `{"name":null}`, `{"name":1}`, `{"name":"x"} {}`, `{"name":"x"`, `{"Name":"x"}`, `{"name":"x","description":1}`, `{"name":"x","metadata":[]}`, "{\"name\":\"\xff\"}", `{"name":"\ud800"}`} {
			w.post(storesPath, body).is(400, "invalid_request_error")
		}
		if n := len(w.get(storesPath).rows()); n != 0 {
			w.Errorf("%d stores", n)
		}
		w.post(storesPath, `{"name":"x","description":null,"metadata":null,"other":1}`).ok()
	}},
	{"3.2", "the list is newest first, archived ones left out but when asked for", func(w *world) {
		a, b, c := w.store(), w.store(), w.store()
		w.post(b+"/archive", nil).ok()
		ids := func(paths ...string) (out []string) {
			for _, p := range paths {
				out = append(out, strings.TrimPrefix(p, storesPath+"/"))
			}
			return out
		}
		same(w, "by default", w.get(storesPath).column("id"), ids(c, a))
		same(w, "false", w.get(storesPath+"?include_archived=false").column("id"), ids(c, a))
		same(w, "true", w.get(storesPath+"?include_archived=true").column("id"), ids(c, b, a))
		w.get(storesPath+"?include_archived=1").is(400, "invalid_request_error")
		at := w.get(b).str("created_at")
		same(w, "gte", w.get(storesPath+"?include_archived=true&created_at%5Bgte%5D="+at).column("id"), ids(c, b))
		same(w, "lte", w.get(storesPath+"?include_archived=true&created_at[lte]="+at).column("id"), ids(b, a))
		same(w, "lte, by the preview", w.get(storesPath+"?include_archived=true&created_at_lte="+at).column("id"), ids(b, a))
		for _, bad := range []string{"x", "2026-01-01", "1", ""} {
			w.get(storesPath+"?created_at[gte]="+bad).is(400, "invalid_request_error")
		}
	}},
	{"3.3", "retrieve gives archived ones, and 404 for none", func(w *world) {
		s := w.store()
		w.post(s+"/archive", nil).ok()
		w.get(s).ok().fields(storeFields)
		for _, id := range []string{"memstore_none", "x", "memstore_aaaaaaaaaaaaaaaaaaaaaaaa", "%00", "memories"} {
			w.get(storesPath+"/"+id).is(404, "not_found_error")
		}
	}},
	{"3.4", "update patches: what is left out or null stays, \"\" clears, null in metadata removes", func(w *world) {
		s := storesPath + "/" + w.post(storesPath, object{"name": "n", "description": "d", "metadata": object{"user": "u1", "old": "x", "stays": "s"}}).ok().str("id")
		w.post(s, object{"metadata": object{"user": "u2", "old": nil, "none": nil}}).ok().has("name", "n", "description", "d", "metadata", object{"user": "u2", "stays": "s"})
		w.post(s, object{"name": nil, "description": nil, "metadata": nil}).ok().has("name", "n", "description", "d", "metadata", object{"user": "u2", "stays": "s"})
		w.post(s, object{"name": "n/2", "description": ""}).ok().has("name", "n/2", "description", "")
		w.get(s).has("name", "n/2", "description", "", "metadata", object{"user": "u2", "stays": "s"})
		for _, bad := range []object{{"name": ""}, {"name": 1}, {"description": strings.Repeat("x", 1025)}, {"metadata": object{"": "x"}}, {"metadata": object{"x": 1}}, {"metadata": "x"}} {
			w.post(s, bad).is(400, "invalid_request_error")
		}
		w.post(storesPath+"/memstore_none", object{"name": "x"}).is(404, "not_found_error")
	}},
	{"3.4", "the limit of 16 pairs holds for the result", func(w *world) {
		full := object{}
		for i := range 16 {
			full[numbered("%d", i)] = "v"
		}
		s := storesPath + "/" + w.post(storesPath, object{"name": "n", "metadata": full}).ok().str("id")
		w.post(s, object{"metadata": object{"new": "x"}}).is(400, "invalid_request_error")
		w.get(s).has("metadata", full)
		w.post(s, object{"metadata": object{"new": "x", "0": nil}}).ok()
	}},
	{"3.5", "archive sets both times, and again answers unchanged", func(w *world) {
		s := w.store()
		r := w.post(s+"/archive", nil).ok().fields(storeFields)
		if r.str("archived_at") == "" || r.str("archived_at") != r.str("updated_at") {
			w.Errorf("%s", r.raw)
		}
		same(w, "again", w.post(s+"/archive", "{}").ok().object, r.object)
		w.post(storesPath+"/memstore_none/archive", nil).is(404, "not_found_error")
	}},
	{"3.5", "an archived store can be read, deleted from, redacted in and deleted, not written", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.post(m.place(), object{"content": "2"}).ok()
		other := w.memory(s, "/b.md", "1")
		w.post(s+"/archive", nil).ok()
		w.post(s, object{"name": "x"}).is(400, "invalid_request_error")
		w.post(s+"/memories", object{"path": "/c.md", "content": "1"}).is(400, "invalid_request_error")
		w.post(m.place(), object{"content": "3"}).is(400, "invalid_request_error")
		w.post(m.place(), object{"path": "/c.md"}).is(400, "invalid_request_error")
		w.post(m.place(), object{"content": "2"}).is(400, "invalid_request_error")
		w.get(m.place()).ok().has("content", "2")
		w.get(s + "/memories").ok()
		w.get(s + "/memory_versions").ok()
		w.post(s+"/memory_versions/"+m.str("memory_version_id")+"/redact", nil).ok()
		w.delete(other.place()).ok()
		w.delete(s).ok().has("type", "memory_store_deleted")
	}},
	{"3.6", "delete removes a store for good; all below it is 404", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "a text that nobody else has")
		folder := w.folder(s)
		w.delete(s).ok().fields("type id").has("type", "memory_store_deleted", "id", strings.TrimPrefix(s, storesPath+"/"))
		for _, at := range []string{s, s + "/memories", m.place(), s + "/memory_versions", s + "/memory_versions/" + m.str("memory_version_id")} {
			w.get(at).is(404, "not_found_error")
		}
		w.post(s, object{}).is(404, "not_found_error")
		w.post(s+"/archive", nil).is(404, "not_found_error")
		w.post(s+"/memories", object{"path": "/a.md", "content": ""}).is(404, "not_found_error")
		w.post(m.place(), object{"content": ""}).is(404, "not_found_error")
		w.delete(m.place()).is(404, "not_found_error")
		w.delete(s).is(404, "not_found_error")
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			w.Error("the folder is left:", err)
		}
		receipts, err := redact.Receipts(w.Context(), w.trail)
		if err != nil || len(receipts) != 1 || receipts[0].Outcome != "gone" {
			w.Errorf("%+v, %v", receipts, err)
		}
	}},
}

package storesapi

import (
	"os"
	"path/filepath"
	"strings"
)

func pre(content string) object {
	return object{"type": "content_sha256", "content_sha256": hashOf(content)}
}

// count is how many versions there are.
func (w *world) count(store string) int {
	w.Helper()
	ids, _ := w.every(store+"/memory_versions?limit=100", "id")
	return len(ids)
}

var ofUpdates = []line{
	{"4.4", "content, path or both, as one modified version", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		for i, body := range []object{{"content": "2"}, {"path": "/b.md"}, {"path": "/c/d.md", "content": "3"}, {"path": nil, "content": "4"}, {"path": "/e.md", "content": nil, "precondition": nil}} {
			r := w.post(m.place(), body).ok().has("id", m.str("id"))
			w.get(s + "/memory_versions").rows()[0].has("operation", "modified", "id", r.str("memory_version_id"), "path", r.str("path"), "content_sha256", r.str("content_sha256"))
			if n := w.count(s); n != i+2 {
				w.Fatalf("%d versions after %d updates", n, i+1)
			}
		}
		w.get(m.place()).has("path", "/e.md", "content", "4")
		file, err := os.ReadFile(filepath.Join(w.folder(s), "e.md"))
		if err != nil || string(file) != "4" {
			w.Errorf("%q, %v", file, err)
		}
	}},
	{"4.4", "PATCH is the same", func(w *world) {
		m := w.memory(w.store(), "/a.md", "1")
		w.call("PATCH", m.place(), object{"content": "2"}).ok()
		w.get(m.place()).has("content", "2")
	}},
	{"4.4", "neither field, or both null, is refused", func(w *world) {
		m := w.memory(w.store(), "/a.md", "1")
		for _, body := range []any{"{}", `{"content":null}`, `{"path":null,"content":null}`, object{"precondition": pre("1")}, `{"content":1}`, `{"path":[]}`, "[]", ""} {
			w.post(m.place(), body).is(400, "invalid_request_error")
		}
	}},
	{"4.4", "a precondition is a type and 64 lowercase digits", func(w *world) {
		m := w.memory(w.store(), "/a.md", "1")
		for _, bad := range []any{"x", 1, []any{}, object{}, object{"type": "not_exists"}, object{"type": "content_sha256"}, object{"content_sha256": hashOf("1")},
			object{"type": "content_sha256", "content_sha256": strings.ToUpper(hashOf("1"))}, object{"type": "content_sha256", "content_sha256": "x"}, object{"type": "content_sha256", "content_sha256": hashOf("1") + "00"}} {
			w.post(m.place(), object{"content": "1", "precondition": bad}).is(400, "invalid_request_error")
			w.post(m.place(), object{"content": "2", "precondition": bad}).is(400, "invalid_request_error")
		}
		w.get(m.place()).has("content", "1")
	}},
	{"4.4.1", "store, archive, memory, wish: in this order", func(w *world) {
		s := w.store()
		bad := object{"path": "bad", "content": "2"}
		m := w.memory(s, "/a.md", "1")
		w.post(storesPath+"/memstore_none/memories/mem_none", bad).is(404, "not_found_error")
		w.post(s+"/memories/mem_none", bad).is(404, "not_found_error")
		w.post(m.place(), bad).is(400, "invalid_request_error")
		w.post(s+"/archive", nil).ok()
		w.post(s+"/memories/mem_none", object{"content": "2"}).is(400, "invalid_request_error")
	}},
	{"4.4.2", "as asked already is a 200 without a version, even with a stale hash", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		for _, body := range []object{{"content": "1"}, {"path": "/a.md"}, {"path": "/a.md", "content": "1"}, {"content": "1", "precondition": pre("stale")}, {"path": "/a.md", "precondition": pre("stale")}} {
			same(w, "the memory", w.post(m.place(), body).ok().object, m.object)
		}
		if n := w.count(s); n != 1 {
			w.Errorf("%d versions", n)
		}
	}},
	{"4.4.3", "a stale hash is refused, of a rename too, and refers to this memory", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.memory(s, "/taken.md", "taken")
		for _, body := range []object{{"content": "2"}, {"path": "/b.md"}, {"path": "/taken.md"}, {"path": "/a.md", "content": "2"}, {"path": "/b.md", "content": "1"}} {
			body["precondition"] = pre("stale")
			w.post(m.place(), body).is(409, "memory_precondition_failed_error")
			body["precondition"] = pre("taken")
			w.post(m.place(), body).is(409, "memory_precondition_failed_error")
		}
		none := object{"type": "content_sha256", "content_sha256": strings.Repeat("0", 64)}
		w.post(m.place(), object{"content": "2", "precondition": none}).is(409, "memory_precondition_failed_error")
		w.post(m.place(), object{"content": "2", "precondition": pre("1")}).ok()
		w.post(m.place(), object{"path": "/b.md", "precondition": pre("2")}).ok()
		if n := w.count(s); n != 4 {
			w.Errorf("%d versions", n)
		}
	}},
	{"4.4.4", "a path that overlaps with another memory is refused, never overwritten", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		other := w.memory(s, "/notes/b.md", "2")
		for _, path := range []string{"/notes", "/notes/b.md", "/notes/b.md/c"} {
			for _, body := range []object{{"path": path}, {"path": path, "content": "3"}, {"path": path, "content": "2", "precondition": pre("1")}} {
				r := w.post(m.place(), body).is(409, "memory_path_conflict_error")
				if r.str("error", "conflicting_memory_id") != other.str("id") || r.str("error", "conflicting_path") != "/notes/b.md" {
					w.Errorf("%s", r.raw)
				}
			}
		}
		w.get(m.place()).has("path", "/a.md", "content", "1")
		w.get(other.place()).has("path", "/notes/b.md", "content", "2")
	}},
	{"4.4.4", "a memory does not overlap with itself: it goes below its own path and back", func(w *world) {
		s := w.store()
		m := w.memory(s, "/notes", "1")
		for _, path := range []string{"/notes/a/b.md", "/notes/a", "/notes"} {
			w.post(m.place(), object{"path": path}).ok().has("path", path, "id", m.str("id"))
			w.get(m.place()).has("path", path, "content", "1")
			same(w, "paths", w.get(s+"/memories").column("path"), []string{path})
		}
		w.post(m.place(), object{"path": "/notes/x", "content": "2"}).ok()
		w.post(m.place(), object{"path": "/notes", "content": "3"}).ok()
		w.get(m.place()).has("path", "/notes", "content", "3")
		if n := w.count(s); n != 6 {
			w.Errorf("%d versions", n)
		}
	}},
	{"4.4.5", "the head and updated_at move with the version", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		r := w.post(m.place(), object{"content": "2"}).ok()
		v := w.get(s + "/memory_versions/" + r.str("memory_version_id")).ok()
		v.has("created_at", r.str("updated_at"), "content", "2", "memory_id", m.str("id"))
		w.get(m.place()).has("updated_at", r.str("updated_at"), "created_at", m.str("created_at"))
	}},
	{"4.4", "what is in the way and is no memory has no id", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		if err := os.Symlink("a.md", filepath.Join(w.folder(s), "link")); err != nil {
			w.Fatal(err)
		}
		w.outside(s, "dir/.hidden", "x")
		for _, path := range []string{"/link", "/link/x", "/dir"} {
			for _, r := range []reply{w.post(s+"/memories", object{"path": path, "content": "1"}), w.post(m.place(), object{"path": path})} {
				r.is(409, "memory_path_conflict_error")
				if id, there := r.at("error", "conflicting_memory_id").(string); id != "" || !there || r.str("error", "conflicting_path") == "" {
					w.Errorf("%s", r.raw)
				}
			}
		}
		same(w, "memories", w.get(s+"/memories").column("path"), []string{"/a.md"})
	}},
	{"4.4", "what other programs wrote counts at once", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.outside(s, "a.md", "theirs")
		w.post(m.place(), object{"content": "2", "precondition": pre("1")}).is(409, "memory_precondition_failed_error")
		w.post(m.place(), object{"content": "2", "precondition": pre("theirs")}).ok()
		w.outside(s, "b.md", "theirs")
		r := w.post(s+"/memories", object{"path": "/b.md", "content": "1"}).is(409, "memory_path_conflict_error")
		if !strings.HasPrefix(r.str("error", "conflicting_memory_id"), "mem_") {
			w.Errorf("%s", r.raw)
		}
		if err := os.Remove(filepath.Join(w.folder(s), "b.md")); err != nil {
			w.Fatal(err)
		}
		w.memory(s, "/b.md/c", "1")
	}},
}

package storesapi

import (
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

// badPaths are refused, goodPaths are taken, one beside the other.
var (
	badPaths = []string{"", "/", "a.md", "//a", "/a//b", "/a/", "/./a", "/a/.", "/../a", "/a/..", "/a\x00b", "/a\nb", "/a\x7f", "/a\u0085", "/a\u200bb", "/a\u202e", "/\ufeffa", "/a\u2028", "/a\u2029",
		"/\u00ad", "/e\u0301", "/\u212b", "/\uac00\u11a8", "/" + strings.Repeat("x/", 20) + "x", "/" + strings.Repeat("x", 1024), "/" + strings.Repeat("a/", 600), "/" + strings.Repeat("é", 128),
		"/%2e%2e/a", "/a\\..\\b", "/.memend-0.tmp", "/" + strings.Repeat("x", 256)}
	goodPaths = []string{"/a", "/A", "/b.md", "/..c", "/.hidden", "/d...", "/e f", "/ ", "/%", "/_", "/%20", "/é", "/日本/語.md", "/👩\U0001f3fd", "/\\", "/'\"", "/*?", "/node_modules/x", "/\ufffd",
		"/" + strings.Repeat("y/", 19) + "y", "/" + strings.Repeat("x", 255), "/" + strings.Repeat("z", 252) + "/" + strings.Repeat("z", 255) + "/" + strings.Repeat("z", 255) + "/" + strings.Repeat("z", 255) + "/zz"}
)

var ofMemories = []line{
	{"4", "paths: what is refused and what is taken", func(w *world) {
		s := w.store()
		m := w.memory(s, "/first", "1")
		for _, path := range badPaths {
			w.post(s+"/memories", object{"path": path, "content": "1"}).is(400, "invalid_request_error")
			w.post(m.place(), object{"path": path}).is(400, "invalid_request_error")
		}
		for _, path := range goodPaths {
			w.memory(s, path, path).has("path", path)
		}
		for _, path := range goodPaths {
			w.post(s+"/memories", object{"path": path, "content": "1"}).is(409, "memory_path_conflict_error")
		}
		paths, _ := w.every(s+"/memories", "path")
		if len(paths) != len(goodPaths)+1 {
			w.Errorf("%d memories, want %d", len(paths), len(goodPaths)+1)
		}
	}},
	{"4", "a content has 0 to 102,400 bytes", func(w *world) {
		s := w.store()
		m := w.memory(s, "/0", "").has("content_size_bytes", 0)
		w.get(m.place()).has("content", "")
		w.memory(s, "/1", strings.Repeat("é", 51_200)).has("content_size_bytes", 102_400)
		w.post(s+"/memories", object{"path": "/2", "content": strings.Repeat("é", 51_200) + "x"}).is(400, "invalid_request_error")
		w.post(m.place(), object{"content": strings.Repeat("x", 102_401)}).is(400, "invalid_request_error")
		w.get(m.place()).has("content", "")
	}},
	{"4", "a store holds so many memories and no more", func(w *world) {
		s := w.store()
		if err := stores.SetLimits(w.Context(), w.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, versions.StoreID(strings.TrimPrefix(s, storesPath+"/")), versions.Limits{Memories: 3}); err != nil {
			w.Fatal(err)
		}
		m := w.memory(s, "/0", "")
		w.memory(s, "/1", "")
		w.memory(s, "/2", "")
		w.post(s+"/memories", object{"path": "/3", "content": ""}).is(400, "invalid_request_error")
		w.post(m.place(), object{"path": "/4", "content": "x"}).ok()
		w.delete(m.place()).ok()
		w.memory(s, "/3", "")
	}},
	{"4", "no two memories overlap: equal, ancestor or descendant", func(w *world) {
		s := w.store()
		deep := w.memory(s, "/notes/deep/a.md", "1")
		for path, taken := range map[string]string{"/notes": "/notes/deep/a.md", "/notes/deep": "/notes/deep/a.md", "/notes/deep/a.md": "/notes/deep/a.md", "/notes/deep/a.md/b/c": "/notes/deep/a.md"} {
			r := w.post(s+"/memories", object{"path": path, "content": "1"}).is(409, "memory_path_conflict_error")
			if r.str("error", "conflicting_path") != taken || r.str("error", "conflicting_memory_id") != deep.str("id") {
				w.Errorf("%s: %s", path, r.raw)
			}
		}
		for _, path := range []string{"/notes-2", "/notes.md", "/notes/deep.md", "/Notes", "/notes/deep/a", "/notes/deep/a.md2"} {
			w.memory(s, path, "1")
		}
	}},
	{"4", "a path is free again when its last memory is gone, a folder that was there too", func(w *world) {
		s := w.store()
		m := w.memory(s, "/notes/deep/a.md", "1")
		w.delete(m.place()).ok()
		n := w.memory(s, "/notes", "2")
		w.delete(n.place()).ok()
		w.memory(s, "/notes/deep/a.md", "3")
	}},
	{"4.1", "path and content are both required", func(w *world) {
		s := w.store()
		for _, body := range []any{"", "{}", `{"path":"/a"}`, `{"content":""}`, `{"path":null,"content":""}`, `{"path":"/a","content":null}`, `{"path":"/a","content":1}`, `{"path":1,"content":""}`,
			`{"path":"/a","content":"\ud83d"}`, `{"path":"/a","content":"\udc00x"}`, `{"path":"/a","content":"\ud83dx"}`, "{\"path\":\"/a\",\"content\":\"\xff\"}", `{"path":"/a","content":""}x`} {
			w.post(s+"/memories", body).is(400, "invalid_request_error")
		}
		w.post(s+"/memories", `{"path":"/a","content":"\ud83d\ude00 \ufffd \\ud83d"}`).ok()
		same(w, "content", w.get(s+"/memories?view=full").column("content"), []string{"\U0001f600 \ufffd \\ud83d"})
		w.post(s+"/memories?view=x", object{"path": "/b", "content": ""}).is(400, "invalid_request_error")
	}},
	{"4.1", "never overwrites, the same content or not, and writes one created version", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		for _, content := range []string{"1", "2"} {
			w.post(s+"/memories", object{"path": "/a.md", "content": content}).is(409, "memory_path_conflict_error")
		}
		rows := w.get(s + "/memory_versions").rows()
		if len(rows) != 1 {
			w.Fatal(len(rows))
		}
		rows[0].has("operation", "created", "id", m.str("memory_version_id"))
		w.get(m.place()).has("content", "1")
	}},
	{"4.2", "a prefix begins and ends with a slash and matches whole segments", func(w *world) {
		s := w.store()
		for _, path := range []string{"/notes/a.md", "/notes/deep/b.md", "/notes-2/c.md", "/note/d.md", "/%/e.md", "/_/f.md", "/x/g.md"} {
			w.memory(s, path, "1")
		}
		for prefix, want := range map[string]string{"/notes/": "/notes/a.md /notes/deep/b.md", "/notes/deep/": "/notes/deep/b.md", "/no/": "", "/Notes/": "", "//": "", "/notes//": "", "/%25/": "/%/e.md", "/_/": "/_/f.md", "/notes/a.md/": ""} {
			if got := strings.Join(w.get(s+"/memories?path_prefix="+prefix).ok().column("path"), " "); got != want {
				w.Errorf("%s: %s, want %s", prefix, got, want)
			}
		}
		if n := len(w.get(s + "/memories?path_prefix=/").rows()); n != 7 {
			w.Error(n)
		}
		for _, bad := range []string{"notes/", "/notes", "notes", ""} {
			w.get(s+"/memories?path_prefix="+bad).is(400, "invalid_request_error")
		}
	}},
	{"4.2", "depth 1 lists direct children, and each deeper directory once over all pages", func(w *world) {
		s := w.store()
		for _, path := range []string{"/a.md", "/deep/1", "/deep/2", "/deep/x/3", "/deep-2", "/deep.md", "/deep0", "/z/1"} {
			w.memory(s, path, "1")
		}
		for i := range 60 {
			w.memory(s, numbered("/many/%02d", i), "1")
		}
		want := []string{"/a.md", "/deep-2", "/deep.md", "/deep/", "/deep0", "/many/", "/z/"}
		for limit := 1; limit < 9; limit++ {
			for _, view := range []string{"", "&view=full"} {
				got, _ := w.every(s+"/memories?depth=1"+view+numbered("&limit=%d", limit), "path")
				same(w, numbered("by %d", limit), got, want)
			}
		}
		same(w, "below", w.get(s+"/memories?depth=1&path_prefix=/deep/").column("path"), []string{"/deep/1", "/deep/2", "/deep/x/"})
		same(w, "types", w.get(s+"/memories?depth=1&path_prefix=/deep/").column("type"), []string{"memory", "memory", "memory_prefix"})
		if n := len(w.get(s + "/memories?depth=0&limit=100").rows()); n != 68 {
			w.Error(n)
		}
		for _, bad := range []string{"2", "-1", "", "x"} {
			w.get(s+"/memories?depth="+bad).is(400, "invalid_request_error")
		}
	}},
	{"4.2", "the order is that of the paths' bytes", func(w *world) {
		s := w.store()
		for _, path := range []string{"/é", "/b", "/a/b", "/a!", "/Z", "/a0", "/日"} {
			w.memory(s, path, "1")
		}
		same(w, "order", w.get(s+"/memories").column("path"), []string{"/Z", "/a!", "/a/b", "/a0", "/b", "/é", "/日"})
	}},
	{"4.2", "a page in full view ends early when its contents are long", func(w *world) {
		s := w.store()
		var want []string
		for i := range 3 {
			w.outside(s, numbered("big/%d", i), strings.Repeat("x", 3<<20))
			want = append(want, numbered("/big/%d", i))
		}
		w.soon("they are adopted", func() bool { return len(w.get(s+"/memories").rows()) == 3 })
		got, pages := w.every(s+"/memories?view=full", "path")
		same(w, "paths", got, want)
		versions, more := w.every(s+"/memory_versions?view=full", "path")
		if len(versions) != 3 || pages != 2 || more < 2 {
			w.Error(versions, pages, more)
		}
	}},
	{"4.3", "retrieve is 404 when deleted or in another store", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		other := w.store()
		w.get(other+"/memories/"+m.str("id")).is(404, "not_found_error")
		w.post(other+"/memories/"+m.str("id"), object{"content": "2"}).is(404, "not_found_error")
		w.delete(other+"/memories/"+m.str("id")).is(404, "not_found_error")
		w.get(other+"/memory_versions/"+m.str("memory_version_id")).is(404, "not_found_error")
		w.post(other+"/memory_versions/"+m.str("memory_version_id")+"/redact", nil).is(404, "not_found_error")
		w.delete(m.place()).ok()
		w.get(m.place()).is(404, "not_found_error")
		for _, id := range []string{"mem_none", "x", "%00", "memver_x", "mem_aaaaaaaaaaaaaaaaaaaaaaaa"} {
			w.get(s+"/memories/"+id).is(404, "not_found_error")
			w.get(s+"/memory_versions/"+id).is(404, "not_found_error")
		}
	}},
	{"4.3", "a retrieve with the content is noted in the ledger, and nothing else is", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.get(m.place() + "?view=basic").ok()
		w.get(s + "/memories?view=full").ok()
		w.get(m.place()).ok()
		if err := w.trail.FlushReads(w.Context()); err != nil {
			w.Fatal(err)
		}
		st, err := w.trail.OpenStore(w.Context(), versions.StoreID(m.str("memory_store_id")))
		if err != nil {
			w.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		did, _, err := history.Activity(w.Context(), st, versions.ActivityFilter{NoWrites: true}, "", 10)
		if err != nil || len(did) != 1 || did[0].Actor != (versions.Actor{Kind: versions.APIKey, Name: noKey}) || did[0].Session == "" || string(did[0].Version) != m.str("memory_version_id") {
			w.Errorf("%+v, %v", did, err)
		}
	}},
	{"4.5", "delete appends a version, frees the path, and a new memory there has a new id", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.delete(m.place()).ok().fields("type id").has("type", "memory_deleted", "id", m.str("id"))
		w.delete(m.place()).is(404, "not_found_error")
		n := w.memory(s, "/a.md", "1")
		if n.str("id") == m.str("id") {
			w.Error("the same id")
		}
		same(w, "operations", w.get(s+"/memory_versions?memory_id="+m.str("id")).column("operation"), []string{"deleted", "created"})
	}},
	{"4.5", "an expected hash that is not the memory's deletes nothing", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.delete(m.place()+"?expected_content_sha256="+hashOf("2")).is(409, "memory_precondition_failed_error")
		w.delete(m.place()+"?expected_content_sha256="+strings.Repeat("0", 64)).is(409, "memory_precondition_failed_error")
		for _, bad := range []string{"", "x", strings.ToUpper(hashOf("1")), hashOf("1")[1:], hashOf("1") + "0"} {
			w.delete(m.place()+"?expected_content_sha256="+bad).is(400, "invalid_request_error")
		}
		w.get(m.place()).ok()
		w.delete(m.place() + "?expected_content_sha256=" + hashOf("1")).ok()
	}},
}

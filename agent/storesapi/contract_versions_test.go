package storesapi

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var ofVersions = []line{
	{"5", "every change appends exactly one version; they outlive their memory", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.post(m.place(), object{"content": "2"}).ok()
		w.delete(m.place()).ok()
		same(w, "operations", w.get(s+"/memory_versions?memory_id="+m.str("id")).column("operation"), []string{"deleted", "modified", "created"})
		w.get(s+"/memory_versions/"+m.str("memory_version_id")).ok().has("content", "1")
	}},
	{"5.1", "filters combine with AND, and what matches nothing is an empty list", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		n := w.call("POST", s+"/memories", object{"path": "/b.md", "content": "1"}, "X-Api-Key", "other").ok()
		w.post(m.place(), object{"content": "2"}).ok()
		w.delete(n.place()).ok()
		other := w.get(s+"/memory_versions/"+n.str("memory_version_id")).at("created_by", "api_key_id").(string)
		at := w.get(s + "/memory_versions/" + n.str("memory_version_id")).str("created_at")
		for query, want := range map[string]string{
			"":                          "deleted/b.md modified/a.md created/b.md created/a.md",
			"memory_id=" + m.str("id"):  "modified/a.md created/a.md",
			"memory_id=" + n.str("id"):  "deleted/b.md created/b.md",
			"operation=created":         "created/b.md created/a.md",
			"operation=deleted":         "deleted/b.md",
			"api_key_id=" + other:       "created/b.md",
			"api_key_id=apikey_local":   "deleted/b.md modified/a.md created/a.md",
			"created_at[gte]=" + at:     "deleted/b.md modified/a.md created/b.md",
			"created_at%5Blte%5D=" + at: "created/b.md created/a.md",
			"api_key_id=apikey_none":    "",
			"memory_id=mem_none":        "",
			"memory_id=" + n.str("id") + "&operation=created&api_key_id=" + other:            "created/b.md",
			"memory_id=" + m.str("id") + "&operation=modified&created_at[gte]=" + at:         "modified/a.md",
			"memory_id=" + m.str("id") + "&operation=deleted":                                "",
			"operation=created&api_key_id=apikey_local&created_at[gte]=2000-01-01T00:00:00Z": "created/a.md",
			"created_at[gte]=2999-01-01T00:00:00Z":                                           "",
			"created_at[lte]=2000-01-01T00:00:00Z":                                           "",
			"memory_id=" + m.str("id") + "&session_id=sesn_x":                                "",
		} {
			var got []string
			for _, row := range w.get(s + "/memory_versions?" + query).ok().rows() {
				got = append(got, row.str("operation")+row.str("path"))
			}
			if strings.Join(got, " ") != want {
				w.Errorf("%s: %v, want %s", query, got, want)
			}
			paged, _ := w.every(s+"/memory_versions?limit=1&"+query, "id")
			same(w, query+" by one", paged, append([]string(nil), w.get(s+"/memory_versions?"+query).column("id")...))
		}
		for _, bad := range []string{"operation=x", "operation=", "created_at[gte]=x", "limit=0", "view=x"} {
			w.get(s+"/memory_versions?"+bad).is(400, "invalid_request_error")
		}
	}},
	{"5.1", "new versions do not move the pages that are still to come", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "0")
		for i := range 9 {
			w.post(m.place(), object{"content": numbered("%d", i+1)}).ok()
		}
		for _, query := range []string{"?limit=4", "?limit=4&memory_id=" + m.str("id")} {
			first := w.get(s + "/memory_versions" + query)
			w.post(m.place(), object{"content": "more" + query}).ok()
			second := w.get(s + "/memory_versions" + query + "&page=" + first.str("next_page")).ok()
			all, _ := w.every(s+"/memory_versions", "id")
			same(w, query, append(first.column("id"), second.column("id")...), all[1:9])
		}
	}},
	{"5.2", "retrieve is full by default", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.get(s+"/memory_versions/"+m.str("memory_version_id")).ok().fields(versionFields).has("operation", "created", "content", "1")
		w.get(s+"/memory_versions/memver_none").is(404, "not_found_error")
	}},
}

var ofRedaction = []line{
	{"5.3", "redact erases content, path, size and hash, and keeps everything else", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		v := s + "/memory_versions/" + m.str("memory_version_id")
		before := w.get(v).ok()
		w.post(m.place(), object{"content": "2"}).ok()
		r := w.post(v+"/redact", nil).ok().fields(versionFields).has("path", nil, "content", nil, "content_size_bytes", nil, "content_sha256", nil,
			"operation", "created", "memory_id", m.str("id"), "created_by", before.at("created_by"), "created_at", before.str("created_at"),
			"redacted_by", object{"type": "api_actor", "api_key_id": "apikey_local"})
		if !micro.MatchString(r.str("redacted_at")) {
			w.Error(r.str("redacted_at"))
		}
		for _, view := range []string{"", "?view=basic", "?view=full"} {
			same(w, view, w.get(v+view).ok().object, r.object)
		}
		same(w, "in the list", w.get(s + "/memory_versions?view=full").rows()[1].object, r.object)
		if n := w.count(s); n != 2 {
			w.Errorf("%d versions", n)
		}
		w.get(m.place()).has("content", "2", "created_at", m.str("created_at"))
	}},
	{"5.3", "the head of a live memory is refused; when it is deleted it is not", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		v := s + "/memory_versions/" + m.str("memory_version_id")
		w.post(v+"/redact", nil).is(400, "invalid_request_error")
		w.get(v).has("content", "1", "redacted_at", nil)
		w.delete(m.place()).ok()
		w.post(v+"/redact", nil).ok().has("content", nil)
		last := w.get(s + "/memory_versions").rows()[0]
		w.post(s+"/memory_versions/"+last.str("id")+"/redact", nil).ok().has("path", nil, "operation", "deleted")
	}},
	{"5.3", "only this version changes: the same bytes elsewhere stay", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "the same text")
		other := w.memory(s, "/b.md", "the same text")
		w.post(m.place(), object{"content": "2"}).ok()
		again := w.post(m.place(), object{"content": "the same text"}).ok()
		w.post(m.place(), object{"content": "3"}).ok()
		w.post(s+"/memory_versions/"+m.str("memory_version_id")+"/redact", nil).ok()
		w.get(other.place()).has("content", "the same text", "content_sha256", hashOf("the same text"))
		w.get(s+"/memory_versions/"+again.str("memory_version_id")).has("content", "the same text")
	}},
	{"5.3", "the erased bytes and path are gone from the disk", func(w *world) {
		s := w.store()
		const secret, name = "hunter2 is the password of everything here", "a-name-that-tells-too-much.md"
		m := w.memory(s, "/"+name, secret)
		w.get(m.place()).ok()
		next := w.post(m.place(), object{"content": "2", "path": "/b.md"}).ok()
		w.delete(m.place()).ok()
		w.post(s+"/memory_versions/"+m.str("memory_version_id")+"/redact", nil).ok()
		w.post(s+"/memory_versions/"+next.str("memory_version_id")+"/redact", nil).ok()
		err := filepath.WalkDir(w.home, func(file string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			b, err := os.ReadFile(file)
			for _, gone := range []string{secret, name, hashOf(secret)} {
				if bytes.Contains(b, []byte(gone)) {
					w.Errorf("%q is in %s", gone, file)
				}
			}
			return err
		})
		if err != nil {
			w.Error(err)
		}
	}},
	{"5.3", "redacting twice answers unchanged", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.post(m.place(), object{"content": "2"}).ok()
		at := s + "/memory_versions/" + m.str("memory_version_id") + "/redact"
		first := w.post(at, nil).ok()
		same(w, "again", w.post(at, "{}").ok().object, first.object)
		w.post(s+"/memory_versions/memver_none/redact", nil).is(404, "not_found_error")
	}},
}

var ofPreview = []line{
	{"8", "a create's preconditions are ignored; it never overwrites", func(w *world) {
		s := w.store()
		body := object{"path": "/a.md", "content": "1", "precondition": object{"type": "not_exists"}}
		w.post(s+"/memories", body).ok()
		w.post(s+"/memories", body).is(409, "memory_path_conflict_error")
	}},
	{"8", "not_exists on an update is refused", func(w *world) {
		m := w.memory(w.store(), "/a.md", "1")
		w.post(m.place(), object{"path": "/b.md", "precondition": object{"type": "not_exists"}}).is(400, "invalid_request_error")
	}},
	{"8", "created_at_gte and created_at_lte are taken, too", func(w *world) {
		s := w.store()
		at := w.memory(s, "/a.md", "1").str("created_at")
		w.memory(s, "/b.md", "1")
		same(w, "gte", w.get(s+"/memory_versions?created_at_gte="+at).column("path"), []string{"/b.md", "/a.md"})
		same(w, "lte", w.get(s+"/memory_versions?created_at_lte="+at).column("path"), []string{"/a.md"})
	}},
	{"8", "the fields and errors are those of today", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		if r := w.get(s + "/memories"); strings.Contains(string(r.raw), `"size_bytes"`) {
			w.Errorf("%s", r.raw)
		}
		w.post(m.place(), object{"content": "2", "precondition": pre("x")}).is(409, "memory_precondition_failed_error")
	}},
}

package storesapi

import (
	"sync/atomic"
)

const atOnce = 12

// won counts the replies by their status.
func tally(replies []reply) (ok, conflicts, gone int) {
	for _, r := range replies {
		switch r.status {
		case 200:
			ok++
		case 409:
			conflicts++
		case 404:
			gone++
		}
	}
	return ok, conflicts, gone
}

var ofParallel = []line{
	{"6", "of parallel updates with one base hash exactly one wins", func(w *world) {
		m := w.memory(w.store(), "/a.md", "base")
		for round := range 3 {
			base := w.get(m.place()).str("content")
			replies := make([]reply, atOnce)
			together(atOnce, func(i int) {
				replies[i] = w.post(m.place(), object{"content": numbered("%d of ", i) + numbered("%d", round), "precondition": pre(base)})
			})
			if ok, conflicts, _ := tally(replies); ok != 1 || conflicts != atOnce-1 {
				w.Fatalf("%d won, %d lost", ok, conflicts)
			}
			for i, r := range replies {
				if r.status == 200 {
					w.get(m.place()).has("content", numbered("%d of ", i)+numbered("%d", round), "memory_version_id", r.str("memory_version_id"))
				} else {
					r.is(409, "memory_precondition_failed_error")
				}
			}
		}
	}},
	{"6", "of parallel creates at overlapping paths one wins", func(w *world) {
		s := w.store()
		paths := []string{"/n", "/n/a", "/n/a/b", "/n/a/b/c"}
		for range 3 {
			replies := make([]reply, atOnce)
			together(atOnce, func(i int) {
				replies[i] = w.post(s+"/memories", object{"path": paths[i%len(paths)], "content": numbered("%d", i)})
			})
			var won reply
			for _, r := range replies {
				if r.status == 200 {
					won = r
				}
			}
			if ok, conflicts, _ := tally(replies); ok != 1 || conflicts != atOnce-1 {
				w.Fatalf("%d won, %d lost", ok, conflicts)
			}
			for _, r := range replies {
				if r.status == 409 && (r.str("error", "conflicting_memory_id") != won.str("id") || r.str("error", "conflicting_path") != won.str("path")) {
					w.Errorf("%s, but %s won", r.raw, won.raw)
				}
			}
			w.delete(won.place()).ok()
		}
	}},
	{"6", "of deletes one wins and the rest get 404", func(w *world) {
		s := w.store()
		for range 3 {
			m := w.memory(s, "/a.md", "1")
			replies := make([]reply, atOnce)
			together(atOnce, func(i int) { replies[i] = w.delete(m.place() + "?expected_content_sha256=" + hashOf("1")) })
			if ok, _, gone := tally(replies); ok != 1 || gone != atOnce-1 {
				w.Fatalf("%d won, %d gone", ok, gone)
			}
		}
	}},
	{"6", "parallel unconditional updates all succeed, one version each, the newest is the head", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		replies := make([]reply, 4*atOnce)
		together(len(replies), func(i int) { replies[i] = w.post(m.place(), object{"content": numbered("by %d", i)}) })
		if ok, _, _ := tally(replies); ok != len(replies) {
			w.Fatalf("%d of %d succeeded", ok, len(replies))
		}
		rows := w.get(s + "/memory_versions?limit=100&memory_id=" + m.str("id")).rows()
		if len(rows) != len(replies)+1 {
			w.Fatalf("%d versions", len(rows))
		}
		w.get(m.place()).has("memory_version_id", rows[0].str("id"), "content_sha256", rows[0].str("content_sha256"))
	}},
	{"6", "of parallel renames to one place one wins, whoever else writes", func(w *world) {
		s := w.store()
		var from []reply
		for i := range atOnce {
			from = append(from, w.memory(s, numbered("/from/%d", i), numbered("%d", i)))
		}
		var won atomic.Int64
		together(atOnce, func(i int) {
			if w.post(from[i].place(), object{"path": "/to"}).status == 200 {
				won.Add(1)
			}
		})
		if won.Load() != 1 || len(w.get(s+"/memories").rows()) != atOnce {
			w.Errorf("%d won", won.Load())
		}
	}},
	{"6", "one version can be redacted by many at once, and under writes", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "to be erased")
		w.post(m.place(), object{"content": "2"}).ok()
		at := s + "/memory_versions/" + m.str("memory_version_id") + "/redact"
		replies := make([]reply, 4)
		together(8, func(i int) {
			if i < 4 {
				replies[i] = w.post(at, nil)
				return
			}
			for n := range 10 {
				w.post(m.place(), object{"content": numbered("%d", n) + numbered(" by %d", i)}).ok()
			}
		})
		for _, r := range replies {
			r.ok().has("content_sha256", nil, "redacted_at", replies[0].str("redacted_at"))
		}
	}},
}

package storesapi

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/stores"
)

// line is a line of the contract: the section that it stands in, what it says, and
// how it is held against a server.
type line struct {
	section, says string
	holds         func(*world)
}

// The contract is specs/memory-stores.md, of September 2026. Each line of it that a
// source states is one here; those it infers or leaves free are here where something
// was decided.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]line{groundRules, objects, ofStores, ofMemories, ofUpdates, ofVersions, ofRedaction, ofParallel, ofPreview} {
		for _, l := range lines {
			t.Run(l.section+" "+l.says, func(t *testing.T) {
				t.Parallel()
				l.holds(newWorld(t))
			})
		}
	}
}

var micro = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)

var groundRules = []line{
	{"1", "all paths start with /v1/memory_stores; others are not there", func(w *world) {
		for _, path := range []string{"/", "/v1", "/v1/memory_stores/", "/v1//memory_stores", "/v2/memory_stores", "/v1/memory_stores/x/memories/y/z", "/v1/memory_stores/../memory_stores"} {
			w.get(path).is(404, "not_found_error")
		}
	}},
	{"1", "JSON in and out, and success is always 200, deletes too", func(w *world) {
		s := w.store() // call looks at the content type of every answer
		m := w.memory(s, "/a.md", "1")
		w.delete(m.place()).ok()
		w.delete(s).ok()
	}},
	{"1", "unknown query parameters are ignored, beta=true among them", func(w *world) {
		s := storesPath + "/" + w.post(storesPath+"?beta=true", object{"name": "x"}).ok().str("id")
		w.get(s + "?beta=true&x=%00").ok()
		w.get(s + "/memories?beta=true&order=asc&order_by=path").ok()
	}},
	{"1", "a key is taken as x-api-key and as a bearer", func(w *world) {
		s := w.store()
		one := w.call("POST", s+"/memories", object{"path": "/1", "content": ""}, "X-Api-Key", "sk-one").ok()
		two := w.call("POST", s+"/memories", object{"path": "/2", "content": ""}, "Authorization", "Bearer sk-one").ok()
		by := func(r reply) any {
			return w.get(s+"/memory_versions/"+r.str("memory_version_id")).at("created_by", "api_key_id")
		}
		if by(one) != by(two) || by(one) == noKey {
			w.Errorf("by %v and %v", by(one), by(two))
		}
	}},
	{"1", "any anthropic-version, beta headers and workspace are taken", func(w *world) {
		for _, v := range []string{"", "2023-06-01", "2026-10-21", "x"} {
			for _, beta := range []string{"", "agent-memory-2026-07-22", "managed-agents-2026-04-01", "agent-memory-2026-07-22,managed-agents-2026-04-01"} {
				w.call("GET", storesPath, nil, "anthropic-version", v, "anthropic-beta", beta, "anthropic-workspace-id", "wrkspc_1").ok()
			}
		}
	}},
	{"1", "archive and redact take no body, and {}", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.post(m.place(), object{"content": "2"}).ok()
		w.post(s+"/memory_versions/"+m.str("memory_version_id")+"/redact", nil).ok()
		w.post(s+"/memory_versions/"+m.str("memory_version_id")+"/redact", "{}").ok()
		w.post(s+"/archive", "{}").ok()
		w.post(s+"/archive", nil).ok()
	}},
	{"1", "a missing or odd content-type of a request is ignored", func(w *world) {
		s := w.store()
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded"} {
			w.call("POST", s+"/memories", `{"path":"/`+hashOf(kind)+`","content":"1"}`, "Content-Type", kind).ok()
		}
	}},
	{"1", "names of parameters with brackets arrive percent-encoded", func(w *world) {
		w.store()
		if n := len(w.get(storesPath + "?created_at%5Bgte%5D=2999-01-01T00%3A00%3A00Z").ok().rows()); n != 0 {
			w.Errorf("%d stores of the future", n)
		}
		if n := len(w.get(storesPath + "?created_at[gte]=2000-01-01T00:00:00Z").ok().rows()); n != 1 {
			w.Errorf("%d stores", n)
		}
	}},
	{"1", "a request-id is sent with every answer, errors too", func(w *world) {
		if a, b := w.get(storesPath).header.Get("Request-Id"), w.get("/").is(404, "").header.Get("Request-Id"); a == b {
			w.Error("one id for two requests:", a)
		}
	}},
	{"1", "a conflict is not to be tried again", func(w *world) {
		s := w.store()
		w.memory(s, "/a.md", "1")
		r := w.post(s+"/memories", object{"path": "/a.md", "content": "1"}).is(409, "memory_path_conflict_error")
		if r.header.Get("X-Should-Retry") != "false" {
			w.Error("no x-should-retry: false")
		}
	}},
	{"1", "a content of 102,400 bytes that are all escaped is taken", func(w *world) {
		s := w.store()
		w.post(s+"/memories", `{"path":"/a.md","content":"`+strings.Repeat(`\u0041`, 102_400)+`"}`).ok().has("content_size_bytes", 102_400)
	}},
	{"1", "a store with a larger limit takes larger bodies", func(w *world) {
		id := w.post("/v1/memory_stores", object{"name": "large"}).ok().str("id")
		s := "/v1/memory_stores/" + id
		w.post(s+"/memories", object{"path": "/a.md", "content": strings.Repeat("x", 2<<20)}).is(413, "request_too_large")
		if err := stores.SetLimits(w.Context(), w.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Door: versions.DoorCLI}, versions.StoreID(id), versions.Limits{Bytes: versions.NoLimit}); err != nil {
			w.Fatal(err)
		}
		w.post(s+"/memories", object{"path": "/a.md", "content": strings.Repeat("x", 2<<20)}).ok().has("content_size_bytes", 2<<20)
	}},
	{"1", "an oversized body is answered, and the connection stays", func(w *world) {
		s := w.store()
		opened := 0
		count := &http.Transport{}
		count.DialContext = func(ctx dialContext, network, addr string) (dialConn, error) {
			opened++
			return dial(ctx, network, addr)
		}
		w.http.Client().Transport = count
		defer count.CloseIdleConnections()
		for _, size := range []int{maxBody + 1, 3 << 20, 20 << 20} {
			w.post(s+"/memories", `{"path":"/a.md","content":"`+strings.Repeat("x", size)+`"}`).is(413, "request_too_large")
		}
		w.get(s).ok()
		if opened != 1 {
			w.Errorf("%d connections", opened)
		}
	}},
	{"1", "times are RFC 3339 in UTC with microseconds, each write's its own, rising", func(w *world) {
		s := w.store()
		last := ""
		for range 50 {
			m := w.memory(s, numbered("/%d", len(w.get(s+"/memories?limit=100").rows())), "1")
			now := m.str("updated_at")
			if !micro.MatchString(now) || now <= last || m.str("created_at") != now {
				w.Fatalf("%q after %q", now, last)
			}
			last = now
		}
	}},
	{"1", "the time that is shown is the one that is filtered on, bounds included", func(w *world) {
		s := w.store()
		var at []string
		for i := range 3 {
			at = append(at, w.memory(s, numbered("/%d", i), "1").str("created_at"))
		}
		in := func(query string) int { return len(w.get(s + "/memory_versions?" + query).ok().rows()) }
		for query, want := range map[string]int{
			"created_at[gte]=" + at[1]: 2, "created_at[lte]=" + at[1]: 2, "created_at[gte]=" + at[1] + "&created_at[lte]=" + at[1]: 1,
			"created_at[gte]=" + strings.Replace(at[1], "Z", "001Z", 1): 1, "created_at[lte]=" + strings.Replace(at[1], "Z", "999Z", 1): 2,
		} {
			if got := in(query); got != want {
				w.Errorf("%s: %d, want %d", query, got, want)
			}
		}
	}},
	{"1", "an error has its type, a message and the request's id", func(w *world) {
		w.get(storesPath+"/memstore_none").is(404, "not_found_error").fields("type error request_id")
	}},
	{"1", "the path conflict alone tells who is in the way", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		r := w.post(s+"/memories", object{"path": "/a.md", "content": "1"}).is(409, "memory_path_conflict_error")
		if r.str("error", "conflicting_memory_id") != m.str("id") || r.str("error", "conflicting_path") != "/a.md" {
			w.Errorf("%s", r.raw)
		}
		r = w.post(m.place(), object{"content": "2", "precondition": object{"type": "content_sha256", "content_sha256": hashOf("x")}}).is(409, "memory_precondition_failed_error")
		if strings.Contains(string(r.raw), "conflicting") {
			w.Errorf("%s", r.raw)
		}
	}},
	{"1", "an empty list is [] and null", func(w *world) {
		s := w.store()
		for _, at := range []string{"/memories", "/memory_versions"} {
			if r := w.get(s + at); strings.TrimSpace(string(r.raw)) != `{"data":[],"next_page":null}` {
				w.Errorf("%s: %s", at, r.raw)
			}
		}
	}},
	{"1", "a limit is 1 to 100, and 20 without one", func(w *world) {
		s := w.store()
		for i := range 101 {
			w.memory(s, numbered("/%03d", i), "1")
		}
		for _, list := range []string{s + "/memories", s + "/memory_versions"} {
			for query, want := range map[string]int{"": 20, "?limit=1": 1, "?limit=100": 100, "?view=full": 20, "?view=full&limit=100": 20, "?view=full&limit=3": 3} {
				if got := len(w.get(list + query).ok().rows()); got != want {
					w.Errorf("%s%s: %d rows, want %d", list, query, got, want)
				}
			}
		}
		for _, list := range []string{storesPath, s + "/memories", s + "/memory_versions"} {
			for _, n := range []string{"0", "101", "-1", "x", ""} {
				w.get(list+"?limit="+n).is(400, "invalid_request_error")
			}
		}
	}},
	{"1", "a cursor goes on, ends with null on the last page, and is good for its filters only", func(w *world) {
		s := w.store()
		for i := range 7 {
			w.memory(s, numbered("/d/%d", i), "1")
			w.store()
		}
		for _, list := range []string{storesPath, s + "/memories", s + "/memory_versions", s + "/memories?path_prefix=/d/", s + "/memory_versions?operation=created"} {
			sep := "?"
			if strings.Contains(list, "?") {
				sep = "&"
			}
			all, _ := w.every(list, "id")
			for limit := 1; limit <= 9; limit++ {
				got, pages := w.every(list+sep+numbered("limit=%d", limit), "id")
				same(w, list, got, all)
				if want := (len(all) + limit - 1) / limit; pages != want {
					w.Errorf("%s by %d: %d pages, want %d", list, limit, pages, want)
				}
			}
		}
		next := w.get(s + "/memories?limit=2").str("next_page")
		for _, other := range []string{s + "/memories?depth=1", s + "/memories?path_prefix=/d/", s + "/memory_versions?limit=2", storesPath + "?limit=2", w.store() + "/memories?limit=2"} {
			w.get(other+"&page="+next).is(400, "invalid_request_error")
		}
		w.get(s + "/memories?limit=3&view=full&page=" + next).ok()
		for _, bad := range []string{"page_", "x", "page_e30", "page_%00", next + "x", strings.TrimPrefix(next, "page_")} {
			w.get(s+"/memories?page="+bad).is(400, "invalid_request_error")
		}
	}},
	{"1", "basic view has content null, hash and size set; retrieves are full, all else basic", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "text").has("content", nil, "content_sha256", hashOf("text"), "content_size_bytes", 4)
		w.get(m.place()).has("content", "text")
		w.get(m.place()+"?view=basic").has("content", nil, "content_sha256", hashOf("text"), "content_size_bytes", 4)
		w.post(m.place(), object{"content": "more"}).has("content", nil)
		w.post(m.place()+"?view=full", object{"content": "more"}).has("content", "more")
		w.post(m.place()+"?view=full", object{"path": "/b.md"}).has("content", "more")
		w.post(s+"/memories?view=full", object{"path": "/c.md", "content": "c"}).has("content", "c")
		for _, list := range []string{"/memories", "/memory_versions"} {
			for _, row := range w.get(s + list).rows() {
				row.has("content", nil)
			}
			for _, row := range w.get(s + list + "?view=full").rows() {
				if row.str("content") == "" {
					w.Errorf("%s: %v", list, row.object)
				}
			}
		}
		v := s + "/memory_versions/" + m.str("memory_version_id")
		w.get(v).has("content", "text")
		w.get(v+"?view=basic").has("content", nil, "content_sha256", hashOf("text"))
		for _, at := range []string{m.place(), s + "/memories", s + "/memory_versions", v} {
			w.get(at+"?view=all").is(400, "invalid_request_error")
		}
	}},
	{"1", "what is no method of a path is refused", func(w *world) {
		s := w.store()
		m := w.memory(s, "/a.md", "1")
		w.call("PUT", storesPath, nil).is(405, "invalid_request_error")
		w.call("PUT", m.place(), nil).is(405, "invalid_request_error")
		w.call("PATCH", s, nil).is(405, "invalid_request_error")
		w.get(s+"/archive").is(405, "invalid_request_error")
		w.delete(s+"/memory_versions/"+m.str("memory_version_id")).is(405, "invalid_request_error")
	}},
}

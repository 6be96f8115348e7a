package storesapi

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fuzzed asks without a network, and makes sure that the answer is one.
func (w *world) fuzzed(t *testing.T, method, target, body string) (status int, object map[string]any) {
	t.Helper()
	r := httptest.NewRequest(method, "http://localhost/", strings.NewReader(body))
	u, err := url.ParseRequestURI(target)
	if err != nil {
		t.Skip("no such request can be sent")
	}
	r.URL = u
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	if err := json.Unmarshal(rec.Body.Bytes(), &object); err != nil || !utf8.Valid(rec.Body.Bytes()) {
		t.Fatalf("%d %q: %v", rec.Code, rec.Body, err)
	}
	switch rec.Code {
	case 200, 400, 404, 405, 409, 413:
	default:
		t.Fatalf("%s %s %q: %d %s", method, target, body, rec.Code, rec.Body)
	}
	return rec.Code, object
}

// Whatever a body holds, it is an answer; what was taken is kept as it was sent.
func FuzzBody(f *testing.F) {
	w := newWorld(f)
	store := w.store()
	memory := w.memory(store, "/here.md", "1").place()
	for _, body := range []string{
		`{"path":"/a.md","content":"x"}`, `{"path":"/here.md","content":"x"}`, `{"content":"\ud800"}`, `{"name":"x","metadata":{"a":null}}`, `{"content":"1","precondition":{"type":"content_sha256","content_sha256":"` + hashOf("1") + `"}}`,
		"", "null", "[]", `{"content":"\u0000\ud83d\ude00"}`, `{"path":"/here.md/x"}`, "{\"content\":\"\xff\"}", `{"path":"/a","path":"/b","content":""}`,
		`{"path":"/n.md","content":"\u0000\ud83d\ude00"}`, `{"path":"/w.md","content":" \t\r\n x \n"}`, `{"path":"/h.md","content":"\ud800"}`, `{"path":"/r.md","content":"\ufffd"}`, strings.Repeat(`{"a":`, 2000), `{"name":"` + strings.Repeat("x", 300) + `"}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var sent struct{ Content *string }
		clean := json.Unmarshal([]byte(body), &sent) == nil && sent.Content != nil && !strings.ContainsRune(*sent.Content, utf8.RuneError)
		for _, target := range []string{store + "/memories", memory} {
			status, m := w.fuzzed(t, "POST", target, body)
			if status != 200 {
				continue
			}
			status, now := w.fuzzed(t, "GET", store+"/memories/"+m["id"].(string), "")
			if status != 200 || now["content_sha256"] != hashOf(now["content"].(string)) || now["path"] != m["path"] || wrongPath(m["path"].(string)) != "" {
				t.Fatalf("%q made %v, which is %v", body, m, now)
			}
			if strings.ContainsRune(now["content"].(string)+now["path"].(string), utf8.RuneError) && !saysRuneError(body) {
				t.Fatalf("%q is no text, and made %q of it", body, now["content"])
			}
			if strings.Contains(body, `"content"`) && clean && now["content"] != *sent.Content {
				t.Fatalf("%q made %q", body, now["content"])
			}
			if target != memory {
				w.fuzzed(t, "DELETE", store+"/memories/"+m["id"].(string), "")
			} else if m["path"] != "/here.md" {
				w.fuzzed(t, "POST", memory, `{"path":"/here.md"}`)
			}
		}
		w.fuzzed(t, "POST", store, body)
		if status, s := w.fuzzed(t, "POST", storesPath, body); status == 200 {
			w.fuzzed(t, "DELETE", storesPath+"/"+s["id"].(string), "")
		}
	})
}

// saysRuneError reports whether a body means the character that stands for what is no
// text, or may: what was there before did.
func saysRuneError(body string) bool {
	return strings.Contains(body, "\ufffd") || strings.Contains(strings.ToLower(body), `\ufffd`) || !strings.Contains(body, `"content"`)
}

// notAPath reports whether a path is one that the API never has, as the specification
// words it; the server's own rules are not asked.
func notAPath(path string) bool {
	if !strings.HasPrefix(path, "/") || len(path) > 1024 || strings.ContainsFunc(path, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) {
		return true
	}
	for seg := range strings.SplitSeq(path[1:], "/") {
		if seg == "" || seg == "." || seg == ".." {
			return true
		}
	}
	return norm.NFC.String(path) != path
}

// A path is refused, or a memory stands at just that path, as a file inside the folder.
func FuzzPath(f *testing.F) {
	w := newWorld(f)
	store := w.store()
	folder := w.folder(store)
	for _, path := range append(append([]string{"/Folder/Ä.md"}, badPaths...), goodPaths...) {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !utf8.ValidString(path) {
			t.Skip("JSON can't hold it")
		}
		body, err := json.Marshal(object{"path": path, "content": path})
		if err != nil {
			t.Fatal(err)
		}
		status, m := w.fuzzed(t, "POST", store+"/memories", string(body))
		if status != 200 {
			return
		}
		if m["path"] != path || notAPath(path) {
			t.Fatalf("%q became %q", path, m["path"])
		}
		if file, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path))); err != nil || string(file) != path {
			t.Fatalf("%q: %q, %v", path, file, err)
		}
		prefix := path[:strings.LastIndexByte(path, '/')+1]
		status, list := w.fuzzed(t, "GET", store+"/memories?path_prefix="+url.QueryEscape(prefix), "")
		if rows, _ := list["data"].([]any); status != 200 || len(rows) != 1 {
			t.Fatalf("%q is not below %q: %v", path, prefix, list)
		}
		if status, _ := w.fuzzed(t, "DELETE", store+"/memories/"+m["id"].(string), ""); status != 200 {
			t.Fatalf("%q can't be deleted: %d", path, status)
		}
	})
}

// Whatever a request names and asks for, it is an answer.
func FuzzRequest(f *testing.F) {
	w := newWorld(f)
	store := w.store()
	m := w.memory(store, "/a/b.md", "1")
	for _, target := range []string{
		store + "/memories?limit=1&path_prefix=/a/&depth=1&view=full", store + "/memories?page=page_e30", store + "/memory_versions?created_at[gte]=2026-01-01T00:00:00%2B02:00&operation=created",
		storesPath + "?include_archived=true&created_at%5Blte%5D=9999-12-31T23:59:59.999999999Z", m.place() + "?view=basic", store + "/memory_versions/" + m.str("memory_version_id"),
		store + "/memory_versions?memory_id=" + m.str("id") + "&api_key_id=x&session_id=y&service_account_id=z&limit=100", "/v1/memory_stores/%2e%2e/memories", "/%00", store + "/memories?%zz", storesPath + "?a;b", storesPath + "?created_at[gte]=0000-01-01T00:00:00Z",
		store + "/memories?page=page_eyJsIjoiIiwiYSI6Ii4uLy4uIn0", store + "/memories?page=x", store + "/memory_versions?page=page_%21", storesPath + "?page=page_WzFd", store + "/memory_versions?created_at[gte]=yesterday",
	} {
		f.Add("GET", target)
	}
	f.Add("POST", store+"/memory_versions/"+m.str("memory_version_id")+"/redact")
	f.Add("OPTIONS", "*")
	f.Fuzz(func(t *testing.T, method, target string) {
		if strings.ContainsFunc(method, func(r rune) bool { return r < 'A' || r > 'Z' }) || method == "" {
			t.Skip("no method")
		}
		w.fuzzed(t, method, target, "{}")
	})
}

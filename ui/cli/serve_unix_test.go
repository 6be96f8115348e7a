//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// serving is a server in a process of its own.
type serving struct {
	t    *testing.T
	cmd  *exec.Cmd
	url  string
	key  string // the token that it prints
	errs *bytes.Buffer
}

func (v *victim) serve(args ...string) *serving {
	v.t.Helper()
	s := &serving{t: v.t, cmd: v.command(append([]string{"serve"}, args...)...), errs: &bytes.Buffer{}}
	s.cmd.Stderr = s.errs
	out := begin(v.t, s.cmd)
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		v.t.Fatalf("it says %q, %v: %s", line, err, s.errs)
	}
	s.url = strings.TrimSpace(line)
	if line, err = lines.ReadString('\n'); err != nil {
		v.t.Fatalf("it prints no token: %q, %v", line, err)
	}
	_, s.key, _ = strings.Cut(strings.TrimSpace(line), "ANTHROPIC_API_KEY=")
	return s
}

// ask sends a request; err is set if the connection broke.
func (s *serving) ask(method, path, body string) (status int, object map[string]any, err error) {
	req, err := http.NewRequest(method, s.url+"/v1/memory_stores"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-Api-Key", s.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(raw, &object)
	}
	return res.StatusCode, object, err
}

func (s *serving) want(method, path, body string) map[string]any {
	s.t.Helper()
	status, object, err := s.ask(method, path, body)
	if err != nil || status != 200 {
		s.t.Fatalf("%s %s: %d %v, %v: %s", method, path, status, object, err, s.errs)
	}
	return object
}

// apiWriter is a client with memories of its own, and the acknowledged state of them.
type apiWriter struct {
	name      int
	random    *rand.Rand
	confirmed []string          // versions that were acknowledged
	current   map[string]string // memories, by id, and their last acknowledged contents
	at        map[string]string // their paths
	pending   map[string]string // sent and not answered
	deleted   map[string]bool
}

// write writes until the server is gone.
func (w *apiWriter) write(s *serving, store string) {
	for n := 0; ; n++ {
		content := fmt.Sprintf("writer %d, %d", w.name, n)
		var id string
		for known := range w.current {
			if id = known; w.random.IntN(3) == 0 {
				break
			}
		}
		kind := w.random.IntN(10)
		var m map[string]any
		var err error
		switch {
		case id == "" || kind < 4:
			_, m, err = s.ask("POST", store+"/memories", fmt.Sprintf(`{"path":"/by-%d/%d-%d.md","content":%q}`, w.name, w.random.Uint32(), n, content))
		case kind < 7:
			w.pending[id] = content
			_, m, err = s.ask("POST", store+"/memories/"+id, fmt.Sprintf(`{"content":%q}`, content))
		case kind < 9: // rename it, possibly below its own path
			w.pending[id] = content
			to := fmt.Sprintf("/by-%d/moved/%d-%d.md", w.name, w.random.Uint32(), n)
			if at := w.at[id]; kind == 8 && len(at) < 60 {
				to = at + "/deeper.md"
			}
			_, m, err = s.ask("POST", store+"/memories/"+id, fmt.Sprintf(`{"path":%q,"content":%q}`, to, content))
		default:
			w.pending[id] = ""
			if _, m, err = s.ask("DELETE", store+"/memories/"+id, ""); err == nil {
				delete(w.current, id)
				delete(w.pending, id)
				w.deleted[id] = true
				continue
			}
		}
		if err != nil {
			return
		}
		made := m["id"].(string)
		w.current[made], w.at[made] = content, m["path"].(string)
		delete(w.pending, made)
		w.confirmed = append(w.confirmed, m["memory_version_id"].(string))
	}
}

// check compares the acknowledged state with a new server.
func (w *apiWriter) check(s *serving, store string) {
	s.t.Helper()
	for _, v := range w.confirmed {
		s.want("GET", store+"/memory_versions/"+v, "")
	}
	for id, content := range w.current {
		status, m, err := s.ask("GET", store+"/memories/"+id, "")
		asked, open := w.pending[id]
		switch {
		case err != nil:
			s.t.Fatal(err)
		case status == 200 && (m["content"] == content || open && m["content"] == asked):
		case status == 404 && open && asked == "":
		default:
			s.t.Errorf("%s: %d %v, was told %q", id, status, m, content)
		}
	}
	for id := range w.deleted {
		if status, m, err := s.ask("GET", store+"/memories/"+id, ""); err != nil || status != 404 {
			s.t.Errorf("%s was deleted: %d %v, %v", id, status, m, err)
		}
	}
}

// A server that is killed under concurrent writes has lost no acknowledged write.
func TestServe_KilledUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills the program several times")
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kill.seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	v := &victim{t: t, home: t.TempDir()}
	s := v.serve()
	store := "/" + s.want("POST", "", `{"name":"killed"}`)["id"].(string)
	var writers []*apiWriter
	for i := range 4 {
		writers = append(writers, &apiWriter{name: i, random: rand.New(rand.NewPCG(seed, uint64(2+i))), current: map[string]string{}, at: map[string]string{}, pending: map[string]string{}, deleted: map[string]bool{}})
	}
	for range *killRounds {
		var all sync.WaitGroup
		for _, w := range writers {
			all.Go(func() { w.write(s, store) })
		}
		time.Sleep(time.Duration(20+random.IntN(300)) * time.Millisecond)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		_ = s.cmd.Wait()
		s = v.serve()
		for _, w := range writers {
			w.check(s, store)
			for id := range w.pending { // find out which of the two it was
				status, m, err := s.ask("GET", store+"/memories/"+id, "")
				if err != nil {
					t.Fatal(err)
				}
				if delete(w.current, id); status == 200 {
					w.current[id], w.at[id] = m["content"].(string), m["path"].(string)
				} else {
					w.deleted[id] = true
				}
			}
			clear(w.pending)
		}
	}
	acknowledged := 0
	for _, w := range writers {
		acknowledged += len(w.confirmed) + len(w.deleted)
	}
	t.Logf("%d writes were acknowledged by servers that were killed", acknowledged)
	if acknowledged < 10**killRounds/6 {
		t.Error("too few to prove anything")
	}
	if out := v.output("-s", "killed", "check"); !strings.HasSuffix(out, "is intact\n") {
		t.Errorf("check says %q", out)
	}
	s.ends(syscall.SIGTERM)
}

// ends sends a signal and waits for a clean exit.
func (s *serving) ends(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil || s.errs.Len() > 0 {
		s.t.Errorf("ended with %v: %s", err, s.errs)
	}
}

// A client that never sends the rest of its request does not delay the end.
func TestServe_EndsDuringAnIncompleteBody(t *testing.T) {
	t.Parallel()
	v := &victim{t: t, home: t.TempDir()}
	s := v.serve()
	store := "/" + s.want("POST", "", `{"name":"ending"}`)["id"].(string)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "POST /v1/memory_stores%s/memories HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: %s\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n", store, s.key)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") { // it waits for the body
		t.Fatalf("%q, %v", line, err)
	}
	fmt.Fprint(conn, `{"path":"/a.md",`)
	s.ends(syscall.SIGTERM)
	if out := v.output("-s", "ending", "ls"); out != "" {
		t.Errorf("the store holds %q", out)
	}
}

// The token that the server prints works as the key of an SDK, and a client with a token of
// its own is recorded under its name until that is revoked.
func TestServe_RequiresATokenByDefault(t *testing.T) {
	t.Parallel()
	v := &victim{t: t, home: t.TempDir()}
	s := v.serve()
	own := s.key
	if file := filepath.Join(v.home, "token"); !strings.HasPrefix(own, "memend_") {
		t.Errorf("the token is %q", own)
	} else if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, key := range []string{"", "any", own + "x"} {
		s.key = key
		if status, _, err := s.ask("GET", "", ""); err != nil || status != 401 {
			t.Errorf("%q: %d, %v", key, status, err)
		}
	}
	s.key = strings.TrimSpace(v.output("tokens", "create", "ci"))
	store := "/" + s.want("POST", "", `{"name":"shared"}`)["id"].(string)
	s.want("POST", store+"/memories", `{"path":"/a.md","content":"x"}`)
	if log := v.output("-s", "shared", "log", "--json"); !strings.Contains(log, `"api_key_id":"ci"`) && !strings.Contains(log, `"name":"ci"`) {
		t.Errorf("the log is\n%s", log)
	}
	if list := v.output("tokens"); !strings.Contains(list, "ci") || strings.Contains(list, s.key) {
		t.Errorf("the list is\n%s", list)
	}
	v.output("tokens", "revoke", "ci")
	if status, _, err := s.ask("GET", store, ""); err != nil || status != 401 {
		t.Errorf("a revoked token: %d, %v", status, err)
	}
	s.key = own
	if status, object, err := s.ask("DELETE", store, ""); err != nil || status != 403 || !strings.Contains(fmt.Sprint(object), "--allow-erase") {
		t.Errorf("delete: %d, %v, %v", status, object, err)
	}
	s.ends(syscall.SIGTERM)
	if again := v.serve(); again.key != own {
		t.Errorf("another token: %q and %q", own, again.key)
	} else {
		again.ends(syscall.SIGTERM)
	}
}

// A replica of another server's store is served like any store: what is written through it
// has the ids of the other server, and its conflicts are passed on.
func TestServe_ForwardsHostedStores(t *testing.T) {
	there := &victim{t: t, home: t.TempDir()}
	service := there.serve("--allow-erase")
	id := service.want("POST", "", `{"name":"Team memory"}`)["id"].(string)
	here := &victim{t: t, home: t.TempDir()}
	t.Setenv("MEMEND_API_KEY", service.key)
	here.output("stores", "connect", id, "--url", service.url, "--name", "team")
	s := here.serve("--allow-erase")
	var replica string
	for _, st := range s.want("GET", "", "")["data"].([]any) {
		replica = "/" + st.(map[string]any)["id"].(string)
	}
	m := s.want("POST", replica+"/memories", `{"path":"/a.md","content":"1"}`)
	path := "/memories/" + m["id"].(string)
	same := func(when string) map[string]any {
		t.Helper()
		a, b := service.want("GET", "/"+id+path, ""), s.want("GET", replica+path, "")
		for _, field := range []string{"id", "memory_version_id", "path", "content", "content_sha256", "created_at"} {
			if a[field] != b[field] {
				t.Errorf("%s: %s is %v there and %v here", when, field, a[field], b[field])
			}
		}
		return b
	}
	if got := same("made"); got["memory_version_id"] != m["memory_version_id"] {
		t.Errorf("answered %v, stands %v", m, got)
	}
	n := s.want("PATCH", replica+path, `{"path":"/b.md","content":"2"}`)
	if got := same("changed"); got["memory_version_id"] != n["memory_version_id"] || n["content_sha256"] != got["content_sha256"] {
		t.Errorf("answered %v, stands %v", n, got)
	}
	service.want("POST", "/"+id+"/memories", `{"path":"/c.md","content":"theirs"}`)
	for path, body := range map[string]string{replica + "/memories": `{"path":"/c.md","content":"mine"}`, replica + path: `{"content":"3","precondition":{"type":"content_sha256","content_sha256":"` + strings.Repeat("0", 64) + `"}}`} {
		if status, object, err := s.ask("POST", path, body); err != nil || status != 409 {
			t.Errorf("%s: %d %v, %v", path, status, object, err)
		}
	}
	s.want("POST", replica+"/memory_versions/"+m["memory_version_id"].(string)+"/redact", "")
	if v := service.want("GET", "/"+id+"/memory_versions/"+m["memory_version_id"].(string), ""); v["redacted_at"] == nil {
		t.Errorf("it was not redacted there: %v", v)
	}
	service.ends(syscall.SIGTERM)
	if status, object, err := s.ask("POST", replica+path, `{"content":"4"}`); err != nil || status != 502 {
		t.Errorf("without the service: %d %v, %v", status, object, err)
	}
	if got := s.want("GET", replica+path, ""); got["content"] != "2" {
		t.Errorf("%v", got)
	}
	s.ends(syscall.SIGTERM)
}

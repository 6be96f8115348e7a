//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/agent/ssh"
)

// overStdio is a server in a process of its own, and a client of its standard streams.
type overStdio struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	errs   bytes.Buffer
	client *http.Client
	dialed int
	slots  chan struct{} // more requests at once would start another connection
}

func (v *victim) overStdio(args ...string) *overStdio {
	v.t.Helper()
	s := &overStdio{t: v.t, cmd: v.command(append([]string{"serve", "--listen", "stdio"}, args...)...), slots: make(chan struct{}, 200)}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		v.t.Fatal(err)
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		v.t.Fatal(err)
	}
	s.cmd.Stderr = &s.errs
	if err := s.cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	s.client = &http.Client{Transport: &http.Transport{Protocols: protocols, DialContext: func(context.Context, string, string) (net.Conn, error) {
		if s.dialed++; s.dialed > 1 {
			return nil, errors.New("the stream has ended")
		}
		return ssh.NewConn(s.out, s.in), nil
	}}}
	return s
}

// ask sends a request and returns its status and its answer.
func (s *overStdio) ask(method, path string, body io.Reader) (int, string, error) {
	return s.askWithin(s.t.Context(), method, path, body)
}

func (s *overStdio) askWithin(ctx context.Context, method, path string, body io.Reader) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://memend/v1/memory_stores"+path, body)
	if err != nil {
		return 0, "", err
	}
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	res, err := s.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

// ids returns the ids of the stores that it serves, by name.
func (s *overStdio) ids() map[string]string {
	s.t.Helper()
	_, list, err := s.ask("GET", "", nil)
	var stores struct{ Data []struct{ ID, Name string } }
	if err == nil {
		err = json.Unmarshal([]byte(list), &stores)
	}
	if err != nil {
		s.t.Fatalf("%v: %s: %s", err, list, &s.errs)
	}
	out := map[string]string{}
	for _, one := range stores.Data {
		out[one.Name] = one.ID
	}
	return out
}

// ends waits for its end, with an exit code.
func (s *overStdio) ends(code int) {
	s.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		s.t.Fatal("it does not end")
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("it ended with %d, want %d: %s", got, code, &s.errs)
	}
}

func stdioHome(t *testing.T) *victim {
	t.Helper()
	v := &victim{t: t, home: filepath.Join(t.TempDir(), "home")}
	for _, name := range []string{"team", "wiki", "private"} {
		if out, err := v.command("stores", "create", name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return v
}

// A request whose body is not complete yet does not delay another one.
func TestServe_OverStdio_AnswersRequestsSideBySide(t *testing.T) {
	t.Parallel()
	v := stdioHome(t)
	s := v.overStdio()
	memories := "/" + s.ids()["team"] + "/memories"
	body, half := io.Pipe()
	slow := make(chan string, 1)
	go func() {
		status, answer, err := s.ask("POST", memories, body)
		slow <- fmt.Sprint(status, answer, err)
	}()
	if _, err := io.WriteString(half, `{"path":"/slow.md",`); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for n := range 20 {
		wait.Go(func() {
			if status, answer, err := s.ask("POST", memories, strings.NewReader(fmt.Sprintf(`{"path":"/%d.md","content":"text %[1]d"}`, n))); status != 200 {
				t.Errorf("%d: %s %v", status, answer, err)
			}
		})
	}
	wait.Wait()
	if _, err := io.WriteString(half, `"content":"late"}`); err != nil {
		t.Fatal(err)
	}
	half.Close()
	if answer := <-slow; !strings.HasPrefix(answer, "200") {
		t.Error(answer)
	}
	if s.dialed != 1 {
		t.Errorf("%d connections", s.dialed)
	}
	s.in.Close()
	s.ends(0)
	if out, err := v.command("ls", "-s", "team").CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 21 {
		t.Errorf("%v: %s", err, out)
	}
}

func TestServe_OverStdio_ServesTheAttachedStores(t *testing.T) {
	t.Parallel()
	v := stdioHome(t)
	s := v.overStdio("--attach", "team", "--attach", "wiki:ro", "--actor", "dana@laptop")
	ids := s.ids()
	if len(ids) != 2 || ids["team"] == "" || ids["wiki"] == "" {
		t.Fatalf("it serves %v", ids)
	}
	const memory = `{"path":"/a.md","content":"one"}`
	for store, want := range map[string]int{"team": 200, "wiki": 403} {
		if status, answer, err := s.ask("POST", "/"+ids[store]+"/memories", strings.NewReader(memory)); status != want {
			t.Errorf("%s: %d %s %v", store, status, answer, err)
		}
	}
	s.in.Close()
	s.ends(0)
	if out, err := v.command("log", "-s", "team").CombinedOutput(); err != nil || !strings.Contains(string(out), "dana@laptop") {
		t.Errorf("%v: %s", err, out)
	}
}

// A client that waits for a change gets its answer before the program ends.
func TestServe_OverStdio_AnswersWaitingRequestsWhenItEnds(t *testing.T) {
	t.Parallel()
	v := stdioHome(t)
	s := v.overStdio()
	store := "/" + s.ids()["team"]
	if status, answer, err := s.ask("POST", store+"/memories", strings.NewReader(`{"path":"/a.md","content":"x"}`)); status != 200 {
		t.Fatal(status, answer, err)
	}
	change := store + "/change"
	status, now, err := s.ask("GET", change, nil) // not that of an empty store, for which it would wait
	if status != 200 || err != nil {
		t.Fatal(status, now, err)
	}
	var latest struct{ Change, Redactions int64 }
	if err := json.Unmarshal([]byte(now), &latest); err != nil {
		t.Fatal(err)
	}
	sent, got := make(chan bool), make(chan string)
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(sent) }})
	go func() {
		status, answer, err := s.askWithin(ctx, "GET", fmt.Sprintf("%s?change=%d&redactions=%d", change, latest.Change, latest.Redactions), nil)
		got <- fmt.Sprint(status, answer, err)
	}()
	<-sent
	s.ids() // it comes after the waiting request on the only connection
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if answer, want := <-got, fmt.Sprint(200, now, nil); answer != want {
		t.Errorf("the waiting request got %s, want %s", answer, want)
	}
	s.ends(0)
}

// What was answered before the stream is cut is kept; of half a request there is nothing.
func TestServe_OverStdio_EndsWithItsStream(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*overStdio){
		"input": func(s *overStdio) { s.in.Close() },
		"both":  func(s *overStdio) { s.out.Close(); s.in.Close() },
		"output": func(s *overStdio) { // it answers a ping
			s.out.Close()
			_, _ = io.WriteString(s.in, "\x00\x00\x08\x06\x00\x00\x00\x00\x00pingpong")
		},
		"signal": func(s *overStdio) { _ = s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := stdioHome(t)
			s := v.overStdio()
			memories := "/" + s.ids()["team"] + "/memories"
			if status, answer, err := s.ask("POST", memories, strings.NewReader(`{"path":"/whole.md","content":"x"}`)); status != 200 {
				t.Fatal(status, answer, err)
			}
			body, half := io.Pipe()
			defer half.Close()
			go func() { _, _, _ = s.ask("POST", memories, body) }()
			if _, err := io.WriteString(half, `{"path":"/half.md","content":`); err != nil {
				t.Fatal(err)
			}
			cut(s)
			s.ends(0)
			if out, err := v.command("ls", "-s", "team").CombinedOutput(); err != nil || !strings.Contains(string(out), "whole.md") || strings.Contains(string(out), "half.md") {
				t.Errorf("%v: %s", err, out)
			}
			if out, err := v.command("check", "--all-stores").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestServe_OverStdio_RefusesWhatIsNotHTTP2(t *testing.T) {
	t.Parallel()
	v := stdioHome(t)
	for _, c := range []struct {
		sent string
		code int
		says string
	}{
		{"", 0, ""},
		{"hello", 1, "standard input is not HTTP/2"},
		{"GET /v1/memory_stores HTTP/1.1\r\nHost: memend\r\n\r\n", 1, "standard input is not HTTP/2"},
		{ssh.Preface + strings.Repeat("\xff", 100), 0, ""},
	} {
		s := v.overStdio()
		if _, err := io.WriteString(s.in, c.sent); err != nil {
			t.Fatal(err)
		}
		s.in.Close()
		said, _ := io.ReadAll(s.out)
		s.ends(c.code)
		if !strings.Contains(s.errs.String(), c.says) || c.says == "" && s.errs.Len() > 0 || c.code != 0 && len(said) > 0 {
			t.Errorf("after %q it says %q and answers %q", c.sent, &s.errs, said)
		}
	}
	for _, args := range [][]string{{"--no-token"}, {"--attach", "nosuch"}} {
		s := v.overStdio(args...)
		s.in.Close()
		s.ends(2)
	}
}

//go:build unix

package ssh

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		target Target
		store  string
	}{
		"ssh://devbox/team":               {Target{Host: "devbox"}, "team"},
		"ssh://devbox":                    {Target{Host: "devbox"}, ""},
		"ssh://devbox/":                   {Target{Host: "devbox"}, ""},
		"ssh://dana@devbox.example:22/t/": {Target{"dana", "devbox.example", "22"}, "t"},
		"ssh://[::1]:2222/team":           {Target{Host: "::1", Port: "2222"}, "team"},
		"ssh://devbox/Team%20notes":       {Target{Host: "devbox"}, "Team notes"},
		"ssh://devbox/a%2Fb":              {Target{Host: "devbox"}, "a/b"},
		"ssh://devbox/what%3F":            {Target{Host: "devbox"}, "what?"},
		"ssh://my_box-1/memstore_01":      {Target{Host: "my_box-1"}, "memstore_01"},
	} {
		target, store, err := Parse(text)
		if err != nil || target != want.target || store != want.store {
			t.Errorf("%s: %+v, %q, %v", text, target, store, err)
		}
		again, _, err := Parse(target.URL())
		if err != nil || again != target {
			t.Errorf("%s: %s, %v", text, target.URL(), err)
		}
	}
	for text, why := range map[string]string{
		"ssh://":                      "no host",
		"ssh:///team":                 "no host",
		"ssh:devbox":                  "no host",
		"ssh://:22/team":              "no host",
		"ssh://-oProxyCommand=x/team": "other characters",
		"ssh://-x@devbox/team":        "user's name",
		"ssh://@devbox/team":          "user's name",
		"ssh://a;b/team":              "other characters",
		"ssh://a%20b/team":            "URL",
		"ssh://$(x)/team":             "other characters",
		"ssh://devbox:0/team":         "port",
		"ssh://devbox:99999/team":     "port",
		"ssh://devbox:x/team":         "URL",
		"ssh://me:secret@devbox/team": "logs in with keys",
		"ssh://devbox/a/b":            "without a slash",
		"ssh://devbox/team?x=1":       "query",
		"ssh://devbox/team#x":         "fragment",
		"http://devbox/team":          "not an ssh",
		"devbox/team":                 "not an ssh",
	} {
		if _, _, err := Parse(text); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "ssh://HOST/STORE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What goes wrong before the server answers is said in the words of the programs, and nothing was
// sent.
func TestErrorsSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		script, text, hint string
		final              bool
	}{
		"no command":      {"", "no such file or directory", "MEMEND_SSH", true},
		"no memend":       {`echo "bash: line 1: memend: command not found" >&2; exit 127`, "memend is not installed on devbox, or not in the PATH of a non-interactive shell: bash: line 1: memend: command not found", "`ssh -p 22 me@devbox memend version` must work", true},
		"unknown host":    {`echo "ssh: Could not resolve hostname devbox" >&2; exit 255`, "ssh me@devbox: ssh: Could not resolve hostname devbox", "", false},
		"new host key":    {`echo "Host key verification failed." >&2; exit 255`, "ssh me@devbox: Host key verification failed.", "compare the key before you accept it", true},
		"changed key":     {`printf '@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@\nOffending key in known_hosts:3\n' >&2; exit 255`, "ssh me@devbox: WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!; Offending key in known_hosts:3", "ssh-keygen -R", true},
		"no key":          {`echo "me@devbox: Permission denied (publickey)." >&2; exit 255`, "Permission denied (publickey).", "`ssh -p 22 me@devbox` must log in without a question", true},
		"an old memend":   {`echo "memend: --listen stdio: address stdio: missing port in address" >&2; exit 2`, "memend on devbox ended with exit code 2: memend: --listen stdio: address stdio: missing port in address", "too old", true},
		"a loud shell":    {`echo "Welcome to devbox, have a lot of fun"; cat >/dev/null`, `devbox answers something other than memend: "Welcome`, "its shell must print nothing", true},
		"a short answer":  {`echo hi`, `devbox answers something other than memend: "hi"`, "its shell must print nothing", true},
		"nothing":         {`exit 0`, "the connection to devbox ended before memend answered", "", false},
		"a killed one":    {`kill -9 $$`, "the connection to devbox ended before memend answered", "", false},
		"an unknown code": {`exit 3`, "memend on devbox ended with exit code 3: it printed no reason", "", true},
		"a lot of words":  {`i=0; while [ $i -lt 500 ]; do echo "line $i" >&2; i=$((i+1)); done; exit 255`, "line 499", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "ssh")
			if c.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv(commandEnv, program)
			_, err := request(New(Target{"me", "devbox", "22"}, "me@here"))
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Text, c.text) || !strings.Contains(e.Hint, c.hint) || (c.hint == "") != (e.Hint == "") || !e.NotSent || e.Final != c.final {
				t.Errorf("%v: %+v", err, e)
			}
			if len(err.Error()) > 2*tailSize {
				t.Errorf("%d bytes", len(err.Error()))
			}
		})
	}
}

func request(over *Transport) (*http.Response, error) {
	return (&http.Client{Transport: over}).Get("http://memend/v1/memory_stores")
}

// Requests that begin together share one attempt, and its error; the next request makes another one.
func TestRequestsThatBeginTogetherShareAnAttempt(t *testing.T) {
	dir := t.TempDir()
	starts := filepath.Join(dir, "starts")
	program := filepath.Join(dir, "ssh")
	script := "#!/bin/sh\necho start >>" + starts + "\nwhile [ ! -e " + dir + "/go ]; do sleep 0.05; done\nexit 255\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(commandEnv, program)
	over := New(Target{Host: "devbox"}, "")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if _, err := request(over); !errors.As(err, new(*Error)) {
				t.Error(err)
			}
		})
	}
	for len(over.slots) < 20 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Second) // they reach the attempt
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	count := func() int {
		b, err := os.ReadFile(starts)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "start")
	}
	if n := count(); n != 1 {
		t.Errorf("%d programs were started", n)
	}
	if _, err := request(over); !errors.As(err, new(*Error)) || count() != 2 {
		t.Errorf("%d programs, %v", count(), err)
	}
}

// A program that never answers is ended when the caller gives up.
func TestASilentProgramIsEnded(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	t.Setenv(commandEnv, `sh -c 'echo $$ >`+pid+`; exec sleep 600' x`)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := New(Target{Host: "devbox"}, "").Login(ctx); err == nil || !strings.Contains(err.Error(), "no answer within") {
		t.Error(err)
	}
}

func TestTheActorIsOneWordForTheOtherShell(t *testing.T) {
	for in, want := range map[string]string{"dana@laptop": "dana@laptop", "a b": "'a b'", "x'; rm -rf /": `'x'\''; rm -rf /'`, "$(x)": "'$(x)'"} {
		args := arguments(Target{Host: "devbox"}, in, false)
		if got := args[len(args)-1]; got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
	if prompts := arguments(Target{Host: "devbox"}, "", true); strings.Contains(strings.Join(prompts, " "), "BatchMode") {
		t.Error(prompts)
	}
}

//go:build unix

package cli

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
)

var waitWrites = flag.Int("wait.writes", 10, "writes on one machine whose arrival on another one is measured")

// A folder in step has what is written on the other machine without polling, over ssh and over HTTP. The
// server and the writers are processes of their own. How long it takes is logged.
func TestAChangeOnOneMachineIsOnTheOtherAtOnce(t *testing.T) {
	t.Setenv(runAsProgram, "1")
	for _, over := range []string{"ssh", "http"} {
		t.Run(over, func(t *testing.T) {
			m := newMachines(t)
			t.Setenv("MEMEND_SSH", m.command)
			here, folder := m.machine("here"), filepath.Join(m.dir, "memories")
			if over == "ssh" {
				m.must(here, "stores", "connect", "ssh://devbox/team", folder)
			} else {
				m.must(here, "stores", "connect", "--url", m.serveHTTP(), "team", folder)
			}
			trail, err := versions.Open(t.Context(), here.home, versions.Options{Upstream: hosted.Dial, Poll: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			info, err := trail.FindStore(t.Context(), "team")
			if err != nil {
				t.Fatal(err)
			}
			s, err := trail.OpenStore(t.Context(), info.ID)
			if err != nil {
				t.Fatal(err)
			}
			events, err := s.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				for range events {
				}
			}()
			t.Cleanup(func() {
				m.killServer() // a server of ssh, while a request waits
				if err := errors.Join(s.Close(), trail.Close()); err != nil {
					t.Error(err)
				}
				m.there.output("check", "--all-stores")
			})
			var took []time.Duration
			for n := range *waitWrites {
				cmd := m.there.command("-s", "team", "write", fmt.Sprintf("%d.md", n))
				cmd.Stdin = strings.NewReader("text\n")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				began := time.Now()
				for file := filepath.Join(folder, fmt.Sprintf("%d.md", n)); ; time.Sleep(time.Millisecond) {
					if _, err := os.Stat(file); err == nil {
						break
					}
					if time.Since(began) > 20*time.Second { // the next poll is an hour away
						t.Fatalf("%s does not come", file)
					}
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			t.Logf("over %s: in the other folder after the write: half of %d within %s, 95%% within %s, the slowest after %s",
				over, len(took), took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
		})
	}
}

// serveHTTP serves the store over HTTP, and returns its URL. In the end the server must stop without cutting
// off a request.
func (m *machines) serveHTTP() string {
	m.t.Helper()
	cmd := m.there.command("serve", "--no-token")
	lines := bufio.NewScanner(begin(m.t, cmd))
	if !lines.Scan() {
		m.t.Fatal("it prints no URL")
	}
	go func() {
		for lines.Scan() {
		}
	}()
	m.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		log, err := os.ReadFile(filepath.Join(m.there.home, "log", "serve.log"))
		if err != nil || strings.Contains(string(log), "cut off") || cmd.ProcessState.ExitCode() != 0 {
			m.t.Errorf("it ended with %d, %v: %s", cmd.ProcessState.ExitCode(), err, log)
		}
	})
	return lines.Text()
}

//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// connectedTo connects the only store of a service and opens it.
func connectedTo(t *testing.T, home *homeStores, url string) *engine.Store {
	t.Helper()
	offers, err := home.Service(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	info, _, err := home.ConnectStore(t.Context(), url, offers.Stores[0].HostedStore)
	if err != nil {
		t.Fatal(err)
	}
	s, err := home.open(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ^C before anything was sent: nothing is changed, and the error says so.
func TestSending_StoppedBeforeItStartsChangesNothing(t *testing.T) {
	service, _, home := served(t, 1)
	s := connectedTo(t, home, service.URL)
	p := newProgram(console{out: bufio.NewWriter(io.Discard), err: io.Discard, now: time.Now})
	_, err := send(context.Background(), &p.console, s, func(ctx context.Context) (versions.Change, error) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
		<-ctx.Done()
		return versions.Change{}, ctx.Err()
	})
	if err == nil || err.Error() != "stopped: nothing was changed" || exitCode(err) != exitFailed {
		t.Errorf("%v", err)
	}
}

// A terminal shows the progress of an undo of many hosted memories; ^C stops it between two
// of them, it lists what was done, and the same undo does the rest.
func TestSending_ShowsProgressAndStopsOnInterrupt(t *testing.T) {
	service, _, home := served(t, 12)
	s := connectedTo(t, home, service.URL)
	robot := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot"}
	es, err := history.Tree(t.Context(), s)
	if err != nil || len(es) != 12 {
		t.Fatalf("%d, %v", len(es), err)
	}
	for _, e := range es {
		if _, err := s.Write(t.Context(), robot, e.Path, []byte("bad\n"), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}

	writes := 0
	before := func(r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		time.Sleep(progressInterval / 2) // the line is not updated for each one
		if writes++; writes == 7 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
			time.Sleep(200 * time.Millisecond)
		}
	}
	service.Config.Handler.(*between).before.Store(&before)
	ptmx, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	seen := make(chan []byte, 1)
	go func() { b, _ := io.ReadAll(ptmx); seen <- b }()
	var out bytes.Buffer
	p := &caller{console: console{out: bufio.NewWriter(&out), err: tty, now: time.Now}, by: tester}
	undo := func() error {
		plan, err := plan.Make(t.Context(), s, plan.UndoSession(robot.Session))
		if err != nil {
			t.Fatal(err)
		}
		return applyPlan(context.Background(), p, s, plan, &planFlags{}, planning.Choice{})
	}
	err = undo()
	var partly *versions.PartlyError
	if !errors.As(err, &partly) || !partly.Stopped() || len(partly.Done) != 7 || len(partly.Left) != 5 {
		t.Fatalf("%v", err)
	}
	if h := hint(err); !strings.Contains(h, "again for the rest") || exitCode(err) != exitFailed {
		t.Errorf("hint %q, code %d", h, exitCode(err))
	}
	_ = p.out.Flush()
	if text := out.String(); strings.Count(text, "  done        /memories/n") != 7 || strings.Count(text, "  not done    /memories/n") != 5 {
		t.Errorf("%s", text)
	}
	if err := undo(); err != nil {
		t.Errorf("the rest: %v", err)
	}
	_ = tty.Close()
	_ = ptmx.SetReadDeadline(time.Now().Add(time.Second))
	output := string(<-seen)
	_ = ptmx.Close()
	if !regexp.MustCompile(`\r\d of 12 memories sent  \(\^C stops\)\x1b\[K`).MatchString(output) || !strings.Contains(output, "of 5 memories sent") || !strings.HasSuffix(output, "\r\x1b[K") {
		t.Errorf("the terminal was told %q", output)
	}
	es, err = history.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range es {
		if b, err := history.Content(t.Context(), s, e.Version); err != nil || !strings.HasPrefix(string(b), "a text that") {
			t.Errorf("%s: %q, %v", e.Path, b, err)
		}
	}
}

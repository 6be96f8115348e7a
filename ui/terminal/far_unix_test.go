//go:build unix

package terminal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/creack/pty"
)

// flood changes the whole frame after each key.
type flood struct {
	scene
	keys *atomic.Int64
}

func (f flood) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok && k.String() == "j" {
		f.keys.Add(1)
		return f, nil
	}
	m, cmd := f.scene.Update(msg)
	f.scene = m.(scene)
	return f, cmd
}

func (f flood) View() tea.View {
	n := f.keys.Load()
	rnd := rand.New(rand.NewPCG(uint64(n), 0))
	rows := []string{fmt.Sprintf("key %d.", n)}
	for range max(f.h-1, 0) {
		row := make([]byte, f.w)
		for i := range row {
			row[i] = byte('a' + rnd.IntN(26))
		}
		rows = append(rows, string(row))
	}
	return tea.NewView(strings.Join(rows, "\n"))
}

// On a slow line keys are handled as they arrive, and frames that the line had no time for
// are skipped, but not the last one.
func TestRun_OnASlowLineKeysDoNotWaitForFrames(t *testing.T) {
	g := newFakeTerminal(t)
	if err := pty.Setsize(g.slave, &pty.Winsize{Cols: 160, Rows: 50}); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	g.screen.Resize(160, 50)
	g.mu.Unlock()
	f := flood{keys: new(atomic.Int64)}
	g.slowLine.Store(true)
	done := g.start(f)
	g.until("key 0.")
	const keys, frame = 300, 160 * 49
	before := len(g.bytes())
	for range keys {
		g.press("j")
		time.Sleep(2 * time.Millisecond)
	}
	g.wait("all keys are obeyed", func() bool { return f.keys.Load() == keys })
	if now := len(g.bytes()) - before; now > keys*frame/10 {
		t.Errorf("the last key was obeyed when %d bytes of frames were through", now)
	}
	g.until(fmt.Sprintf("key %d.", keys))
	if all := len(g.bytes()) - before; all > keys*frame/10 {
		t.Errorf("%d bytes were sent for %d keys: frames that were out of date", all, keys)
	} else {
		t.Logf("%d bytes for %d keys, %d a frame", all, keys, frame)
	}
	g.slowLine.Store(false)
	g.press("q")
	if err := g.ended(done); err != nil {
		t.Fatal(err)
	}
}

// Drawing does not wait for a terminal that answers late or never.
func TestRun_DoesNotWaitForAnswers(t *testing.T) {
	g := newFakeTerminal(t)
	g.silent.Store(true)
	began := time.Now()
	done := g.start(scene{})
	g.wait("a frame", func() bool { return strings.Contains(g.bytes(), "60x12") })
	t.Logf("the first frame came after %v", time.Since(began).Round(time.Millisecond))
	g.press("q")
	if err := g.ended(done); err != nil {
		t.Fatal(err)
	}
}

package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

var clock = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// fakeStore keeps files in memory.
type fakeStore struct {
	files    map[memfs.Path]string
	versions map[memfs.Path][]versions.Version // newest first
	blames   map[versions.VersionID]*versions.Blame
	errors   map[memfs.Path]error // of opening
	info     versions.StoreInfo
}

func newFake() *fakeStore {
	return &fakeStore{files: map[memfs.Path]string{}, errors: map[memfs.Path]error{}, versions: map[memfs.Path][]versions.Version{}, blames: map[versions.VersionID]*versions.Blame{}}
}

func (f *fakeStore) write(p, content string) { f.files[at(p)] = content }

func (f *fakeStore) Info() versions.StoreInfo { return f.info }

func (f *fakeStore) VersionAt(_ context.Context, p memfs.Path, _ int) (versions.Version, error) {
	vs := f.versions[p]
	if len(vs) == 0 {
		return versions.Version{}, versions.ErrNoMemory
	}
	return vs[0], nil
}

func (f *fakeStore) Newest(ctx context.Context, p memfs.Path) (versions.Version, error) {
	if _, ok := f.files[p]; !ok {
		return versions.Version{}, versions.ErrNoMemory
	}
	return f.VersionAt(ctx, p, 0)
}

func (f *fakeStore) History(_ context.Context, id versions.MemoryID, _ int, limit int) ([]versions.Version, error) {
	for _, vs := range f.versions {
		if vs[0].Memory == id {
			return vs[:min(len(vs), limit)], nil
		}
	}
	return nil, versions.ErrNoMemory
}

func (f *fakeStore) Blame(_ context.Context, id versions.VersionID) (*versions.Blame, error) {
	if b := f.blames[id]; b != nil {
		return b, nil
	}
	return nil, versions.ErrNoVersion
}

func (f *fakeStore) Tree(context.Context) ([]versions.Entry, error) {
	var out []versions.Entry
	for p := range f.files {
		out = append(out, versions.Entry{Kind: versions.Memory, Path: p})
	}
	slices.SortFunc(out, func(a, b versions.Entry) int { return strings.Compare(a.Path.String(), b.Path.String()) })
	return out, nil
}

type fakeFile struct{ *bytes.Reader }

func (fakeFile) Close() error { return nil }

func (f *fakeStore) Open(_ context.Context, p memfs.Path) (versions.File, error) {
	if err := f.errors[p]; err != nil {
		return nil, fmt.Errorf("open %s: %w", p, err)
	}
	s, ok := f.files[p]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", p, memfs.ErrNotExist)
	}
	return fakeFile{bytes.NewReader([]byte(s))}, nil
}

// sim runs a pane without a terminal: it runs each command at once and sends its result
// back. Requests to the root are recorded.
type sim struct {
	t     testing.TB
	pane  *Pane
	asked []tea.Msg
	seq   []string
	count int
}

func newSim(t testing.TB, store Store, w, h int) *sim {
	s := &sim{t: t, pane: New(screentest.Env(t.Context()), store)}
	s.pane.SetNow(clock)
	s.pane.SetSize(w, h)
	s.pane.SetFocused(true)
	return s
}

func (s *sim) run(cmd tea.Cmd) {
	for queue := []tea.Cmd{cmd}; len(queue) > 0; {
		s.asked = append(s.asked, screentest.Requests(s.pane.env)...)
		cmd, queue = queue[0], queue[1:]
		if cmd == nil {
			continue
		}
		switch msg := s.call(cmd).(type) {
		case nil:
		case tea.BatchMsg:
			queue = append(queue, msg...)
		case screen.Reply:
			queue = append(queue, msg.Take())
		default:
			s.asked = append(s.asked, msg)
		}
	}
}

func (s *sim) call(cmd tea.Cmd) tea.Msg { return screentest.Call(s.t, cmd) }

func (s *sim) open(p string) { s.run(s.pane.Show(at(p), 0)) }

// keys presses keys, named as in bindings and separated by blanks.
func (s *sim) keys(names string) {
	s.t.Helper()
	for _, k := range strings.Fields(names) {
		if len(s.seq) == 0 && k[0] >= '0' && k[0] <= '9' && (k[0] != '0' || s.count > 0) {
			s.count = s.count*10 + int(k[0]-'0')
			continue
		}
		s.seq = append(s.seq, k)
		cmd, r := s.pane.Press(s.seq, s.count)
		if r == keys.Partial {
			continue
		}
		if r == keys.None {
			s.t.Fatalf("nothing obeys %q", s.seq)
		}
		s.seq, s.count = nil, 0
		s.run(cmd)
	}
}

// answers types an answer into the last prompt.
func (s *sim) answers(text string) {
	s.t.Helper()
	p, ok := s.last().(screen.Prompt)
	if !ok {
		s.t.Fatalf("no prompt was asked for, but %T", s.last())
	}
	s.run(p.Then(text))
}

// last returns the pane's last request.
func (s *sim) last() tea.Msg {
	if len(s.asked) == 0 {
		return nil
	}
	return s.asked[len(s.asked)-1]
}

// screen returns the frame without styles.
func (s *sim) screen() string { return ansi.Strip(s.pane.View()) }

func (s *sim) shows(want ...string) {
	s.t.Helper()
	screentest.Shows(s.t, s.screen, want...)
}

func (s *sim) hides(unwanted ...string) {
	s.t.Helper()
	screentest.Hides(s.t, s.screen, unwanted...)
}

// titled checks that the title contains words.
func (s *sim) titled(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if name, info := s.pane.Title(); !strings.Contains(name+" · "+info, w) {
			s.t.Fatalf("the title does not say %q: %s · %s", w, name, info)
		}
	}
}

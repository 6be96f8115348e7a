package outside

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

// pastRun is what the real run left: its transcripts and its memories.
type pastRun struct {
	t      *testing.T
	config string
	memory string // the folder
	trail  *engine.Trail
	store  *engine.Store
}

// newPastRun copies what the real run left to where the test may write.
func newPastRun(t *testing.T) *pastRun {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &pastRun{t: t, config: filepath.Join(top, ".claude")}
	project := filepath.Join(p.config, "projects", "-tmp-claude-run-shop")
	p.memory = filepath.Join(project, "memory")
	from := filepath.Join("testdata", "claude-code")
	p.copy(filepath.Join(from, "memory"), p.memory)
	p.copy(filepath.Join(from, "transcript"), filepath.Join(project, realSession))
	if err := os.Rename(filepath.Join(project, realSession, "session.jsonl"), filepath.Join(project, realSession+".jsonl")); err != nil {
		t.Fatal(err)
	}
	return p
}

// copy copies a folder, with the paths in it as they are here.
func (p *pastRun) copy(from, to string) {
	p.t.Helper()
	entries, err := os.ReadDir(from)
	if err == nil {
		err = os.MkdirAll(to, 0o755)
	}
	for _, e := range entries {
		if e.IsDir() {
			p.copy(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
			continue
		}
		var b []byte
		if b, err = os.ReadFile(filepath.Join(from, e.Name())); err == nil {
			b = bytes.ReplaceAll(b, []byte(strings.TrimSuffix(realMemory, "/")), []byte(p.memory))
			err = os.WriteFile(filepath.Join(to, e.Name()), b, 0o644)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// adopt makes a store of the memories, and looks at it for the first time.
func (p *pastRun) adopt() {
	p.t.Helper()
	var err error
	if p.trail, err = engine.Open(p.t.Context(), p.t.TempDir(), versions.Options{Recall: Past{Config: p.config}}); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = p.trail.Close() })
	info, err := stores.CreateStore(p.t.Context(), p.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "", "", p.memory)
	if err == nil {
		p.store, err = p.trail.OpenStore(p.t.Context(), info.ID)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = p.store.Close() })
	p.sync()
}

func (p *pastRun) sync() {
	p.t.Helper()
	if _, err := p.store.Sync(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// history is a memory's versions, oldest first: who made each.
func (p *pastRun) history(name string) (out []string) {
	p.t.Helper()
	path, err := memfs.ParsePath(name)
	if err != nil {
		p.t.Fatal(err)
	}
	for n := 1; ; n++ {
		v, err := p.store.VersionAt(p.t.Context(), path, n)
		if err != nil {
			return out
		}
		who := v.Actor.String()
		if v.Session != "" {
			who += " " + strings.TrimPrefix(v.ToolUse, "toolu_")
			if v.Session != realSession || !v.Inferred {
				p.t.Errorf("%s@%d is of %q, inferred %v", name, n, v.Session, v.Inferred)
			}
		}
		out = append(out, string(v.Operation)+" "+who)
	}
}

func (p *pastRun) check() {
	p.t.Helper()
	problems, err := check.Store(p.t.Context(), p.store)
	if err != nil || len(problems) > 0 {
		p.t.Errorf("check: %q, %v", problems, err)
	}
}

// The first look at a folder finds its history in the transcripts.
func TestPast_TranscriptsBecomeTheHistoryAtFirstUse(t *testing.T) {
	t.Parallel()
	p := newPastRun(t)
	p.adopt()
	for name, want := range map[string][]string{
		"refunds.md":  {"created claude-code 001400", "modified claude-code 001600", "modified claude-code 002600", "modified claude-code/general-purpose 003100"},
		"plain.md":    {"created claude-code 001700", "modified claude-code 001800", "modified claude-code 001900"},
		"long.md":     {"created claude-code 002300", "modified claude-code 002400", "modified claude-code 002500"},
		"crlf.md":     {"created outside", "modified claude-code 002200"}, // a line of shell made it
		"tone.md":     {"created claude-code/general-purpose 003000"},
		"review.md":   {"created claude-code/reviewer 003400"},
		"MEMORY.md":   {"created claude-code 003600"},
		"delivery.md": {"created outside"}, // was moved by a line of shell; its time is that of this test
	} {
		if got := p.history(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	cs, err := history.Changes(t.Context(), p.store, versions.Filter{Session: realSession}, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cs {
		if day := c.Time.UTC().Format("2006-01-02 15:04"); day != "2026-11-22 18:01" {
			t.Errorf("change %d has the time %s", c.Number, day)
		}
	}
	p.check()
	entries, err := history.Tree(t.Context(), p.store)
	if err != nil || len(entries) != 8 {
		t.Errorf("%d memories, %v", len(entries), err)
	}
}

func TestPast_ASessionOfYesterdayIsUndone(t *testing.T) {
	t.Parallel()
	p := newPastRun(t)
	p.adopt()
	plan, err := vplan.Make(t.Context(), p.store, vplan.UndoSession(realSession))
	if err != nil {
		t.Fatal(err)
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}
	if _, err := vplan.Apply(t.Context(), p.store, by, plan, nil); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	entries, err := os.ReadDir(p.memory)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(p.memory, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(b)
	}
	if len(found) != 2 || found["crlf.md"] != "a\r\nb\r\nc\r\n" || found["delivery.md"] != "Ship on weekdays.\n" {
		t.Errorf("after the undo there are %q", found)
	}
	p.check()
}

// What the transcripts don't explain is nobody's, and nothing is made up.
func TestPast_UnprovenChangesAreOutside(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(p *pastRun)
		path string
		want []string
	}{
		"changed since": {func(p *pastRun) { p.write("plain.md", "other\n") }, "plain.md",
			[]string{"created claude-code 001700", "modified claude-code 001800", "modified claude-code 001900", "modified outside"}},
		"changed since, by more than a stamp": {func(p *pastRun) { p.write("tone.md", "other\n") }, "tone.md", []string{"created outside"}},
		"removed since":                       {func(p *pastRun) { p.remove("plain.md") }, "plain.md", []string{"created claude-code 001700", "modified claude-code 001800", "modified claude-code 001900", "deleted outside"}},
		"changed between two calls": {func(p *pastRun) {
			p.swap("toolu_001900", `"originalFile":"one\ntwo\nfour"`, `"originalFile":"ONE\ntwo\nfour"`, `" one"`, `" ONE"`)
		}, "plain.md",
			[]string{"created claude-code 001700", "modified claude-code 001800", "modified outside", "modified claude-code 001900", "modified outside"}},
		"older transcripts, whose lines don't name the subagent": {func(p *pastRun) { p.everywhere(`"attributionAgent":"reviewer",`, "") }, "review.md", []string{"created claude-code/reviewer 003400"}},
		"no transcripts": {func(p *pastRun) { p.config = p.t.TempDir() }, "plain.md", []string{"created outside"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPastRun(t)
			c.do(p)
			p.adopt()
			if got := p.history(c.path); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			p.check()
		})
	}
}

func (p *pastRun) write(name, content string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.memory, name), []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pastRun) remove(name string) {
	p.t.Helper()
	if err := os.Remove(filepath.Join(p.memory, name)); err != nil {
		p.t.Fatal(err)
	}
}

// everywhere replaces a text in all transcripts.
func (p *pastRun) everywhere(from, to string) {
	p.t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Dir(p.memory), func(name string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".jsonl") {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		found = found || strings.Contains(string(b), from)
		return os.WriteFile(name, []byte(strings.ReplaceAll(string(b), from, to)), 0o644)
	})
	if err != nil || !found {
		p.t.Fatalf("%s: found %v, %v", from, found, err)
	}
}

// swap replaces texts in the result of a call.
func (p *pastRun) swap(call string, pairs ...string) {
	p.t.Helper()
	file := filepath.Join(filepath.Dir(p.memory), realSession+".jsonl")
	b, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	var out strings.Builder
	swapped := 0
	for line := range strings.Lines(string(b)) {
		if strings.Contains(line, `"tool_use_id":"`+call+`"`) {
			line = strings.NewReplacer(pairs...).Replace(line)
			swapped++
		}
		out.WriteString(line)
	}
	if swapped == 0 {
		p.t.Fatal(fmt.Sprint(call, " is not there"))
	}
	if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// What was done while nobody looked is found by the next look.
func TestPast_ChangesBetweenTwoScansAreFound(t *testing.T) {
	t.Parallel()
	p := newPastRun(t)
	later := map[string]string{}
	for _, name := range []string{"refunds.md", "plain.md", "long.md", "crlf.md", "tone.md", "review.md", "MEMORY.md", "delivery.md"} {
		b, err := os.ReadFile(filepath.Join(p.memory, name))
		if err != nil {
			t.Fatal(err)
		}
		later[name] = string(b)
		p.remove(name)
	}
	p.write("plain.md", "one\ntwo\nthree")
	transcripts, aside := filepath.Join(filepath.Dir(p.memory), realSession), filepath.Join(t.TempDir(), realSession)
	move := func(from, to string) {
		t.Helper()
		for _, end := range []string{"", ".jsonl"} {
			if err := os.Rename(from+end, to+end); err != nil {
				t.Fatal(err)
			}
		}
	}
	move(transcripts, aside)
	looked := time.Now()
	p.adopt()
	if got := p.history("plain.md"); !slices.Equal(got, []string{"created outside"}) {
		t.Fatalf("%q", got)
	}
	for name, content := range later {
		p.write(name, content)
	}
	move(aside, transcripts)
	p.shift(looked, time.Now()) // between two of its calls
	p.sync()
	for name, want := range map[string][]string{
		"plain.md":   {"created outside", "modified claude-code 001800", "modified claude-code 001900"},
		"refunds.md": {"created outside", "modified claude-code 002600", "modified claude-code/general-purpose 003100"}, // it was not there
		"review.md":  {"created claude-code/reviewer 003400"},
	} {
		if got := p.history(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	p.check()
	before, err := history.Changes(t.Context(), p.store, versions.Filter{}, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	p.sync()
	if after, err := history.Changes(t.Context(), p.store, versions.Filter{}, 0, 1000); err != nil || len(after) != len(before) {
		t.Errorf("a second look finds %d changes, not %d, %v", len(after), len(before), err)
	}
}

// wroteThree is when the run had written plain.md for the first time, and nothing since.
var wroteThree = time.Date(2026, 11, 22, 18, 1, 15, 966e6, time.UTC)

// shift has the transcripts tell of the run as if that had been before a time, and what
// came after the first text of plain.md after another.
func (p *pastRun) shift(before, after time.Time) {
	p.t.Helper()
	const day = `"timestamp":"2026-11-22T18:01:`
	root := filepath.Dir(p.memory)
	err := filepath.WalkDir(root, func(name string, e os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".jsonl") {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var out strings.Builder
		for line := range strings.Lines(string(b)) {
			if _, rest, ok := strings.Cut(line, day); ok {
				was, err := time.Parse(time.RFC3339Nano, "2026-11-22T18:01:"+rest[:strings.IndexByte(rest, '"')])
				if err != nil {
					return err
				}
				to, since := before, was.Sub(wroteThree)
				if was.After(wroteThree) {
					to, since = after, since/10_000 // all of it is over by now
				}
				at := to.Add(since).UTC().Format("2006-01-02T15:04:05.000000Z")
				line = strings.Replace(line, day+rest[:strings.IndexByte(rest, '"')], `"timestamp":"`+at, 1)
			}
			out.WriteString(line)
		}
		return os.WriteFile(name, []byte(out.String()), 0o644)
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// What a redaction erased does not come back from the transcripts.
func TestPast_RedactedTextStaysErased(t *testing.T) {
	t.Parallel()
	p := newPastRun(t)
	p.adopt()
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}
	plan, err := redact.Prepare(t.Context(), p.store, versions.RedactTarget{Match: []byte("line two")})
	if err == nil {
		_, err = redact.Do(t.Context(), p.store, by, plan, versions.RedactChoice{Heads: versions.HeadMask})
	}
	if err != nil {
		t.Fatal(err)
	}
	p.write("long.md", "another\n")
	p.sync()
	p.remove("long.md")
	p.sync()
	p.write("long.md", "and another\n")
	p.sync()
	left, err := redact.Prepare(t.Context(), p.store, versions.RedactTarget{Match: []byte("line two")})
	if err != nil || len(left.Erase) > 0 {
		t.Errorf("%d versions hold it again, %v", len(left.Erase), err)
	}
	p.check()
}

// Only calls newer than what the trail has of a memory are reported.
func TestPast_ReportsOnlyNewerCalls(t *testing.T) {
	t.Parallel()
	p := newPastRun(t)
	asked := func(name, held string, since time.Time) versions.Unexplained {
		path, err := memfs.ParsePath(name)
		if err != nil {
			t.Fatal(err)
		}
		return versions.Unexplained{Path: path, Since: since, Held: func() ([]byte, bool) { return []byte(held), held != "" },
			Holds: func() ([]byte, time.Time) {
				b, err := os.ReadFile(filepath.Join(p.memory, name))
				if err != nil {
					t.Error(err)
				}
				return b, time.Now()
			}}
	}
	texts, err := Past{Config: p.config}.Texts(t.Context(), versions.StoreInfo{ID: "s", Folder: p.memory},
		[]versions.Unexplained{asked("plain.md", "one\ntwo\nthree", wroteThree), asked("long.md", "", time.Time{})}, false)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range texts {
		got = append(got, fmt.Sprintf("%s %s %v", r.Path.Rel(), r.By.ToolUse, r.Deleted))
	}
	want := []string{"long.md toolu_002300 false", "long.md toolu_002400 false", "long.md toolu_002500 false", "plain.md toolu_001800 false", "plain.md toolu_001900 false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The clock of the machine that wrote the transcripts is an hour ahead. Their calls are
// recorded once, and not again with every later edit by somebody else.
func TestPast_TranscriptsWithAFastClockAreRecordedOnce(t *testing.T) {
	p := newPastRun(t)
	ahead := time.Now().Add(time.Hour)
	p.shift(ahead, ahead)
	p.adopt()
	want := []string{"created claude-code 001700", "modified claude-code 001800", "modified claude-code 001900"}
	if got := p.history("plain.md"); !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	for _, text := range []string{"other\n", "another\n"} {
		p.write("plain.md", text)
		p.sync()
		want = append(want, "modified outside")
		if got := p.history("plain.md"); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	p.check()
}

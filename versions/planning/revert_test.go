package planning

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
)

func path(p string) memfs.Path {
	out, err := memfs.ParsePath(p)
	if err != nil {
		panic(err)
	}
	return out
}

// at is a state with a text.
func at(p, text string) State { return WithText(path(p), []byte(text)) }

func read(s State) ([]byte, error) { return s.Text, nil }

// gone is the state of a memory that doesn't exist, and erased that of one that was redacted.
var gone, erased = State{}, State{Redacted: true}

func TestResolve_RevertsPathAndContentSeparately(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		now, before, after State
		want               State
		clash              Clash
	}{
		"an edit":                                 {now: at("a", "2"), before: at("a", "1"), after: at("a", "2"), want: at("a", "1")},
		"a creation":                              {now: at("a", "1"), before: gone, after: at("a", "1"), want: gone},
		"a creation that was edited since":        {now: at("a", "2"), before: gone, after: at("a", "1"), clash: ClashEdited},
		"a creation that was moved since":         {now: at("b", "1"), before: gone, after: at("a", "1"), clash: ClashEdited},
		"a creation that was deleted since":       {now: gone, before: gone, after: at("a", "1"), want: gone},
		"a deletion":                              {now: gone, before: at("a", "1"), after: gone, want: at("a", "1")},
		"a deletion that was reverted already":    {now: at("a", "1"), before: at("a", "1"), after: gone, want: at("a", "1")},
		"a deletion of what has another text now": {now: at("a", "2"), before: at("a", "1"), after: gone, clash: ClashRevived},
		"a deletion of what is redacted":          {now: gone, before: erased, after: gone, clash: ClashRedacted},
		"a move":                                  {now: at("b", "1"), before: at("a", "1"), after: at("b", "1"), want: at("a", "1")},
		"a move, with a later edit":               {now: at("b", "2"), before: at("a", "1"), after: at("b", "1"), want: at("a", "2")},
		"a move, with a later move":               {now: at("c", "1"), before: at("a", "1"), after: at("b", "1"), clash: ClashPath},
		"an edit, with a later move":              {now: at("b", "2"), before: at("a", "1"), after: at("a", "2"), want: at("b", "1")},
		"an edit, with a later deletion":          {now: gone, before: at("a", "1"), after: at("a", "2"), clash: ClashDeleted},
		"an edit of other lines than a later one": {now: at("a", "1!\nx\n3!\n"), before: at("a", "1\nx\n3\n"), after: at("a", "1!\nx\n3\n"), want: at("a", "1\nx\n3!\n")},
		"an edit of the lines of a later one":     {now: at("a", "3\n"), before: at("a", "1\n"), after: at("a", "2\n"), clash: ClashText},
		"an edit of what is redacted":             {now: at("a", "2"), before: erased, after: at("a", "2"), clash: ClashRedacted},
		"what left nothing":                       {now: at("a", "1"), before: gone, after: gone, want: at("a", "1")},
	} {
		t.Run(name, func(t *testing.T) {
			m := Memory{Now: c.now, Runs: []Run{{Before: c.before, After: c.after}}}
			if err := m.Resolve(read); err != nil {
				t.Fatal(err)
			}
			if m.Clash != c.clash {
				t.Fatalf("clash %q, want %q", m.Clash, c.clash)
			}
			want := c.want
			if c.clash != ClashNone {
				want = c.now
			}
			if end := m.End(); end.Path != want.Path || string(end.Text) != string(want.Text) || end.Live() != want.Live() {
				t.Errorf("it becomes %s %q, want %s %q", end.Path, end.Text, want.Path, want.Text)
			}
		})
	}
}

// The newest run is undone first, and its result is what the next one starts from.
func TestResolve_UndoesRunsInTheirOrder(t *testing.T) {
	t.Parallel()
	m := Memory{Now: at("a", "4"), Runs: []Run{{Before: at("a", "3"), After: at("a", "4")}, {Before: at("a", "1"), After: at("a", "3")}}}
	if err := m.Resolve(read); err != nil || m.Clash != ClashNone || string(m.Want.Text) != "1" {
		t.Errorf("it becomes %q, %q, %v; want 1", m.Want.Text, m.Clash, err)
	}
}

func TestResolve_PassesOnThatATextCannotBeRead(t *testing.T) {
	t.Parallel()
	damaged := errors.New("damaged")
	m := Memory{Now: at("a", "3\n"), Runs: []Run{{Before: at("a", "1\n"), After: at("a", "2\n")}}}
	if err := m.Resolve(func(State) ([]byte, error) { return nil, damaged }); !errors.Is(err, damaged) {
		t.Errorf("Resolve = %v, want %v", err, damaged)
	}
}

func TestDecide_SettlesAConflict(t *testing.T) {
	t.Parallel()
	conflict := []Run{{Before: at("a", "0\n1\n"), After: at("a", "0\n2\n")}}
	for name, c := range map[string]struct {
		m      Memory
		taken  bool
		choice Choice
		want   State
		clash  Clash
	}{
		"skipped":                       {m: Memory{Now: at("a", "0\n3\n"), Runs: conflict}, choice: Choice{Kind: Skip}, want: at("a", "0\n3\n")},
		"undecided":                     {m: Memory{Now: at("a", "0\n3\n"), Runs: conflict}, clash: ClashText},
		"ours":                          {m: Memory{Now: at("a", "0\n3\n"), Runs: conflict}, choice: Choice{Kind: KeepOurs}, want: at("a", "0\n3\n")},
		"theirs":                        {m: Memory{Now: at("a", "0\n3\n"), Runs: conflict}, choice: Choice{Kind: TakeTheirs}, want: at("a", "0\n1\n")},
		"an own text":                   {m: Memory{Now: at("a", "0\n3\n"), Runs: conflict}, choice: Choice{Kind: OwnText, Text: []byte("x")}, want: at("a", "x")},
		"an own text of what is gone":   {m: Memory{Now: gone, Runs: conflict}, choice: Choice{Kind: OwnText, Text: []byte("x")}, want: at("a", "x")},
		"theirs, which is redacted":     {m: Memory{Now: at("a", "2"), Runs: []Run{{Before: erased, After: at("a", "1")}}}, choice: Choice{Kind: TakeTheirs}, clash: ClashRedacted},
		"ours, of a redacted one":       {m: Memory{Now: at("a", "2"), Then: erased}, choice: Choice{Kind: KeepOurs}, want: at("a", "2")},
		"ours, where its path is taken": {m: Memory{Now: at("b", "2"), Then: at("a", "1")}, taken: true, choice: Choice{Kind: KeepOurs}, want: at("b", "1")},
		"ours, of what came back where its path is taken": {m: Memory{Now: gone, Then: at("a", "1")}, taken: true, choice: Choice{Kind: KeepOurs}, want: gone},
		"an own text without a free path":                 {m: Memory{Now: gone, Then: at("a", "1")}, taken: true, choice: Choice{Kind: OwnText}, clash: ClashTaken},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.m
			if err := m.Resolve(read); err != nil {
				t.Fatal(err)
			}
			if c.taken {
				m.Clash = ClashTaken
			}
			if err := m.Decide(c.choice, read); err != nil {
				t.Fatal(err)
			}
			if m.Clash != c.clash {
				t.Fatalf("clash %q, want %q", m.Clash, c.clash)
			}
			if end := m.End(); c.clash == ClashNone && !end.Is(c.want) {
				t.Errorf("it becomes %s %q, want %s %q", end.Path, end.Text, c.want.Path, c.want.Text)
			}
		})
	}
}

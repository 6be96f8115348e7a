package frame

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
)

// A message that is too long for its rows loses its middle, not what to do.
func TestMessageRows_KeepWhatToDo(t *testing.T) {
	c := Canvas{Theme: theme.New(true, theme.Many)}
	for w := 34; w < 200; w++ {
		for h, most := range map[int]int{24: 2, 36: 3} {
			rows := c.MessageRows(Message{Text: strings.Repeat("something happened ", 12) + "· U on inbox-agent undoes it"}, w, h)
			if rows == nil {
				t.Fatalf("in %d columns there are no rows", w)
			}
			last := strings.TrimSpace(ansi.Strip(rows[len(rows)-1]))
			if len(rows) > most || !strings.HasSuffix(last, "U on inbox-agent undoes it") {
				t.Errorf("in %d columns the last of %d rows is %q", w, len(rows), last)
			}
		}
	}
}

func TestStatusLine_DropsWholePartsFromTheRight(t *testing.T) {
	right := []Segment{{Text: "2 wait for you"}, {Text: "3 to review"}, {Text: "follow: off"}}
	c := Canvas{Theme: theme.New(true, theme.Mono)}
	for w := 20; w < 60; w++ {
		line := ansi.Strip(string(c.StatusLine(nil, w, Status{Left: []Segment{{Text: "notes"}}, Right: right})))
		for _, part := range right {
			word, _, _ := strings.Cut(part.Text, " ")
			if strings.Contains(line, word) && !strings.Contains(line, part.Text) {
				t.Errorf("%d columns: %q", w, line)
			}
		}
		if !strings.Contains(line, "2 wait for you") {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

// What always stands on the left leaves room for the most important part on the right.
func TestStatusLine_ShortensWhatIsKeptForTheFirstOnTheRight(t *testing.T) {
	c := Canvas{Theme: theme.New(true, theme.Mono)}
	s := Status{
		KeepSecond: true,
		Left:       []Segment{{Text: "demo"}, {Text: "0 of 4 mistakes found · ! shows it, - rejects it"}, {Text: "change #58 by mira"}},
		Right:      []Segment{{Text: "! 2 wait for you", Urgent: true}, {Text: "● 2 to review", Urgent: true}, {Text: "follow: off"}},
	}
	for w, want := range map[int]string{90: "rejects it", 60: "0 of 4 mistakes found", 50: "0 of 4 mistakes found", 40: "demo"} {
		line := ansi.Strip(string(c.StatusLine(nil, w, s)))
		if !strings.Contains(line, want) || w >= 50 && !strings.Contains(line, "! 2 wait for you") || w >= 65 && !strings.Contains(line, "● 2 to review") {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

// The message about a decision leaves the counter that the decision changes.
func TestStatusLine_AMessageLeavesTheCounter(t *testing.T) {
	c := Canvas{Theme: theme.New(true, theme.Mono)}
	s := Status{
		Left:    []Segment{{Text: "notes"}},
		Message: &Message{Text: "kept 1 hunk of /windows/install.md", Back: "u undoes that"},
		Right:   []Segment{{Text: "! 2 wait for you", Urgent: true}, {Text: "● 12 to review", Urgent: true}, {Text: "follow: off"}},
	}
	for w, want := range map[int]string{
		110: "notes kept 1 hunk of /windows/install.md · u undoes that ! 2 wait for you ● 12 to review",
		92:  "kept 1 hunk of /windows/install.md · u undoes that ! 2 wait for you ● 12 to review",
		86:  "notes kept 1 hunk of /windows/install.md · u undoes that ● 12 to review",
		73:  "kept 1 hunk of /windows/install.md · u undoes that ● 12 to review",
		62:  "kept 1 hunk of /windows/install.md · u undoes that",
	} {
		line := ansi.Strip(string(c.StatusLine(nil, w, s)))
		if got := strings.Join(strings.Fields(line), " "); got != want {
			t.Errorf("%d columns: %q", w, got)
		}
	}

	// Work takes the place of the message.
	s.Work = []Segment{{Text: "syncing…"}}
	for w := range 110 {
		if line := ansi.Strip(string(c.StatusLine(nil, w, s))); w > 40 && strings.Join(strings.Fields(line), " ") != "notes syncing…" {
			t.Errorf("%d columns: %q", w, line)
		}
	}
}

func TestHints_AreAtMostSeven(t *testing.T) {
	var entries []keys.Entry
	for _, k := range "abcdefghij" {
		entries = append(entries, keys.Entry{Short: "do", Keys: []string{string(k)}})
	}
	line := ansi.Strip(string(Canvas{Theme: theme.New(true, theme.Many)}.Hints(nil, 300, entries, "?")))
	if got := strings.Join(strings.Fields(line), " "); got != "a do b do c do d do e do f do ? help" {
		t.Errorf("%q", got)
	}
}

// Of a path the end matters more, of anything else the beginning.
func TestTitleRow_CutsTheEndOfWhatIsNoPath(t *testing.T) {
	c := Canvas{Theme: theme.New(true, theme.Mono)}
	for title, want := range map[string]string{"undo 12 changes of a session of robot": "undo 12 changes of a s…", "/a/long/path/of/a/memory.md": "…ng/path/of/a/memory.md"} {
		if line := ansi.Strip(string(c.TitleRow(nil, 28, false, title, ""))); !strings.Contains(line, want) {
			t.Errorf("%q", line)
		}
	}
}

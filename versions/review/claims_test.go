package review

import "testing"

func TestContradicted_FindsWhatSaysOtherwise(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pinned, was, now string
		found            bool
	}{
		"another value":               {"- Refund window: 14 days\n", "", "The **refund window**: 30 days.\n", false}, // "the refund window" is another label
		"another value, marked":       {"- Refund window: 14 days\n", "", "**refund window**: 30 days.\n", true},
		"the same value":              {"- Refund window: 14 days\n", "", "* refund window = 14 days.\n", false},
		"another value by =":          {"max retries = 3\n", "", "Max retries: 5\n", true},
		"one word below headings":     {"# Refunds\n- Window: 14 days\n", "", "## refunds\n\nwindow: 30 days\n", true},
		"one word, other headings":    {"# Refunds\n- Window: 14 days\n", "", "# Desktop\nwindow: 30 days\n", false},
		"one word without a heading":  {"owner: lee\n", "", "owner: kim\n", false},
		"properties of a note":        {"---\ndisplay name: refunds\n---\ntext\n", "", "---\ndisplay name: shipping\n---\n", false},
		"forbidden and advised":       {"Never deploy on Fridays.\n", "", "- Always deploy on Fridays\n", true},
		"advised and forbidden":       {"Ask before force-pushing\n", "", "don’t ask before force-pushing\n", true},
		"both forbidden":              {"Never deploy on Fridays.\n", "", "Do not deploy on Fridays!\n", false},
		"a second negation":           {"Never deploy without asking.\n", "", "Deploy without asking.\n", true},
		"a negation that is repeated": {"Never deploy on Fridays.\n", "", "Never, never deploy on Fridays.\n", false},
		"other words":                 {"Never deploy on Fridays.\n", "", "Deploy on Mondays.\n", false},
		"too short to say":            {"Never!\n", "", "always\n", false},
		"it was there before":         {"Never deploy on Fridays.\n", "Deploy on Fridays.\n", "Deploy on Fridays.\nmore\n", false},
		"it was changed to":           {"Never deploy on Fridays.\n", "Rest on Fridays.\nmore\n", "Deploy on Fridays.\nmore\n", true},
		"pins that disagree":          {"Never deploy on Fridays.\nDeploy on Fridays.\n", "", "Deploy on Fridays.\n", false},
		"numbers with signs":          {"lowest price: -5\n", "", "lowest price: 5\n", true},
		"a URL":                       {"see https://example.com\n", "", "see http://example.com\n", false},
	} {
		pinned := Pinned{says: map[string][]pinnedLine{}}
		pinned.add("/rules.md", tt.pinned)
		p := Pending{Now: Side{Exists: true, Path: wrote(1, "note.md", "ada", "").Path, Text: []byte(tt.now)}}
		if tt.was != "" {
			p.Was = Side{Exists: true, Path: p.Now.Path, Text: []byte(tt.was)}
		}
		if got := pinned.contradicted(&p); (got != "") != tt.found {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestContradicted_SaysTheLine(t *testing.T) {
	t.Parallel()
	pinned := Pinned{says: map[string][]pinnedLine{}}
	pinned.add("/rules.md", "# Rules\n\n- Never deploy on Fridays.\n")
	p := Pending{Now: Side{Exists: true, Path: wrote(1, "note.md", "ada", "").Path, Text: []byte("deploy on fridays")}}
	if got, want := pinned.contradicted(&p), "/rules.md: Never deploy on Fridays."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if p.Now.Path = wrote(1, "rules.md", "ada", "").Path; pinned.contradicted(&p) != "" {
		t.Error("a memory contradicts itself")
	}
}

// A pin of a whole folder covers what contradicts it, too.
func TestContradicted_OfAMemoryThatIsPinnedItself(t *testing.T) {
	t.Parallel()
	pinned := Pinned{says: map[string][]pinnedLine{}}
	pinned.add("/rules.md", "Never deploy on Fridays.\n")
	pinned.add("/note.md", "Deploy on Fridays.\n")
	p := Pending{Now: Side{Exists: true, Path: wrote(1, "note.md", "ada", "").Path, Text: []byte("Deploy on Fridays.\n")}}
	if got, want := pinned.contradicted(&p), "/rules.md: Never deploy on Fridays."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

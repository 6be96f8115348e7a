package agents

import (
	"slices"
	"strings"
	"testing"
)

func TestSessions_KeepTheirColumnsInShortLists(t *testing.T) {
	f := newFixture(t, 80, 20).story().start()
	f.keys("h")
	for w := 34; w < 120; w++ {
		f.pane.SetSize(w, 8) // the sessions fill it
		tall := strings.Split(f.view(), "\n")
		f.pane.SetSize(w, 2)
		short := strings.Split(f.view(), "\n")
		names, first := strings.Fields(tall[0])[1:], strings.Fields(short[0])[1:]
		if !slices.Equal(names, first) {
			t.Errorf("at %d columns the columns are %q, and %q in a short list", w, names, first)
		}
		if at := strings.Index(tall[0], "seen"); at != strings.Index(short[0], "seen") {
			t.Errorf("at %d columns they stand elsewhere in a short list:\n%s\n%s", w, tall[0], short[0])
		}
		for _, row := range tall[:4] {
			if !strings.HasSuffix(row, " ") {
				t.Errorf("at %d columns the last one touches the edge:\n%s", w, row)
			}
		}
	}
}

// What a session was asked says more than all but a few columns: it keeps room for a few words.
func TestSessionTable_LeavesRoomForTitles(t *testing.T) {
	f := newFixture(t, 80, 20)
	for w, want := range map[int]string{47: "", 53: "id", 79: "id began undone", 100: "id began versions undone"} {
		names := string(f.pane.AppendAbove(nil, 0, w))
		var on []string
		for _, name := range []string{"id", "began", "versions", "undone"} {
			if strings.Contains(names, name) {
				on = append(on, name)
			}
		}
		if got := strings.Join(on, " "); got != want {
			t.Errorf("%d columns: %s, want %s", w, got, want)
		}
		if name := sessionTable.Rest(w, signCols); w >= 79 && name < 32 {
			t.Errorf("%d columns: the name has %d", w, name)
		}
	}
}

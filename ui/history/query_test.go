package history

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

func TestQuery_MatchesItsWords(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	c := versions.Change{
		Number: 7, Kind: versions.KindDelete, Path: path("/notes/Plan.md"), Session: "sesn_ABCs3", ToolUse: "toolu_77", Versions: 1,
		Actor: versions.Actor{Kind: versions.Agent, Name: "Claude Code"}, Time: now.Add(-36 * time.Hour), // the 9th, at midnight
	}
	for words, want := range map[string]bool{
		"": true, "by:claude": true, "by:claudecode": true, "by:agent": true, "by:ana": false, "by:ana by:claude": true, "by:": true,
		"session:s3": true, "session:abc": true, "session:s4": false,
		"op:deleted": true, "op:del": true, "op:delete": true, "op:d": true, "op:edit": false, "op:modified": false, "op:edit op:delete": true, "op:undone": false,
		"since:2d": true, "since:1d": false, "since:35h": false, "since:1w": true, "since:today": false, "since:yesterday": true, "since:2026-03-09": true, "since:2026-03-10": false,
		"until:2026-03-09": true, "until:2026-03-08": false, "until:2026-03": true, "until:2026-02": false, "until:2026": true, "until:1h": true, "until:2d": false,
		"until:2026-03-09T00:00": true, "until:2026-03-08T23:59": false, "since:later": true, "since:3": true,
		"path:notes/": false /* the store's to say */, "path:plan": true, "path:other": false, "path:plan path:notes": true, "path:plan path:other": false,
		"plan": true, "PLAN": true, "toolu_77": true, "claude s3 plan": true, "claude s4": false, "else:where": false,
		"by:claude op:deleted since:2d path:plan": true,
	} {
		q := parse(words, now)
		if got := q.change(c, nil) && q.in.IsRoot(); got != want {
			t.Errorf("%q lets it through: %v", words, got)
		}
	}
	c.UndoneBy = 8
	if q := parse("op:undone", now); !q.change(c, nil) {
		t.Error("an undone change is none")
	}
	if q := parse("since:later", now); q.problem == "" || !q.any() {
		t.Error("what can't be read is not told, or filters")
	}
	if q := parse("since:2d", time.Time{}); q.problem == "" {
		t.Error("a span back from no time is read")
	}
}

func TestQuery_MatchesPartsOfChanges(t *testing.T) {
	c := versions.Change{Kind: versions.KindDelete, Path: path("/notes"), Versions: 2}
	inside := func() []versions.Version {
		return []versions.Version{{Path: path("/notes/a.md")}, {Path: path("/notes/b.md"), From: path("/old.md")}}
	}
	for words, want := range map[string]bool{"path:b.md": true, "old": true, "path:c.md": false, "path:a.md path:old": false} {
		if got := parse(words, start).change(c, inside); got != want {
			t.Errorf("%q lets it through: %v", words, got)
		}
	}
}

func TestQuery_MatchesVersions(t *testing.T) {
	v := versions.Version{Operation: versions.Modified, Path: path("/new/b.md"), From: path("/old/a.md"), Actor: ana, Session: "sesn_1", Time: start}
	gone := versions.Version{Operation: versions.Modified, Redacted: start, Actor: ana, Time: start}
	for words, want := range map[string][2]bool{
		"op:renamed": {true, false}, "op:edited": {false, true}, "op:redacted": {false, true}, "op:created": {false, false},
		"path:old/": {true, false}, "path:new/": {true, false}, "path:old": {true, false}, "by:person": {true, true}, "sesn_1": {true, false},
	} {
		q := parse(words, start)
		if got := [2]bool{q.version(v), q.version(gone)}; got != want {
			t.Errorf("%q lets a renamed and a redacted version through: %v", words, got)
		}
	}
}

func TestQuery_AppliesNegations(t *testing.T) {
	f := story()
	p := newPane(f, 100, 24)
	press(p, "c")
	all := len(p.list().items)
	for words, without := range map[string]string{"!by:claude": "by:claude", "!path:a.md": "path:a.md", "!op:create": "op:create", "!c.md": "c.md", "!path:notes/": "path:notes/", "!since:2026": "since:2026"} {
		count := func(words string) int {
			drain(p, p.setFilter(words))
			return len(p.list().items)
		}
		if in, out := count(without), count(words); in+out != all {
			t.Errorf("%s lets %d through and %s %d, of %d", without, in, words, out, all)
		}
	}
	for _, words := range []string{"!", "!by:", "!is:", "!is:n"} {
		if q := parse(words, start); !q.any() || q.problem != "" {
			t.Errorf("%q, not finished, filters: %+v", words, q)
		}
	}
	if q := parse("!since:later by:x", start); q.problem == "" || len(q.not) > 0 {
		t.Errorf("what can't be read: %+v", q)
	}
}

func TestQuery_NegatesNew(t *testing.T) {
	p := newPane(story(), 80, 24)
	p.SetReviewed(seenTo(1))
	press(p, "c")
	all, marks := len(p.list().items), strings.Count(signs(p), "●")
	drain(p, p.setFilter("!is:new"))
	if got := len(p.list().items); marks == 0 || got != all-marks {
		t.Errorf("%d of %d are not new, %d are", got, all, marks)
	}
	drain(p, p.SetReviewed(seenTo(99)))
	if got := len(p.list().items); got != all {
		t.Errorf("%d of %d are not new when all were seen", got, all)
	}
}

func TestQuery_UsesTheStoresFilter(t *testing.T) {
	known := []versions.SessionID{"sesn_X"}
	for words, want := range map[string]versions.Filter{
		"by:agent op:delete":          {Actor: versions.Agent}, // another program may have deleted it
		"by:agent op:restored":        {Actor: versions.Agent, Kind: versions.KindRestore},
		"by:age":                      {},
		"op:re":                       {},
		"op:und":                      {},
		"op:undo":                     {},
		"op:created op:edited":        {},
		"session:sesn_x":              {Session: "sesn_X"},
		"session:sesn":                {},
		"path:Notes/":                 {In: path("/Notes")},
		"path:notes":                  {},
		"path:../":                    {},
		"since:2026-01-02 until:2026": {Since: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Microsecond)},
	} {
		if got := parse(words, start).filter(known); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q asks for %+v", words, got)
		}
	}
}

// What another program made is listed as found, and matches as created too.
func TestQuery_MatchesWhatIsFoundByBothWords(t *testing.T) {
	v := versions.Version{Operation: versions.Created, Path: path("/a.md"), Found: true, Time: start}
	for words, want := range map[string]bool{"op:found": true, "op:created": true, "op:edit": false} {
		if got := parse(words, start).version(v); got != want {
			t.Errorf("%q lets it through: %v", words, got)
		}
	}
}

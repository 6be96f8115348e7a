package tree

import (
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
	"github.com/memend/memend/versions"
)

var keyCodes = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "tab": {Code: tea.KeyTab},
}

// keys presses keys, named as in bindings and separated by blanks.
func (s *sim) keys(names string) {
	var seq []string
	for _, k := range strings.Fields(names) {
		if s.TakesText() {
			msg, ok := keyCodes[k]
			if !ok {
				msg = tea.KeyPressMsg{Code: []rune(k)[0], Text: k}
			}
			s.run(s.Update(msg))
			continue
		}
		seq = append(seq, k)
		cmd, r := s.Press(seq, 0)
		if r != keys.Partial {
			seq = nil
			s.run(cmd)
		}
	}
}

func (s *sim) typed(text string) {
	for _, r := range text {
		s.run(s.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

func (s *sim) on(p string) *sim {
	s.Reveal(at(p))
	return s
}

// names returns the visible rows.
func (s *sim) names() (out []string) {
	for _, n := range s.rows {
		out = append(out, n.path().Rel())
	}
	return out
}

// memories returns the entries among them.
func (s *sim) memories() (out []string) {
	for _, n := range s.rows {
		if !n.folder() {
			out = append(out, n.path().Rel())
		}
	}
	return out
}

func (s *sim) want(what string, got []string, want ...string) {
	s.t.Helper()
	if !slices.Equal(got, want) {
		s.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func (s *sim) rowOf(name string) string {
	for _, row := range strings.Split(ansi.Strip(s.View()), "\n") {
		if strings.Contains(row, name) {
			return row
		}
	}
	return ""
}

// asked returns the last request to the root.
func (s *sim) asked() tea.Msg {
	if len(s.asks) == 0 {
		return nil
	}
	return s.asks[len(s.asks)-1]
}

func TestChanged_MeansChangedByOthersSinceTheReview(t *testing.T) {
	s := newSim(t, sample())
	if s.Review.Changed() != 0 {
		t.Fatal("everything is new at the start")
	}
	s.store.put(claude, "people/dana.md", 1, 0)
	s.store.put(claude, "people/new.md", 1, 0)
	s.store.put(me, "people/lee.md", 1, 0)
	s.read()
	if s.Review.Changed() != 2 {
		t.Fatalf("%d are new", s.Review.Changed())
	}
	s.keys("_")
	if !strings.HasPrefix(s.rowOf("people"), "●") {
		t.Errorf("its folder hides it: %q", s.rowOf("people"))
	}
	s.keys("]")
	s.reviewed(at("people/dana.md"))
	if s.Review.Changed() != 1 || strings.HasPrefix(s.rowOf("dana.md"), "●") {
		t.Errorf("%d are new, %q", s.Review.Changed(), s.rowOf("dana.md"))
	}
	s = s.again()
	if s.Review.Changed() != 1 {
		t.Errorf("after a restart %d are new", s.Review.Changed())
	}
	s.store.put(claude, "people/dana.md", 2, 0)
	s.read()
	if s.Review.Changed() != 2 {
		t.Errorf("changed again, %d are new", s.Review.Changed())
	}
	s.keys(">")
	if _, ok := s.asks[len(s.asks)-1].(screen.MarkAllReviewed); !ok {
		t.Errorf("it asks for %v", s.asks)
	}
	if s.Review.SeeAll(); s.Review.Changed() != 0 {
		t.Errorf("all was seen, and %d are new", s.Review.Changed())
	}
}

// A reading that began before a review does not undo the review.
func TestChanged_IsNotResetByAPendingRead(t *testing.T) {
	s := newSim(t, sample())
	s.store.put(claude, "people/dana.md", 1, 0)
	s.store.put(claude, "people/kim.md", 1, 0)
	s.read()
	late, err := Read(t.Context(), s.store, s.Ask())
	if err != nil {
		t.Fatal(err)
	}
	s.reviewed(at("people/dana.md"))
	s.run(s.Load(late))
	if s.Review.Changed() != 1 || s.data.node(at("people")).changed != 1 {
		t.Errorf("%d are new", s.Review.Changed())
	}
	late, _ = Read(t.Context(), s.store, s.Ask())
	s.Review.SeeAll()
	s.run(s.Load(late))
	if s.Review.Changed() != 0 {
		t.Errorf("%d are new", s.Review.Changed())
	}
}

func TestTree_ShowsTheAgeOfAFileAndNotThatOfItsDiscovery(t *testing.T) {
	f := sample()
	f.put(versions.Actor{Kind: versions.Outside}, "found/old.md", 1, 0)
	f.entries[len(f.entries)-1].Written = clock.Add(-300 * 24 * time.Hour)
	s := newSim(t, f)
	s.SetSize(80, 30)
	for _, row := range []string{"found", "old.md"} {
		if !strings.Contains(s.rowOf(row), "10mo") {
			t.Errorf("the row is %q", s.rowOf(row))
		}
	}
}

func TestChanged_HintsAtTheReviewFirst(t *testing.T) {
	s := newSim(t, sample())
	ids := func() string {
		var out []string
		for _, e := range s.Entries()[:3] {
			out = append(out, e.ID)
		}
		return strings.Join(out, " ")
	}
	s.store.put(claude, "people/dana.md", 1, 0)
	s.read()
	s.keys("]")
	if got := ids(); got != "list.open list.next change.reviewed" {
		t.Errorf("on a changed memory the first actions are %s", got)
	}
	s.keys(".")
	s.Review.See(s.asks[len(s.asks)-1].(screen.MarkReviewed).UpTo)
	if got := ids(); strings.Contains(got, "reviewed") {
		t.Errorf("with nothing to review the first actions are %s", got)
	}
}

// The first readings of a new store come while its folder is scanned.
func TestFolders_AreFoldedIfThereAreManyOnceTheFolderIsScanned(t *testing.T) {
	f := &fakeStore{}
	s := newSim(t, f)
	s.scanned, s.undecided = false, true
	if rows := ansi.Strip(s.View()); !strings.Contains(rows, "looking at the folder…") || strings.Contains(rows, "no memories yet") {
		t.Errorf("before the scan:\n%s", rows)
	}
	for i := range openAtFirst + 1 {
		f.put(claude, fmt.Sprintf("d%d/a.md", i%7), 1, 0)
		f.put(claude, fmt.Sprintf("d%d/%d.md", i%7, i), 1, 0)
	}
	s.Scanned()
	s.read()
	if len(s.rows) != 7 {
		t.Errorf("%d rows are shown", len(s.rows))
	}
	s.keys("enter")
	s.read()
	if len(s.rows) <= 7 {
		t.Error("a folder that was opened is folded again")
	}
}

// What others deleted stays in the tree, and in the count, until the person marks it.
func TestDeletion_IsShownUntilItIsReviewed(t *testing.T) {
	f := sample()
	f.put(claude, "people/dana.md", 1, 0)
	f.change++
	f.deleted = []versions.Entry{{Kind: versions.DeletedMemory, Path: at("people/carl.md"), Memory: "mem_carl", Version: "memver_9", Change: f.change, Actor: claude, Size: 40}}
	s := newSim(t, f)
	total, _ := s.Data().Total()
	if s.Review.Changed() != 2 || s.Data().Has(at("people/carl.md")) || total != len(memoriesOf(f)) {
		t.Fatalf("%d are to be reviewed, of %d memories", s.Review.Changed(), total)
	}
	if rows := ansi.Strip(s.View()); !strings.Contains(rows, "carl.md") || !strings.Contains(rows, "gone") {
		t.Errorf("the deletion isn't shown:\n%s", rows)
	}
	s.Reveal(at("people/carl.md"))
	for _, key := range []string{"d", "r", "m", "space"} {
		s.keys(key)
		if len(f.writes) > 0 || s.Chosen.count() > 0 {
			t.Fatalf("%s acts on what is no more: %v", key, f.writes)
		}
	}
	s.keys(".")
	s.Review.See(s.asks[len(s.asks)-1].(screen.MarkReviewed).UpTo)
	f.deleted = nil
	s.read()
	if s.Review.Changed() != 1 || s.Review.ReviewState().Of["mem_carl"] != f.change {
		t.Errorf("%d are to be reviewed, %+v", s.Review.Changed(), f.reviewed)
	}
	if rows := ansi.Strip(s.View()); strings.Contains(rows, "carl.md") {
		t.Errorf("the deletion is still shown:\n%s", rows)
	}
	f.deleted = []versions.Entry{{Kind: versions.DeletedMemory, Path: at("zoe.md"), Memory: "mem_zoe", Version: "memver_10", Change: f.change + 1, Actor: claude}}
	s.read()
	upTo, n, unsee := s.Review.SeeAll()
	if s.Review.Changed() != 0 || len(n) != 2 || upTo != f.change+1 {
		t.Errorf("%d of %v are to be reviewed, up to %d", s.Review.Changed(), n, upTo)
	}
	if unsee(); s.Review.Changed() != 2 {
		t.Errorf("undone, %d are to be reviewed", s.Review.Changed())
	}
}

func memoriesOf(f *fakeStore) (out []versions.Entry) {
	for _, e := range f.entries {
		if e.Kind == versions.Memory {
			out = append(out, e)
		}
	}
	return out
}

// reviewed marks a memory as reviewed.
func (s *sim) reviewed(p memfs.Path) (unsee func()) {
	e := s.data.Entry(p)
	return s.Review.See(map[versions.MemoryID]int64{e.Memory: e.Change})
}

// Marks that could not be saved at once are saved when the store is left.
func TestSaver_SavesMarksThatAreNotSavedYet(t *testing.T) {
	s := newSim(t, sample())
	for _, p := range []string{"people/dana.md", "MEMORY.md"} {
		s.store.put(claude, p, 1, 0)
	}
	s.read()
	was := s.Review.Changed()
	s.reviewed(at("people/dana.md"))
	unsee := s.reviewed(at("MEMORY.md"))
	if s.Review.Changed() != was-2 {
		t.Errorf("%d of %d are to be reviewed", s.Review.Changed(), was)
	}
	if unsee(); s.Review.Changed() != was-1 {
		t.Errorf("undone, %d of %d are to be reviewed", s.Review.Changed(), was)
	}
	s.reviewed(at("MEMORY.md"))
	e := s.data.Entry(at("MEMORY.md"))
	s.Review.Saved(map[versions.MemoryID]int64{e.Memory: e.Change})
	s.store.writes = nil
	if err := s.Saver()(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.want("written", s.store.writes, "see 1", "view")
}

func TestStale_NeedsAnEquallyOldLedger(t *testing.T) {
	s := newSim(t, sample())
	if !s.facts.isStale(s.data.Entry(at("people/dana.md"))) {
		t.Error("unread and unchanged for 40 days is not stale")
	}
	if s.facts.isStale(s.data.Entry(at("people/lee.md"))) {
		t.Error("read two days ago is stale")
	}
	s.store.reviewed.Ledger = clock.Add(-10 * 24 * time.Hour)
	s.read()
	if s.facts.isStale(s.data.Entry(at("people/dana.md"))) {
		t.Error("nobody can know that it was not read")
	}
}

func TestSort_KeepsFoldersFirstAndTheCursor(t *testing.T) {
	s := newSim(t, sample())
	s.on("projects/release").keys("j") // checklist.md, before plan.md
	s.keys("s")
	s.want("newest", s.names()[:3], "projects", "projects/release", "projects/release/plan.md")
	if s.Here() != at("projects/release/checklist.md") {
		t.Errorf("the cursor is on %s", s.Here())
	}
	s.keys("s")
	if s.names()[0] != "projects" && s.names()[0] != "logs" {
		t.Errorf("largest: %q", s.names())
	}
	s.keys("s `")
	s.want("most read", s.names()[:3], "MEMORY.md", "projects/release/plan.md", "people/lee.md")
	if name, info := s.Title(); name != "tree" || info != "most read" {
		t.Errorf("%q %q", name, info)
	}
	s = s.again()
	if _, info := s.Title(); info != "most read" {
		t.Errorf("after a restart %q", info)
	}
}

// Names are in the order of people, not in that of bytes, also if something else is between them.
func TestSort_ByNameIgnoresCase(t *testing.T) {
	s := newSim(t, &fakeStore{reviewed: versions.ReviewState{}})
	for _, p := range []string{"d/B.md", "d/a.md", "d/c/x.md", "d/b.md", "Z.md", "d.md", "y.md"} {
		s.store.put(claude, p, 1, 0)
	}
	s.read()
	s.foldAll(true)
	s.want("rows", s.names(), "d", "d/c", "d/c/x.md", "d/a.md", "d/B.md", "d/b.md", "d.md", "y.md", "Z.md")
}

// Of two results that overlap only the latest request is shown.
func TestStale_ArrangementsAreDropped(t *testing.T) {
	s := newSim(t, sample())
	first := s.setFilter("people")
	second := s.setFilter("release")
	s.run(second)
	s.run(first)
	s.want("shown", s.memories(), "projects/release/checklist.md", "projects/release/plan.md")

	late, _ := Read(t.Context(), s.store, s.Ask())
	s.store.put(claude, "release.md", 1, 0)
	under := s.setFilter("md")
	s.read() // newer than what the filter is applied to
	s.run(under)
	if s.data.Entry(at("release.md")) == nil || s.filter.query != "md" || !slices.Contains(s.memories(), "release.md") {
		t.Errorf("an older reading came back: %q", s.memories())
	}
	s.run(s.Load(late)) // the root drops those; here the older store is shown again, with the current filter
	if s.filter.query != "md" || !slices.Contains(s.memories(), "MEMORY.md") {
		t.Errorf("%q", s.memories())
	}
}

func TestChoose_RangesFoldersAndTheRest(t *testing.T) {
	s := newSim(t, sample())
	s.on("people").keys("V j")
	if s.Chosen.count() != 2 {
		t.Errorf("%d chosen", s.Chosen.count())
	}
	s.keys("esc")
	if s.Chosen.count() != 0 {
		t.Error("esc leaves the range")
	}
	s.keys("k V j d") // people and dana.md: the folder includes its memories
	if d, ok := s.asked().(screen.Delete); !ok || !slices.Equal(d.Paths, []memfs.Path{at("people")}) {
		t.Errorf("%+v", s.asked())
	}
	s.Chosen.Clear()
	s.on("people").keys("space")
	if !strings.HasPrefix(s.rowOf("dana.md"), "✓") || strings.HasPrefix(s.rowOf("errors.json"), "✓") {
		t.Errorf("what lies in a chosen folder: %q", s.rowOf("dana.md"))
	}
	s.keys("esc /")
	s.typed("release")
	s.keys("enter ctrl+a esc")
	if _, info := s.Title(); info != "2 chosen" || s.shown != nil {
		t.Errorf("%q", info)
	}
	s.keys("y p")
	if c, ok := s.asked().(screen.Copy); !ok || c.Text != "/projects/release/checklist.md\n/projects/release/plan.md" {
		t.Errorf("%+v", s.asked())
	}
	s.on("people/dana.md").keys("shift+down m")
	if m, ok := s.asked().(screen.Move); !ok || len(m.Paths) != 2 || m.Folder != at("people") {
		t.Errorf("%+v", s.asked())
	}
}

func TestCopy_CopiesTheRowUnderTheCursor(t *testing.T) {
	s := newSim(t, sample())
	s.on("people/dana.md")
	for k, want := range map[string]string{"y p": "/people/dana.md", "y y": "content of memver_2"} {
		s.keys(k)
		if c, ok := s.asked().(screen.Copy); !ok || c.Text != want {
			t.Errorf("%s: %+v", k, s.asked())
		}
	}
	s.store.put(claude, "people/dana.md", maxCopy+1, 0)
	s.read()
	s.keys("y y")
	if n, ok := s.asked().(screen.Notice); !ok || !n.Bad {
		t.Errorf("too much: %+v", s.asked())
	}
	s.on("shared").keys("y y")
	if r, ok := s.asked().(keys.Refused); !ok {
		t.Errorf("of a link: %+v", r)
	}
}

func TestView_IsRestored(t *testing.T) {
	f := sample()
	s := newSim(t, f)
	s.on("projects/release").keys("h c")
	s.on("people/lee.md")
	s.Showing(at("MEMORY.md"))
	secret := "people/Anna-Smith-diagnosis/x.md"
	f.put(claude, secret, 1, 0)
	s.read()
	s.on(secret).keys("h h")
	s.on("people/lee.md")
	s = s.again()
	if s.Here() != at("people/lee.md") || s.Draw.columns != 1 || slices.Contains(s.names(), "projects/release/plan.md") || !slices.Contains(s.names(), "projects/api/errors.json") {
		t.Errorf("%s, %d, %q", s.Here(), s.Draw.columns, s.names())
	}
	if o, ok := s.asked().(screen.Open); !ok || o.Path != at("MEMORY.md") || !o.Stay || !o.Again {
		t.Errorf("%+v", s.asked())
	}
	if strings.Contains(string(f.view), "Anna") || strings.Contains(string(f.view), "people/Anna") {
		t.Errorf("the view names a path: %s", f.view)
	}
	f.view = []byte(`{"by":99,"columns":-1,"turned":"x"}`)
	s = newSim(t, f)
	if s.order != (order{}) || s.Draw.columns != 0 || len(s.names()) == 0 {
		t.Errorf("of nonsense: %+v %d", s.order, s.Draw.columns)
	}
}

func TestMouse_FoldsOpensChoosesAndAsks(t *testing.T) {
	s := newSim(t, sample())
	click := func(name string, button tea.MouseButton, mod tea.KeyMod) {
		t.Helper()
		i := slices.Index(s.names(), name)
		if i < 0 {
			t.Fatalf("%s is not shown: %q", name, s.names())
		}
		s.run(s.Update(tea.MouseClickMsg{X: 5, Y: i - s.at.Top, Button: button, Mod: mod}))
	}
	click("people/dana.md", tea.MouseLeft, 0)
	if o, ok := s.asked().(screen.Open); !ok || !o.Stay {
		t.Errorf("%+v", s.asked())
	}
	s.Showing(at("people/dana.md"))
	click("people/dana.md", tea.MouseLeft, 0)
	if o, ok := s.asked().(screen.Open); !ok || o.Stay {
		t.Errorf("a second click: %+v", s.asked())
	}
	click("people/lee.md", tea.MouseLeft, tea.ModCtrl)
	if !s.Chosen.paths[at("people/lee.md")] {
		t.Error("ctrl does not choose")
	}
	s.keys("esc")
	i := slices.Index(s.names(), "people/dana.md")
	click("people/dana.md", tea.MouseLeft, 0)
	s.Update(tea.MouseMotionMsg{X: 5, Y: i + 2, Button: tea.MouseLeft})
	if s.Chosen.count() != 3 {
		t.Errorf("a drag chooses %d", s.Chosen.count())
	}
	click("people/dana.md", tea.MouseRight, 0)
	ask, ok := s.asked().(screen.Choose)
	if !ok || ask.Title != "/people/dana.md" || len(ask.Options) != len(menuActions)+1 {
		t.Fatalf("%+v", s.asked())
	}
	for _, o := range ask.Options {
		if o.Label == "copy the path" {
			s.run(o.Then())
		}
	}
	if c, ok := s.asked().(screen.Copy); !ok || c.Text != "/people/dana.md" {
		t.Errorf("%+v", s.asked())
	}
	click("people", tea.MouseLeft, 0)
	if slices.Contains(s.names(), "people/dana.md") {
		t.Error("a click does not fold")
	}
	s.Update(tea.MouseClickMsg{X: 5, Y: 500, Button: tea.MouseLeft})
}

func TestKeys_AreNotBoundTwice(t *testing.T) {
	for _, p := range keys.Check(nil, Keys(nil)) {
		t.Error(p)
	}
}

func TestSavedFolds_AreLimited(t *testing.T) {
	f := &fakeStore{reviewed: versions.ReviewState{}}
	for i := range 3 * maxTurned {
		f.put(me, fmt.Sprintf("d%d/x", i), 1, 0)
	}
	s := newSim(t, f)
	for i := range 3 * maxTurned {
		s.toggled[at(fmt.Sprintf("d%d", i))] = true
	}
	if s.again(); len(f.view) > 64<<10 {
		t.Errorf("%d bytes are kept", len(f.view))
	}
}

// Commands run concurrently with the pane: the race detector finds shared state that
// changes.
func TestCommands_ShareNoStateWithThePane(t *testing.T) {
	s := newSim(t, crowd(2000))
	cmds := []tea.Cmd{s.setFilter("is:changed by:claude"), s.rearrange(), s.save()}
	s.order.by = byReads
	cmds = append(cmds, s.rearrange())
	answers := make(chan tea.Msg, len(cmds))
	for _, cmd := range cmds {
		go func() { answers <- cmd() }()
	}
	for i := range s.store.entries[:200] {
		p := s.store.entries[i*10].Path
		s.Reveal(p)
		s.reviewed(p)
		s.Chosen.paths[p] = true
		_ = s.View()
	}
	s.foldAll(true)
	for range cmds {
		s.run((<-answers).(screen.Reply).Take())
	}
	if s.shown == nil || s.Review.Changed() != 1800 {
		t.Errorf("%d are news", s.Review.Changed())
	}
}

func TestCompare_ComparesTheTwoSelected(t *testing.T) {
	s := newSim(t, sample())
	pair := func() string {
		p, ok := s.Chosen.pair()
		if !ok {
			return ""
		}
		return p[0].Path.Rel() + " " + p[1].Path.Rel()
	}
	s.on("people/lee.md")
	if pair() != "" {
		t.Errorf("with none chosen it is %s", pair())
	}
	s.keys("space")
	s.on("people/dana.md")
	want := pair()
	if want != "people/dana.md people/lee.md" && want != "people/lee.md people/dana.md" {
		t.Errorf("one is chosen, the other under the cursor: %q", want)
	}
	s.keys("space")
	s.on("MEMORY.md")
	if pair() != want {
		t.Errorf("two are chosen: %q", pair())
	}
	s.keys("D")
	if c := s.asked().(screen.Compare); c.From.Path.Rel()+" "+c.To.Path.Rel() != want || c.From.Change > c.To.Change {
		t.Errorf("asked is %+v", c)
	}
	s.keys("space")
	if pair() != "" {
		t.Errorf("of three it is %s", pair())
	}
	s.keys("esc")
	s.on("people/dana.md").keys("V")
	if pair() != "" {
		t.Errorf("of a range of one it is %s", pair())
	}
	s.keys("j")
	if pair() != want {
		t.Errorf("of a range of two it is %q", pair())
	}
	s.keys("esc esc")
	s.on("people").keys("space")
	s.on("MEMORY.md")
	if pair() != "" {
		t.Errorf("of a folder and a memory it is %s", pair())
	}
}

// The rows are those of the order that is shown, until the requested one is arranged.
func TestFlat_KeepsTheRowsUntilItIsArranged(t *testing.T) {
	s := newSim(t, sample())
	was := s.names()
	arranged, _ := s.Press([]string{"`"}, 0)
	s.Reveal(at("people/lee.md"))
	if s.Here() != at("people/lee.md") {
		t.Errorf("the cursor is on %s", s.Here())
	}
	s.want("before it is arranged", s.names(), was...)
	s.store.put(claude, "people/kim.md", 1, 0)
	s.run(arranged)
	s.read()
	if next, ok := s.Review.NextUnreviewed(at("MEMORY.md"), 1, true); !ok || next != at("people/kim.md") || s.Here() != at("people/lee.md") {
		t.Errorf("the next to review is %s, the cursor is on %s", next, s.Here())
	}
}

// A reading that began with a review has not seen that it was undone.
func TestChanged_CountsWhatWasTakenBackDuringARead(t *testing.T) {
	s := newSim(t, sample())
	s.store.put(claude, "people/dana.md", 1, 0)
	s.read()
	unsee := s.reviewed(at("people/dana.md"))
	late, err := Read(t.Context(), s.store, s.Ask())
	if err != nil {
		t.Fatal(err)
	}
	unsee()
	s.run(s.Load(late))
	if s.Review.Changed() != 1 {
		t.Errorf("%d are new", s.Review.Changed())
	}
}

// The rows of a range are those that the person saw, whatever comes or goes above them.
func TestRange_StaysAtItsEntriesWhileTheStoreChanges(t *testing.T) {
	s := newSim(t, sample())
	s.on("people/dana.md").keys("V j")
	s.store.put(claude, "a/new.md", 1, 0)
	s.read()
	if d := s.Chosen.targets(); !slices.Equal(d, []memfs.Path{at("people/dana.md"), at("people/lee.md")}) {
		t.Errorf("after a new memory the range is %v", d)
	}
	s.keys("esc")
	for what, drop := range map[string]string{"the first": "people/dana.md", "the cursor's": "people/lee.md"} {
		s := newSim(t, sample())
		s.on("people/dana.md").keys("V j")
		s.store.entries = slices.DeleteFunc(s.store.entries, func(e versions.Entry) bool { return e.Path == at(drop) })
		s.read()
		if n := s.Chosen.count(); n != 0 {
			t.Errorf("without %s entry %d are chosen", what, n)
		}
	}
	s = newSim(t, sample())
	s.on("people/dana.md").keys("V _ ")
	if n := s.Chosen.count(); n != 0 {
		t.Errorf("folded away, %d are chosen", n)
	}
}

// Only what actions can apply to is counted and marked as chosen.
func TestRange_LeavesOutWhatIsDeletedOrHasNoPath(t *testing.T) {
	f := sample()
	f.deleted = []versions.Entry{{Kind: versions.DeletedMemory, Path: at("people/carl.md"), Memory: "mem_carl", Version: "memver_9", Change: f.change + 1, Actor: claude}}
	f.entries = append(f.entries, versions.Entry{Kind: versions.Unreadable, Path: at("people"), Note: `"evil\x1b[31m.md": a name that no memory can have`})
	s := newSim(t, f)
	s.on("people").keys("V j j j j")
	if s.Chosen.count() != 3 || strings.HasPrefix(s.rowOf("carl.md"), "✓") || strings.HasPrefix(s.rowOf("evil"), "✓") {
		t.Errorf("%d are chosen:\n%s", s.Chosen.count(), ansi.Strip(s.View()))
	}
}

func TestProblem_NamesTheStoreForAShell(t *testing.T) {
	for name, want := range map[string]string{"notes": "notes", "my notes": "'my notes'", "dana's": `'dana'\''s'`} {
		if got := quoted(name); got != want {
			t.Errorf("%q is quoted as %s", name, got)
		}
	}
}

// The next memory to review is one that the filter shows: the cursor can't go to others.
func TestNextChanged_StaysInTheFilter(t *testing.T) {
	s := newSim(t, sample())
	s.store.put(claude, "inbox/from-web.md", 1, 0)
	s.store.put(claude, "people/dana.md", 1, 0)
	s.store.put(claude, "people/lee.md", 1, 0)
	s.read()
	s.keys("/")
	s.typed("people")
	s.keys("enter")
	var got []string
	for range 3 {
		s.keys("]")
		got = append(got, s.Here().Rel())
	}
	s.want("next", got, "people/lee.md", "people/dana.md", "people/lee.md")
	s.keys("/")
	s.typed("errors")
	s.keys("enter ]")
	if n, ok := s.asked().(screen.Notice); !ok || n.Text != "nothing to review in what the filter shows" {
		t.Errorf("with nothing to review in the filter it says %v", s.asked())
	}
}

func TestRename_KeepsTheFoldsOfAFolder(t *testing.T) {
	s := newSim(t, sample())
	s.on("projects/release").keys("h")
	for i := range s.store.entries {
		if e := &s.store.entries[i]; e.Path.In(at("projects")) {
			e.Path = e.Path.Move(at("projects"), at("work"))
		}
	}
	s.Moved(at("projects"), at("work"))
	s.read()
	s.want("rows", s.names()[len(s.names())-5:], "work/api", "work/api/errors.json", "work/release", "MEMORY.md", "shared")
}

// What was marked at once is saved when the store is left, if that failed, and not if it was undone.
func TestSaver_SavesAllMarksThatAreNotSavedYet(t *testing.T) {
	s := newSim(t, sample())
	for _, p := range []string{"people/dana.md", "MEMORY.md"} {
		s.store.put(claude, p, 1, 0)
	}
	s.read()
	saves := func(what string, want ...string) {
		t.Helper()
		s.store.writes = nil
		if err := s.Saver()(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.want(what, s.store.writes, want...)
	}
	s.reviewed(at("MEMORY.md"))()
	saves("undone", "view")
	_, all, unsee := s.Review.SeeAll()
	saves("all", "see 2", "view")
	unsee()
	saves("all undone", "view")
	s.Review.SeeAll()
	s.Review.Saved(all)
	saves("all saved", "view")
}

package engine_test

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

// makeStores makes stores of these names in the home.
func (w *world) makeStores(names ...string) (ids []versions.StoreID) {
	w.t.Helper()
	for _, name := range names {
		info, err := stores.CreateStore(w.t.Context(), w.trail, alice, name, "about "+name, "")
		if err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, info.ID)
	}
	return ids
}

func (w *world) attach(by versions.By, as ...versions.Attachment) *stores.Attached {
	w.t.Helper()
	a, err := stores.Attach(w.t.Context(), w.trail, by, as)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = a.Close() })
	return a
}

func TestEightStoresAttachAndANinthIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9")
	var as []versions.Attachment
	for _, id := range ids {
		as = append(as, versions.Attachment{Store: id})
	}
	if _, err := stores.Attach(t.Context(), w.trail, robot, as); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("nine: %v", err)
	}
	a := w.attach(robot, as[:8]...)
	if ms := a.Mounts(); len(ms) != 8 || ms[7] != (versions.Mount{Path: "/memories/s8", Name: "s8", Description: "about s8", Access: versions.ReadWrite, Instructions: ""}) {
		t.Errorf("mounts %+v", ms)
	}
	res, _, err := a.Tool(t.Context(), robot, memfs.Create{Path: "/memories/s8/a.md", FileText: "x"}, memfs.Options{})
	if err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	for name, bad := range map[string][]versions.Attachment{
		"none":              {},
		"one twice":         {as[0], as[0]},
		"a nonsense access": {{Store: ids[0], Access: "write_only"}},
		"long instructions": {{Store: ids[0], Instructions: strings.Repeat("x", 4097)}},
		"no UTF-8":          {{Store: ids[0], Instructions: "\xff"}},
	} {
		if _, err := stores.Attach(t.Context(), w.trail, versions.By{Actor: robot.Actor, Session: "sesn_bad"}, bad); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := stores.Attach(t.Context(), w.trail, versions.By{Actor: robot.Actor}, as[:1]); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("no session: %v", err)
	}
	if _, err := stores.Attach(t.Context(), w.trail, versions.By{Actor: robot.Actor, Session: "sesn_bad"}, []versions.Attachment{{Store: "memstore_none"}}); !errors.Is(err, versions.ErrNoStore) {
		t.Errorf("no such store: %v", err)
	}
}

func TestAnAttachmentHoldsForEveryMutationInEveryProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "mine", "x")
	ids := w.makeStores("team", "own")
	team, err := w.trail.OpenStore(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	made, err := team.Write(t.Context(), alice, mustPath("a"), []byte("x"), versions.Pre{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := team.VersionAt(t.Context(), mustPath("a"), 0)
	if err != nil {
		t.Fatal(err)
	}
	w.attach(robot, versions.Attachment{Store: ids[0], Access: versions.ReadOnly}, versions.Attachment{Store: ids[1]})
	other, err := vengine.Open(t.Context(), w.home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, trail := range []*core.Trail{w.trail, other} {
		for id, want := range map[versions.StoreID]error{ids[0]: versions.ErrReadOnly, w.store.Info().ID: versions.ErrUnattached} {
			s, err := trail.OpenStore(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			for name, act := range map[string]func() (versions.Change, error){
				"write": func() (versions.Change, error) {
					return s.Write(t.Context(), robot, mustPath("b"), []byte("x"), versions.Pre{})
				},
				"rename":  func() (versions.Change, error) { return s.Rename(t.Context(), robot, mustPath("a"), mustPath("b")) },
				"delete":  func() (versions.Change, error) { return s.Delete(t.Context(), robot, mustPath("a")) },
				"undo":    func() (versions.Change, error) { return plan.Do(t.Context(), s, robot, plan.UndoChange(made.Number)) },
				"redo":    func() (versions.Change, error) { return plan.Do(t.Context(), s, robot, plan.RedoChange(made.Number)) },
				"restore": func() (versions.Change, error) { return plan.Do(t.Context(), team, robot, plan.Restore(v.ID)) },
				"expire": func() (versions.Change, error) {
					c, _, err := vhistory.Expire(t.Context(), s, robot, &versions.StalePlan{})
					return c, err
				},
			} {
				if name == "restore" && id != ids[0] {
					continue
				}
				if c, err := act(); !errors.Is(err, want) || c.Number != 0 {
					t.Errorf("%s in %s: %+v, %v", name, s.Info().Name, c, err)
				}
			}
			if res, _, err := s.Tool(t.Context(), robot, memfs.Create{Path: "/memories/b", FileText: "x"}, memfs.Options{}); err != nil ||
				res != (memfs.Result{Text: "Error: Could not create /memories/b: " + want.Error(), IsError: true}) {
				t.Errorf("tool: %+v, %v", res, err)
			}
			if res, _, err := s.Tool(t.Context(), robot, memfs.View{Path: "/memories"}, memfs.Options{}); err != nil || res.IsError {
				t.Errorf("view: %+v, %v", res, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	w.write(alice, "mine", "others may") // who is attached to nothing
	for _, id := range ids {
		s, err := other.OpenStore(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Write(t.Context(), versions.By{Actor: robot.Actor, Session: "sesn_free"}, mustPath("free"), []byte("x"), versions.Pre{})
		if err != nil {
			t.Errorf("a session without attachments: %v", err)
		}
		_ = s.Close()
	}
}

func TestASessionKeepsTheStoresThatItBeganWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("one", "two")
	w.attach(robot, versions.Attachment{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}, versions.Attachment{Store: ids[1]})
	w.attach(robot, versions.Attachment{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}, versions.Attachment{Store: ids[1], Access: versions.ReadWrite, Instructions: ""}) // a second process
	for name, as := range map[string][]versions.Attachment{
		"fewer":              {{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}},
		"more":               {{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}, {Store: ids[1]}, {Store: w.store.Info().ID}},
		"another":            {{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}, {Store: w.store.Info().ID}},
		"more access":        {{Store: ids[0], Access: versions.ReadWrite, Instructions: "be careful"}, {Store: ids[1]}},
		"other instructions": {{Store: ids[0], Access: versions.ReadOnly, Instructions: "be bold"}, {Store: ids[1]}},
	} {
		if _, err := stores.Attach(t.Context(), w.trail, robot, as); !errors.Is(err, versions.ErrAttached) {
			t.Errorf("%s: %v", name, err)
		}
	}
	prompt := w.attach(robot, versions.Attachment{Store: ids[0], Access: versions.ReadOnly, Instructions: "be careful"}, versions.Attachment{Store: ids[1]}).Prompt()
	want := "Memory stores attached to this session:\n\n" +
		"/memories/one (store \"one\"; you may read it, writing is refused)\nabout one\nbe careful\n\n" +
		"/memories/two (store \"two\"; you may read and write it)\nabout two\n"
	if prompt != want {
		t.Errorf("prompt %q", prompt)
	}
}

func TestSeveralStoresAreFoldersOfOneTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("tools", "team", "a b.c")
	a := w.attach(robot, versions.Attachment{Store: ids[0]}, versions.Attachment{Store: ids[1], Access: versions.ReadOnly}, versions.Attachment{Store: ids[2]})
	team, err := w.trail.OpenStore(t.Context(), ids[1])
	if err != nil {
		t.Fatal(err)
	}
	defer team.Close()
	if _, err := team.Write(t.Context(), alice, mustPath("sub/rules.md"), []byte("12345"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	const below = "Error: Could not %s: /memories holds the attached memory stores and nothing else; write below /memories/tools or /memories/team or /memories/a b.c"
	for _, step := range []struct {
		c       memfs.Command
		want    string
		isError bool
	}{
		{memfs.Create{Path: "/memories/tools/x/a.md", FileText: "one\ntwo\n"}, "File created successfully at: /memories/tools/x/a.md", false},
		{memfs.View{Path: "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
			"13B\t/memories\n0B\t/memories/a b.c/\n5B\t/memories/team/\n5B\t/memories/team/sub/\n8B\t/memories/tools/\n8B\t/memories/tools/x/", false},
		{memfs.View{Path: "/memories/tools/"}, "Here're the files and directories up to 2 levels deep in /memories/tools, excluding hidden items and node_modules:\n" +
			"8B\t/memories/tools\n8B\t/memories/tools/x/\n8B\t/memories/tools/x/a.md", false},
		{memfs.View{Path: "/memories/team/sub/rules.md"}, "Here's the content of /memories/team/sub/rules.md with line numbers:\n     1\t12345", false},
		{memfs.StrReplace{Path: "/memories/tools/x/a.md", OldStr: "two", NewStr: "2"}, "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tone\n     2\t2\n     3\t", false},
		{memfs.Insert{Path: "/memories/tools/x/a.md", InsertLine: 9, InsertText: "z"}, "Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 3]", true},
		{memfs.Insert{Path: "/memories/tools/x/a.md", InsertText: "zero"}, "The file /memories/tools/x/a.md has been edited.", false},
		{memfs.Rename{OldPath: "/memories/tools/x/a.md", NewPath: "/memories/tools/b.md"}, "Successfully renamed /memories/tools/x/a.md to /memories/tools/b.md", false},

		{memfs.Create{Path: "/memories/team/new.md"}, "Error: Could not create /memories/team/new.md: the store is attached read-only", true},
		{memfs.Delete{Path: "/memories/team/sub"}, "Error: Could not delete /memories/team/sub: the store is attached read-only", true},
		{memfs.Rename{OldPath: "/memories/tools/b.md", NewPath: "/memories/a b.c/b.md"},
			"Error: Could not rename /memories/tools/b.md to /memories/a b.c/b.md: they lie in different memory stores; create the file in the other one, then delete it here", true},
		{memfs.Rename{OldPath: "/memories/tools/none", NewPath: "/memories/a b.c/b.md"}, "Error: The path /memories/tools/none does not exist", true},
		{memfs.Rename{OldPath: "/memories/tools/b.md", NewPath: "/memories/team/sub/rules.md"}, "Error: The destination /memories/team/sub/rules.md already exists", true},
		{memfs.Rename{OldPath: "/memories/tools/b.md", NewPath: "/memories/team"}, "Error: The destination /memories/team already exists", true},
		{memfs.Rename{OldPath: "/memories/tools/b.md", NewPath: "/memories/b.md"}, fmt.Sprintf(below, "rename /memories/tools/b.md to /memories/b.md"), true},
		{memfs.Rename{OldPath: "/memories/tools", NewPath: "/memories/elsewhere"}, "Error: Could not rename /memories/tools to /memories/elsewhere: it is the folder of an attached memory store", true},
		{memfs.Rename{OldPath: "/memories", NewPath: "/memories/tools/x/y"}, "Error: Cannot rename the /memories directory itself", true},
		{memfs.Delete{Path: "/memories/tools"}, "Error: Could not delete /memories/tools: it is the folder of an attached memory store", true},
		{memfs.Delete{Path: "/memories/"}, "Error: Cannot delete the /memories directory itself", true},
		{memfs.Delete{Path: "/memories/nosuch"}, "Error: The path /memories/nosuch does not exist", true},
		{memfs.Create{Path: "/memories/new.md"}, fmt.Sprintf(below, "create /memories/new.md"), true},
		{memfs.Create{Path: "/memories/nosuch/new.md"}, fmt.Sprintf(below, "create /memories/nosuch/new.md"), true},
		{memfs.Create{Path: "/memories/tools"}, "Error: File /memories/tools already exists", true},
		{memfs.Create{Path: "/memories"}, "Error: File /memories already exists", true},
		{memfs.StrReplace{Path: "/memories/tools", OldStr: "x"}, "Error: The path /memories/tools does not exist. Please provide a valid path.", true},
		{memfs.View{Path: "/memories/nosuch"}, "The path /memories/nosuch does not exist. Please provide a valid path.", true},
		{memfs.View{Path: "/memories/tools/../team"}, "Error: Path /memories/tools/../team would escape /memories directory", true},
		{memfs.View{Path: "/etc/passwd"}, "Error: Path must start with /memories, got: /etc/passwd", true},
		{memfs.Rename{OldPath: "/memories/tools/b.md", NewPath: "/etc/x"}, "Error: Path must start with /memories, got: /etc/x", true},
		{memfs.Delete{Path: "/memories/tools/x"}, "Successfully deleted /memories/tools/x", false},
	} {
		by := robot
		by.ToolUse = "" // each is a call of its own
		res, _, err := a.Tool(t.Context(), by, step.c, memfs.Options{})
		if err != nil || res.Text != step.want || res.IsError != step.isError {
			t.Errorf("%+v:\n%q, %v\nwant\n%q", step.c, res.Text, err, step.want)
		}
	}
	if err := w.trail.FlushReads(t.Context()); err != nil {
		t.Fatal(err)
	}
	rules, err := vhistory.Entry(t.Context(), team, mustPath("sub/rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	if rs, _, err := vhistory.Reads(t.Context(), team, rules.Memory, "", 9); err != nil || len(rs) != 1 || w.ledgerRows() != 1 {
		t.Errorf("reads %+v, %v", rs, err)
	}
}

// Below its folder a mounted store answers as it would alone.
func TestAMountedStoreAnswersAsItDoesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("alone", "mounted", "beside")
	alone, err := w.trail.OpenStore(t.Context(), ids[0])
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	a := w.attach(robot, versions.Attachment{Store: ids[1]}, versions.Attachment{Store: ids[2]})
	for _, name := range []string{"alone", "mounted"} {
		folder := filepath.Join(w.home, "stores", name)
		if err := errors.Join(os.MkdirAll(filepath.Join(folder, "d"), 0o700),
			os.Symlink("d", filepath.Join(folder, "in")), os.Symlink("../../../x", filepath.Join(folder, "out")),
			os.Symlink("nowhere", filepath.Join(folder, "dangling")), os.Symlink("loop", filepath.Join(folder, "loop")),
			os.Symlink("no\x01name", filepath.Join(folder, "weird")), os.Symlink(".", filepath.Join(folder, "self")),
			os.WriteFile(filepath.Join(folder, "bin"), []byte("\xff"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	paths := []string{"/a.md", "/d", "/d/b.md", "/in/b.md", "/in", "/out", "/out/x", "/dangling", "/loop", "/loop/x", "/bin", "/a.md/below", "/weird", "/weird/x", "/self/a.md",
		"//a.md/", "/./d//b.md", "/d/../a.md", "/%2e%2e/a.md", "/new/deep/c.md", "/.hidden", "/node_modules/x", "/\x1b", "/" + strings.Repeat("n", 256)}
	r := rand.New(rand.NewSource(testSeed(t)))
	for range 2000 / *caseEach {
		p, q := paths[r.Intn(len(paths))], paths[r.Intn(len(paths))]
		command := []func(at string) memfs.Command{
			func(at string) memfs.Command { return memfs.View{Path: at + p} },
			func(at string) memfs.Command { return memfs.View{Path: at} },
			func(at string) memfs.Command { return memfs.Create{Path: at + p, FileText: "one\ntwo\n"} },
			func(at string) memfs.Command { return memfs.StrReplace{Path: at + p, OldStr: "two", NewStr: "twotwo"} },
			func(at string) memfs.Command { return memfs.Insert{Path: at + p, InsertLine: 1, InsertText: "x"} },
			func(at string) memfs.Command { return memfs.Delete{Path: at + p} },
			func(at string) memfs.Command { return memfs.Rename{OldPath: at + p, NewPath: at + q} },
		}[r.Intn(7)]
		want, wantChange, err := alone.Tool(t.Context(), robot2, command("/memories"), memfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		mounted := robot
		mounted.ToolUse = "" // each is a call of its own
		got, change, err := a.Tool(t.Context(), mounted, command("/memories/mounted"), memfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got.Text = strings.ReplaceAll(got.Text, "/memories/mounted", "/memories")
		if got != want || change.Path != wantChange.Path || change.Kind != wantChange.Kind || change.To != wantChange.To {
			t.Fatalf("%+v: %q %+v\nalone it is %q %+v", command("/memories"), got.Text, change, want.Text, wantChange)
		}
	}
}

func TestAStoreIsMountedUnderAUsableName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("漢", 90) // 270 bytes
	ids := w.makeStores("node_modules", "node-modules", "Über den Dächern", "%2e%2e")
	folder := t.TempDir()
	info, err := stores.CreateStore(t.Context(), w.trail, alice, long, "", folder)
	if err != nil {
		t.Fatal(err)
	}
	var as []versions.Attachment
	for _, id := range append(ids, info.ID) {
		as = append(as, versions.Attachment{Store: id})
	}
	var got []string
	a := w.attach(robot, as...)
	for _, m := range a.Mounts() {
		got = append(got, m.Path)
		if res, _, err := a.Tool(t.Context(), robot, memfs.Create{Path: m.Path + "/x", FileText: "x"}, memfs.Options{}); err != nil || res.IsError {
			t.Errorf("%s: %+v, %v", m.Path, res, err)
		}
	}
	want := "/memories/node-modules-2 /memories/node-modules /memories/Über den Dächern /memories/-2e-2e /memories/-"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("mounted at %s, want %s", s, want)
	}
	if res, _, err := a.Tool(t.Context(), robot, memfs.View{Path: "/memories"}, memfs.Options{}); err != nil || strings.Count(res.Text, "\n") != 11 {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestOneAttachedStoreIsMemoriesItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.attach(robot, versions.Attachment{Store: w.store.Info().ID})
	res, c, err := a.Tool(t.Context(), versions.By{Actor: robot.Actor, Session: "sesn_other"}, memfs.Create{Path: "/memories/a", FileText: "x"}, memfs.Options{})
	if err != nil || res.IsError || c.Session != robot.Session {
		t.Errorf("%+v, %+v, %v", res, c, err)
	}
	if ms := a.Mounts(); len(ms) != 1 || ms[0].Path != "/memories" {
		t.Errorf("%+v", ms)
	}
}

var robot2 = versions.By{Actor: robot.Actor, Session: "sesn_robot2"}

// administering are the operations on stores as a whole, and what erases for good. Each
// works on a store of its own.
var administering = map[string]func(*world, versions.By, versions.StoreID) error{
	"make": func(w *world, by versions.By, _ versions.StoreID) error {
		_, err := stores.CreateStore(w.t.Context(), w.trail, by, "new", "", "")
		return err
	},
	"connect": func(w *world, by versions.By, _ versions.StoreID) error {
		_, err := replica.Connect(w.t.Context(), w.trail, by, versions.Remote{URL: "http://there", Store: "memstore_there"}, versions.HostedStore{Name: "there"}, "")
		return err
	},
	"describe": func(w *world, by versions.By, id versions.StoreID) error {
		text := "described"
		_, err := stores.Update(w.t.Context(), w.trail, by, id, versions.StoreUpdate{Description: &text})
		return err
	},
	"limit": func(w *world, by versions.By, id versions.StoreID) error {
		return stores.SetLimits(w.t.Context(), w.trail, by, id, versions.Limits{Bytes: 7})
	},
	"move": func(w *world, by versions.By, id versions.StoreID) error {
		return stores.MoveStore(w.t.Context(), w.trail, by, id, w.t.TempDir())
	},
	"archive": func(w *world, by versions.By, id versions.StoreID) error {
		_, err := stores.Archive(w.t.Context(), w.trail, by, id)
		return err
	},
	"unarchive": func(w *world, by versions.By, id versions.StoreID) error {
		_, err := stores.Unarchive(w.t.Context(), w.trail, by, id)
		return err
	},
	"delete": func(w *world, by versions.By, id versions.StoreID) error {
		_, err := stores.Delete(w.t.Context(), w.trail, by, id, versions.Scrub{})
		return err
	},
	"delete at the service": func(w *world, by versions.By, id versions.StoreID) error {
		info, _, err := core.StoreByID(w.t.Context(), w.trail, id)
		if err != nil {
			return err
		}
		if err = replica.DeleteUpstreamStore(w.t.Context(), w.trail, by, info); errors.Is(err, versions.ErrNoUpstream) { // as far as it gets here
			err = nil
		}
		return err
	},
	"import a history": func(w *world, by versions.By, id versions.StoreID) error {
		return w.within(id, func(s *core.Store) error {
			_, err := exchange.Import(w.t.Context(), s, by, func(func(versions.Item, error) bool) {})
			return err
		})
	},
	"import files": func(w *world, by versions.By, id versions.StoreID) error {
		return w.within(id, func(s *core.Store) error {
			_, err := exchange.ImportFiles(w.t.Context(), s, by, []versions.NewFile{{Path: mustPath("imported"), Content: []byte("x")}}, false)
			return err
		})
	},
	"redact": func(w *world, by versions.By, id versions.StoreID) error {
		return w.within(id, func(s *core.Store) error {
			if _, err := s.Write(w.t.Context(), alice, mustPath("a"), []byte("secret"), versions.Pre{}); err != nil {
				return err
			}
			p, err := redact.Prepare(w.t.Context(), s, versions.RedactTarget{Match: []byte("secret")})
			if err == nil {
				_, err = redact.Do(w.t.Context(), s, by, p, versions.RedactChoice{Heads: versions.HeadDelete})
			}
			return err
		})
	},
}

func (w *world) within(id versions.StoreID, do func(*core.Store) error) error {
	w.t.Helper()
	s, err := w.trail.OpenStore(w.t.Context(), id)
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

func TestASessionWithAttachedStoresAdministersNone(t *testing.T) {
	t.Parallel()
	for what, do := range administering {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			ids := w.makeStores("mine", "other", "third")
			a := w.attach(robot, versions.Attachment{Store: ids[0]})
			must(w, a.Close())
			for _, c := range []struct {
				who string
				by  versions.By
				is  error
			}{
				{"the session", robot, versions.ErrAdministers},
				{"somebody else in its session", versions.By{Actor: alice.Actor, Session: robot.Session}, versions.ErrAdministers},
				{"an agent that does not name its session", versions.By{Actor: robot.Actor}, versions.ErrUnidentified},
				{"nobody", versions.By{}, versions.ErrUnidentified},
				{"nobody in a session of its own", versions.By{Session: "sesn_free"}, versions.ErrUnidentified},
			} {
				for _, id := range ids[:2] {
					if err := do(w, c.by, id); !errors.Is(err, c.is) {
						t.Errorf("%s, store %s: %v", c.who, id, err)
					}
				}
			}
			err := do(w, versions.By{Actor: robot.Actor, Session: "sesn_free"}, ids[2])
			if onlyPersons := what == "redact"; onlyPersons && !errors.Is(err, versions.ErrPersonsOnly) || !onlyPersons && err != nil {
				t.Errorf("another session: %v", err)
			}
		})
	}
}

package memfs

import (
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeAcceptsToolInputAndWholeBlocks(t *testing.T) {
	for _, c := range []struct {
		raw     string
		want    Command
		id      string
		refusal string
	}{
		{`{"command":"view","path":"/memories","more":1}`, View{Path: "/memories"}, "", ""},
		{`{"command":"view","path":"/memories/a","view_range":[2,-1]}`, View{"/memories/a", &[2]int64{2, -1}}, "", ""},
		{`{"command":"view","path":"/memories/a","view_range":[2]}`, View{Path: "/memories/a"}, "", ""},
		{`{"type":"tool_use","id":"toolu_1","name":"memory","input":{"command":"delete","path":"/memories/a"}}`, Delete{"/memories/a"}, "toolu_1", ""},
		{`{"command":"str_replace","path":"/memories/a","old_str":"x"}`, StrReplace{"/memories/a", "x", ""}, "", ""},
		{`{"command":"create","path":"/memories/a","file_text":"\ud800"}`, Create{"/memories/a", "\ufffd"}, "", ""},
		{`{"type":"tool_use","id":"toolu_1","name":"bash","input":{"command":"delete","path":"/memories/a"}}`, nil, "toolu_1", "Error: unknown tool bash"},
		{`{"type":"tool_use","id":"toolu_1","name":"memory"}`, nil, "toolu_1", "Error: the input is not a JSON object"},
		{`{"Command":"view","path":"/memories"}`, nil, "", "Error: missing or invalid `command`"},
		{`{"command":"insert","path":"/memories/a","insert_line":1e0,"insert_text":"x"}`, nil, "", "Error: missing or invalid `insert_line`"},
		{`{"command":"view"`, nil, "", "Error: the input is not a JSON object"},
	} {
		got, id, refused := Decode([]byte(c.raw))
		text := ""
		if refused != nil {
			text = refused.Text
		}
		if !reflect.DeepEqual(got, c.want) || id != c.id || text != c.refusal {
			t.Errorf("%s\n decodes to %#v, %q, %q\n want       %#v, %q, %q", c.raw, got, id, text, c.want, c.id, c.refusal)
		}
	}
}

func TestOptionsOverwriteAndLimits(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "one\ntwo\nthree")
	link(t, d, "in", "a.md")
	link(t, d, "out", "../canary")
	do := func(c Command, o Options) Result {
		t.Helper()
		plan, result, err := Apply(d, c, o)
		if err == nil {
			err = d.do(plan)
		}
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError && len(plan.Ops) > 0 {
			t.Errorf("%v: a plan beside %q", c, result.Text)
		}
		return result
	}
	if got := do(Create{"/memories/b.md", "12345"}, Options{MaxBytes: 4}); got.Text != "Error: File /memories/b.md would have 5 bytes; the limit is 4. Keep it shorter, or split it into several files" {
		t.Error(got.Text)
	}
	if got := do(Insert{"/memories/a.md", 0, "x"}, Options{MaxBytes: 4}); !got.IsError {
		t.Error(got.Text)
	}
	// An edit that makes a file smaller is the way back under the limit.
	if got := do(StrReplace{"/memories/a.md", "three", ""}, Options{MaxBytes: 4}); got.IsError {
		t.Error(got.Text)
	}
	if got := do(Create{"/memories/out", "x"}, Options{Overwrite: true}); !got.IsError {
		t.Error("wrote through a link out:", got.Text)
	}
	if got := do(Create{"/memories/in", "new"}, Options{Overwrite: true}); got.IsError {
		t.Error(got.Text)
	}
	if got, _ := os.ReadFile(d.host("a.md")); string(got) != "new" {
		t.Errorf("the link's target is %q", got)
	}
	checkCanary(t, d)
}

func TestFolderSizeIsTheSumOfVisibleRegularFilesBelow(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", strings.Repeat("x", 100))
	put(t, d, "d/e/f/deep.md", strings.Repeat("x", 1000))
	put(t, d, "d/.hidden", strings.Repeat("x", 5000))
	put(t, d, "d/node_modules/m.js", strings.Repeat("x", 5000))
	link(t, d, "d/l.md", "../a.md")
	link(t, d, "l", "d")
	want := "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n" +
		"1.1K\t/memories\n100B\t/memories/a.md\n1000B\t/memories/d/\n1000B\t/memories/d/e/\n100B\t/memories/d/l.md\n" +
		"1000B\t/memories/l/\n1000B\t/memories/l/e/\n100B\t/memories/l/l.md"
	if got := d.run([]byte(`{"command":"view","path":"/memories"}`)); got.Text != want {
		t.Errorf("listing is\n%s\nwant\n%s", got.Text, want)
	}
}

func TestPlanDeleteNamesEveryStepDeepestFirst(t *testing.T) {
	d := newDir(t)
	put(t, d, "d/b/x.md", "x")
	put(t, d, "d/.hidden", "x")
	put(t, d, "keep.md", "x")
	link(t, d, "d/out", "../../canary")
	link(t, d, "ld", "d")
	plan, err := PlanDelete(d, at(t, "d"), at(t, "d/b/x.md"), at(t, "ld/b"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, op := range plan.Ops {
		got = append(got, op.Path.String())
	}
	want := []string{"/d/.hidden", "/d/b/x.md", "/d/b", "/d/out", "/d"}
	if !reflect.DeepEqual(got, want) || plan.Act != ActDelete || plan.Path != at(t, "d") {
		t.Errorf("the plan is %v of %v %v, want %v", plan.Act, plan.Path, got, want)
	}
	if err := d.do(plan); err != nil {
		t.Fatal(err)
	}
	checkCanary(t, d)
	if _, err := PlanDelete(d, at(t, "keep.md"), Root); !errors.Is(err, ErrIsRoot) {
		t.Error("deleting the root:", err)
	}
}

func TestRenameIntoItselfChangesNothing(t *testing.T) {
	d := newDir(t)
	put(t, d, "a/x.md", "x")
	got := d.run([]byte(`{"command":"rename","old_path":"/memories/a","new_path":"/memories/a/b/c"}`))
	if got.Text != "Error: Cannot rename /memories/a into itself" {
		t.Error(got.Text)
	}
	if _, err := os.Lstat(d.host("a/b")); err == nil {
		t.Error("it made a/b")
	}
}

func TestPlanWriteCreatesOrReplacesThroughInsideLinks(t *testing.T) {
	d := newDir(t)
	put(t, d, "v2/a.md", "old")
	link(t, d, "cur", "v2")
	link(t, d, "l.md", "v2/a.md")
	for _, c := range []struct {
		path, real string
		act        Act
	}{
		{"cur/a.md", "/v2/a.md", ActEdit},
		{"l.md", "/v2/a.md", ActEdit},
		{"cur/n/b.md", "/v2/n/b.md", ActCreate},
	} {
		plan, err := PlanWrite(d, at(t, c.path), []byte("new"))
		if err != nil || plan.Act != c.act || plan.Path.String() != c.real || plan.Ops[0].MustBeNew != (c.act == ActCreate) {
			t.Errorf("%s: %+v, %v", c.path, plan, err)
		}
	}
	_, err := PlanWrite(d, at(t, "v2"), nil)
	wantErr(t, err, ErrIsFolder)
	_, err = PlanWrite(d, at(t, "v2/a.md/below"), nil)
	wantErr(t, err, ErrNotFolder)
}

func TestOpenReadsRangesThroughInsideLinks(t *testing.T) {
	d := newDir(t)
	put(t, d, "v2/a.md", "0123456789")
	link(t, d, "l.md", "v2/a.md")
	f, err := d.Open(at(t, "l.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 4)
	if n, err := f.ReadAt(b, 3); n != 4 || err != nil || string(b) != "3456" {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if n, err := f.ReadAt(b, 8); n != 2 || err != io.EOF {
		t.Errorf("at the end read %d, %v", n, err)
	}
	if f.Size() != 10 || f.Info().Path != at(t, "v2/a.md") {
		t.Errorf("opened %+v", f.Info())
	}
}

package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memend/memend/versions"
)

func TestSixToolsWriteReadEditAndDelete(t *testing.T) {
	t.Parallel()
	c := newWorld(t, nil).connect("six", nil)
	made := into[writeOut](c, "memory_write", args{"path": "/memories/notes/a.md", "content": "one\ntwo\n", "precondition": args{"type": "not_exists"}})
	if made.Operation != "created" || made.Path != "/memories/notes/a.md" || made.Size != 8 || made.Change != 1 || !strings.HasPrefix(made.Version, "memver_") {
		t.Errorf("%+v", made)
	}
	read := into[readOut](c, "memory_read", args{"path": "/memories/notes/a.md"})
	if read.Content != "one\ntwo\n" || read.SHA256 != made.SHA256 || read.Version != made.Version || read.Lines != 3 || read.Time == "" {
		t.Errorf("%+v", read)
	}
	if part := into[readOut](c, "memory_read", args{"path": "/memories/notes/a.md", "first_line": 2, "last_line": 2}); part.Content != "two\n" || part.SHA256 != made.SHA256 || part.Size != 8 {
		t.Errorf("%+v", part)
	}
	same := into[writeOut](c, "memory_write", args{"path": "/memories/notes/a.md", "content": "one\ntwo\n"})
	if same.Operation != "unchanged" || same.SHA256 != made.SHA256 || same.Change != 0 {
		t.Errorf("%+v", same)
	}
	edited := into[writeOut](c, "memory_edit", args{"path": "/memories/notes/a.md", "old_str": "two", "new_str": "three", "precondition": args{"type": "content_sha256", "content_sha256": made.SHA256}})
	if edited.Operation != "modified" || edited.Size != 10 || edited.SHA256 == made.SHA256 {
		t.Errorf("%+v", edited)
	}
	if now := into[readOut](c, "memory_read", args{"path": "/memories/notes/a.md"}); now.Content != "one\nthree\n" || now.SHA256 != edited.SHA256 {
		t.Errorf("%+v", now)
	}
	gone := into[writeOut](c, "memory_delete", args{"path": "/memories/notes/a.md", "expected_content_sha256": edited.SHA256})
	if gone.Operation != "deleted" || gone.Version == "" || gone.Change != 3 {
		t.Errorf("%+v", gone)
	}
}

func TestSixToolsExplainRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c := w.connect("six", nil)
	w.write("a.md", "one\none\n")
	w.write("b/c.md", "x")
	folder := w.store.Info().Folder
	if err := os.WriteFile(filepath.Join(folder, "raw.bin"), []byte("\xff\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(folder, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(folder, "raw.bin"), 2); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "long.md"), []byte(strings.Repeat("line\n", maxRead/5+1)), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Repeat("ab", 32)
	for _, try := range []struct {
		tool string
		args args
		says string
	}{
		{"memory_read", args{"path": "/memories/none.md"}, "no such memory"},
		{"memory_read", args{"path": "/memories/b"}, "is a folder"},
		{"memory_read", args{"path": "/memories"}, "is a folder"},
		{"memory_read", args{"path": "/etc/passwd"}, "does not start with /memories"},
		{"memory_read", args{"path": "/memories/../x"}, "would escape"},
		{"memory_read", args{"path": "/memories/out"}, "leaves the store"},
		{"memory_read", args{"path": "/memories/raw.bin"}, "not UTF-8"},
		{"memory_read", args{"path": "/memories/long.md"}, "request some of its lines"},
		{"memory_read", args{}, "path"},
		{"memory_read", args{"path": 7}, "path"},
		{"memory_read", args{"path": "/memories/a.md", "nonsense": 1}, "nonsense"},
		{"memory_write", args{"path": "/memories/b", "content": "x"}, "is a folder"},
		{"memory_write", args{"path": "/memories/a.md/x", "content": "x"}, "is not a folder"},
		{"memory_write", args{"path": "/memories/out", "content": "x"}, "leaves the store"},
		{"memory_write", args{"path": "/memories/a.md", "content": "x", "precondition": args{"type": "not_exists"}}, "memory_precondition_failed"},
		{"memory_write", args{"path": "/memories/a.md", "content": "x", "precondition": args{"type": "content_sha256", "content_sha256": wrong}}, "is now"},
		{"memory_write", args{"path": "/memories/none.md", "content": "x", "precondition": args{"type": "content_sha256", "content_sha256": wrong}}, "no memory at this path"},
		{"memory_write", args{"path": "/memories/a.md", "content": "x", "precondition": args{"type": "content_sha256"}}, "64 hexadecimal digits"},
		{"memory_write", args{"path": "/memories/a.md", "content": "x", "precondition": args{"type": "whim"}}, "not_exists"},
		{"memory_write", args{"path": "/memories/a.md", "content": strings.Repeat("x", versions.DefaultBytes+1)}, "the limit is 102400"},
		{"memory_edit", args{"path": "/memories/a.md", "old_str": "one", "new_str": "two"}, "appears 2 times"},
		{"memory_edit", args{"path": "/memories/a.md", "old_str": "three"}, "verbatim"},
		{"memory_edit", args{"path": "/memories/a.md", "old_str": ""}, "empty"},
		{"memory_edit", args{"path": "/memories/raw.bin", "old_str": "x"}, "not UTF-8"},
		{"memory_edit", args{"path": "/memories/none.md", "old_str": "x"}, "no such memory"},
		{"memory_edit", args{"path": "/memories/b/c.md", "old_str": "x", "precondition": args{"type": "content_sha256", "content_sha256": wrong}}, "memory_precondition_failed"},
		{"memory_edit", args{"path": "/memories/b/c.md", "old_str": "x", "precondition": args{"type": "not_exists"}}, "can't be edited"},
		{"memory_delete", args{"path": "/memories/b"}, "is a folder"},
		{"memory_delete", args{"path": "/memories"}, "the store's folder itself"},
		{"memory_delete", args{"path": "/memories/out"}, "not a regular file"},
		{"memory_delete", args{"path": "/memories/none.md"}, "no such memory"},
		{"memory_delete", args{"path": "/memories/a.md", "expected_content_sha256": wrong}, "memory_precondition_failed"},
		{"memory_delete", args{"path": "/memories/a.md", "expected_content_sha256": "ab"}, "64 hexadecimal digits"},
		{"memory_search", args{"query": "  "}, "it is empty"},
		{"memory_search", args{"query": "(", "regexp": true}, "query"},
		{"memory_search", args{"query": "x", "path": "/memories/none"}, "no such memory"},
		{"memory_search", args{"query": "x", "limit": 1000}, "1 to 100"},
		{"memory_list", args{"depth": 2}, "0 or 1"},
		{"memory_list", args{"page": "~"}, "next_page of an earlier result"},
		{"memory_list", args{"path": "memories"}, "does not start with /memories"},
	} {
		text, bad := c.call(try.tool, try.args)
		if !bad || !strings.Contains(text, try.says) {
			t.Errorf("%s %v: %v, %s", try.tool, try.args, bad, text)
		}
		if strings.Contains(text, folder) || strings.Contains(text, "root:x") {
			t.Errorf("%s %v tells of this machine: %s", try.tool, try.args, text)
		}
	}
	for _, c := range w.changes() {
		if c.Actor.Kind == versions.Agent {
			t.Errorf("a refused call changed %s", c.Path.Tool())
		}
	}
	if lines := into[readOut](c, "memory_read", args{"path": "/memories/long.md", "first_line": 3, "last_line": 4}); lines.Content != "line\nline\n" {
		t.Errorf("%+v", lines)
	}
}

func TestListGoesThroughAllMemoriesPageByPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, p := range []string{"a-b.md", "a/1.md", "a/2.md", "a/deep/3.md", "b.md", "z/9.md"} {
		w.write(p, p)
	}
	c := w.connect("six", nil)
	for _, try := range []struct {
		in   args
		want string
	}{
		{args{}, "/memories/a-b.md /memories/a/1.md /memories/a/2.md /memories/a/deep/3.md /memories/b.md /memories/z/9.md"},
		{args{"depth": 1}, "/memories/a-b.md /memories/a/ /memories/b.md /memories/z/"},
		{args{"path": "/memories/a"}, "/memories/a/1.md /memories/a/2.md /memories/a/deep/3.md"},
		{args{"path": "/memories/a/", "depth": 1}, "/memories/a/1.md /memories/a/2.md /memories/a/deep/"},
		{args{"path": "/memories/none"}, ""},
	} {
		for limit := 1; limit < 8; limit++ {
			var got []string
			in := args{"limit": limit}
			for k, v := range try.in {
				in[k] = v
			}
			for {
				page := into[listOut](c, "memory_list", in)
				if len(page.Memories)+len(page.Folders) > limit {
					t.Fatalf("a page of %+v", page)
				}
				items := page.Folders
				for _, m := range page.Memories {
					items = append(items, m.Path)
				}
				if limit > 1 { // folders and memories come apart
					items = sorted(items)
				}
				got = append(got, items...)
				if page.NextPage == "" {
					break
				}
				in["page"] = page.NextPage
			}
			if strings.Join(sorted(got), " ") != strings.Join(sorted(strings.Fields(try.want)), " ") {
				t.Errorf("%v, %d a page: %v", try.in, limit, got)
			}
		}
	}
}

func TestSearchFindsTheBestFirstAndShowsLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("plan.md", "the plan\nuse Tabs\n")
	w.write("other.md", "tabs or spaces\n")
	c := w.connect("six", nil)
	found := into[searchOut](c, "memory_search", args{"query": "tabs", "limit": 1})
	if found.Total != 2 || len(found.Results) != 1 || len(found.Results[0].Lines) != 1 || found.Results[0].Matches != 1 {
		t.Errorf("%+v", found)
	}
	found = into[searchOut](c, "memory_search", args{"query": `^use \w+`, "regexp": true})
	if found.Total != 1 || found.Results[0].Path != "/memories/plan.md" || found.Results[0].Lines[0] != (foundLine{2, "use Tabs"}) {
		t.Errorf("%+v", found)
	}
	if none := into[searchOut](c, "memory_search", args{"query": "nothing like it"}); none.Total != 0 || none.Results == nil {
		t.Errorf("%+v", none)
	}
}

// Many clients edit one memory at once, with and without preconditions: each edit
// that was acknowledged is in the text, each once.
func TestNoEditOfSeveralClientsIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("count.md", "end\n")
	const clients, edits = 4, 12
	var all sync.WaitGroup
	for n := range clients {
		c := w.connect(fmt.Sprint("client", n), nil)
		all.Go(func() {
			for i := range edits {
				mark := fmt.Sprintf("%d.%d\n", n, i)
				switch n % 3 {
				case 0:
					c.must("memory_edit", args{"path": "/memories/count.md", "old_str": "end\n", "new_str": mark + "end\n"})
				case 1:
					c.must("memory", args{"command": "str_replace", "path": "/memories/count.md", "old_str": "end\n", "new_str": mark + "end\n"})
				case 2: // read, then write with what was read as the precondition, until it holds
					for done := false; !done; {
						now := into[readOut](c, "memory_read", args{"path": "/memories/count.md"})
						_, bad := c.call("memory_write", args{"path": "/memories/count.md", "content": mark + now.Content,
							"precondition": args{"type": "content_sha256", "content_sha256": now.SHA256}})
						done = !bad
					}
				}
			}
		})
	}
	all.Wait()
	text := into[readOut](w.connect("reader", nil), "memory_read", args{"path": "/memories/count.md"}).Content
	for n := range clients {
		for i := range edits {
			if mark := fmt.Sprintf("%d.%d\n", n, i); strings.Count("\n"+text, "\n"+mark) != 1 {
				t.Errorf("%q is there %d times", mark, strings.Count("\n"+text, "\n"+mark))
			}
		}
	}
	bySession := map[versions.SessionID]int{}
	for _, c := range w.changes()[1:] {
		bySession[c.Session]++
	}
	if len(bySession) != clients {
		t.Errorf("sessions %v", bySession)
	}
	for s, n := range bySession {
		if n != edits {
			t.Errorf("session %s made %d changes, want %d", s, n, edits)
		}
	}
}

// Of clients that write with one precondition exactly one is let through.
func TestOnlyOneOfConcurrentWritesWithAPreconditionSucceeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.write("a.md", "old")
	old := into[readOut](w.connect("reader", nil), "memory_read", args{"path": "/memories/a.md"}).SHA256
	var mu sync.Mutex
	var all sync.WaitGroup
	won := 0
	for n := range 6 {
		c := w.connect(fmt.Sprint(n), nil)
		all.Go(func() {
			in := args{"path": "/memories/a.md", "content": fmt.Sprint(n), "precondition": args{"type": "content_sha256", "content_sha256": old}}
			if n == 5 {
				in = args{"path": "/memories/a.md", "expected_content_sha256": old}
			}
			tool := "memory_write"
			if n == 5 {
				tool = "memory_delete"
			}
			if _, bad := c.call(tool, in); !bad {
				mu.Lock()
				won++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if won != 1 {
		t.Errorf("%d were let through", won)
	}
}
func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

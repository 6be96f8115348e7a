package planning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
)

// files is a folder with these files and empty folders, which end in a slash.
type files []string

func (f files) Lstat(p memfs.Path) (memfs.Info, error) {
	for _, name := range f {
		switch {
		case name == p.String()[1:]:
			return memfs.Info{Path: p, Kind: memfs.File}, nil
		case strings.HasPrefix(name, p.String()[1:]+"/"):
			return memfs.Info{Path: p, Kind: memfs.Folder}, nil
		}
	}
	return memfs.Info{}, memfs.ErrNotExist
}

func (f files) ReadDir(dir memfs.Path) (out []memfs.Info, err error) {
	var seen []memfs.Path
	for _, name := range f {
		for p := path(strings.TrimSuffix(name, "/")); !p.IsRoot(); p = p.Dir() {
			if p.Dir() == dir && p != dir && !slices.Contains(seen, p) {
				seen = append(seen, p)
				info, _ := f.Lstat(p)
				out = append(out, info)
			}
		}
	}
	return out, nil
}

// moving is a memory that has its path as text, unless another one is given.
func moving(now, want string) *Memory {
	m := &Memory{}
	if now != "" {
		m.Now = at(now, now)
	}
	if p, text, ok := strings.Cut(want, "="); ok {
		m.Want = at(p, text)
	} else if want != "" {
		m.Want = at(want, now)
	}
	return m
}

func TestBlocked_IsWhatCannotGoToItsPath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder   files
		memories []*Memory
		want     []string
	}{
		"a free path":                             {files{"a"}, []*Memory{moving("a", "b")}, nil},
		"a file of another program":               {files{"a", "b"}, []*Memory{moving("a", "b")}, []string{"/a /b"}},
		"a memory that leaves":                    {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "c")}, nil},
		"two that swap":                           {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "a")}, nil},
		"two that go to one path":                 {files{"a", "b"}, []*Memory{moving("a", "c"), moving("b", "c")}, []string{"/b /c"}},
		"one that stays has precedence":           {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "b=new")}, []string{"/a /b"}},
		"a file above it":                         {files{"a", "b"}, []*Memory{moving("a", "b/c")}, []string{"/a /b/c"}},
		"a memory above it that leaves":           {files{"a", "b"}, []*Memory{moving("a", "b/c"), moving("b", "d")}, nil},
		"a folder with another file":              {files{"a", "b/c"}, []*Memory{moving("a", "b")}, []string{"/a /b"}},
		"a folder that is emptied":                {files{"a", "b/c/d"}, []*Memory{moving("a", "b"), moving("b/c/d", "e")}, nil},
		"an empty folder":                         {files{"a", "b/c/"}, []*Memory{moving("a", "b")}, nil},
		"below a path that another one gets":      {files{"a", "b"}, []*Memory{moving("a", "c"), moving("b", "c/d")}, []string{"/a /c", "/b /c/d"}},
		"one that is left out stays where it is":  {files{"a", "b"}, []*Memory{moving("a", "b"), {Now: at("b", "b"), Want: at("c", "b"), Skipped: true}}, []string{"/a /b"}},
		"one that stays is never blocked":         {files{"a"}, []*Memory{moving("a", "a=new")}, nil},
		"one that is deleted is never blocked":    {files{"a"}, []*Memory{moving("a", "")}, nil},
		"one that comes back to a path of others": {files{"a"}, []*Memory{moving("", "a=old")}, []string{"/ /a"}},
	} {
		t.Run(name, func(t *testing.T) {
			blocked, err := Blocked(c.memories, c.folder)
			var got []string
			for _, m := range blocked {
				got = append(got, strings.TrimSpace(m.Now.Path.String()+" "+m.Want.Path.String()))
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("Blocked = %v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestSteps_MoveTheFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder   files
		memories []*Memory
		want     []string
	}{
		"nothing":                          {files{"a"}, []*Memory{moving("a", "a")}, nil},
		"an edit":                          {files{"a"}, []*Memory{moving("a", "a=new")}, []string{"put /a"}},
		"a deletion":                       {files{"a"}, []*Memory{moving("a", "")}, []string{"remove /a"}},
		"a deletion that empties folders":  {files{"a/b/c", "d"}, []*Memory{moving("a/b/c", "")}, []string{"remove /a/b/c", "remove /a/b", "remove /a"}},
		"a folder with another file stays": {files{"a/b/c", "a/d"}, []*Memory{moving("a/b/c", "")}, []string{"remove /a/b/c", "remove /a/b"}},
		"deletions that empty folders":     {files{"a/b/c", "a/d/e"}, []*Memory{moving("a/b/c", ""), moving("a/d/e", "")}, []string{"remove /a/b/c", "remove /a/d/e", "remove /a/d", "remove /a/b", "remove /a"}},
		"a creation":                       {files{}, []*Memory{moving("", "a=new")}, []string{"put /a"}},
		"a move":                           {files{"a"}, []*Memory{moving("a", "b")}, []string{"rename /a /b"}},
		"a move and an edit":               {files{"a"}, []*Memory{moving("a", "b=new")}, []string{"rename /a /b", "put /b"}},
		"two that swap":                    {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "a")}, []string{"put /b", "put /a"}},
		"a chain":                          {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "c")}, []string{"remove /a", "put /b", "put /c"}},
		"one that leaves a path for one that takes it": {files{"a", "b"}, []*Memory{moving("a", "b"), moving("b", "")}, []string{"remove /a", "put /b"}},
		"a folder becomes a file":                      {files{"a/b"}, []*Memory{moving("a/b", "a")}, []string{"remove /a/b", "remove /a", "put /a"}},
		"a file becomes a folder":                      {files{"a"}, []*Memory{moving("a", "a/b")}, []string{"remove /a", "put /a/b"}},
		"an empty folder makes way":                    {files{"a", "b/c/"}, []*Memory{moving("a", "b")}, []string{"remove /a", "remove /b/c", "remove /b", "put /b"}},
		"one that is left out stays":                   {files{"a"}, []*Memory{{Now: at("a", "a"), Want: at("b", "a"), Skipped: true}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := Steps(c.memories, c.folder)
			var got []string
			for _, st := range steps {
				text := map[memfs.OpKind]string{memfs.OpPut: "put ", memfs.OpRename: "rename ", memfs.OpRemove: "remove "}[st.Op] + st.Path.String()
				if st.Op == memfs.OpRename {
					text += " " + st.To.String()
				}
				got = append(got, text)
			}
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("Steps = %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// A step records what it expects at its path and what it leaves, so that it can be repeated.
func TestSteps_RecordTheFilesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	a, b := moving("a", "b"), moving("b", "a=new")
	steps, err := Steps([]*Memory{a, b}, files{"a", "b"})
	got := fmt.Sprint(steps)
	want := fmt.Sprint([]Step{
		{Op: memfs.OpPut, Path: path("b"), Memory: a, Old: b.Now.SHA256, New: a.Now.SHA256},
		{Op: memfs.OpPut, Path: path("a"), Memory: b, Old: a.Now.SHA256, New: b.Want.SHA256},
	})
	if err != nil || got != want {
		t.Errorf("Steps = %s, %v; want %s", got, err, want)
	}
}

package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// line is a line of a transcript as Claude Code writes it.
func line(cwd, session, text string) string {
	b, err := json.Marshal(map[string]any{
		"parentUuid": nil, "isSidechain": false, "cwd": cwd, "sessionId": session, "version": "2.1.300", "type": "user",
		"message": map[string]string{"role": "user", "content": text},
		"uuid":    "11111111-1111-4111-8111-111111111111", "timestamp": "2026-11-20T10:00:00.000Z",
	})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

// late is a line in which the directory stands behind what was typed, as newer
// versions have it.
func late(cwd, text string) string {
	b, err := json.Marshal(struct {
		Type, Message string
		Cwd           string `json:"cwd"`
	}{"user", text, cwd})
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func write(t *testing.T, text string, parts ...string) string {
	t.Helper()
	file := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestConfig_IsTheConfigFolderOfClaudeCode(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "  ")
	if got, err := Config(); got != filepath.Join(home, ".claude") || err != nil {
		t.Error(got, err)
	}
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, "elsewhere"))
	if got, err := Config(); got != filepath.Join(home, "elsewhere") || err != nil {
		t.Error(got, err)
	}
}

func TestProjects_HaveTheirRealPath(t *testing.T) {
	t.Parallel()
	long := "/w/" + strings.Repeat("long-name_ü/", 22) + "app"
	huge := strings.Repeat("pasted ", 40_000)
	for name, c := range map[string]struct {
		folder string
		lines  string
		want   string
	}{
		"the first line says it":         {"-w-app", line("/w/app", "S", "hi"), "/w/app"},
		"a dash is a dash":               {"-w-my-app", line("/w/my-app", "S", "hi"), "/w/my-app"},
		"lines without it come first":    {"-w-app", `{"type":"summary"}` + "\n" + `{"type":"mode","cwd":""}` + "\n" + line("/w/app", "S", "hi"), "/w/app"},
		"the agent went down":            {"-w-app", line("/w/app/sub/x", "S", "hi"), "/w/app"},
		"the second directory fits":      {"-w-app", line("/elsewhere", "S", "hi") + line("/w/app", "S", "hi"), "/w/app"},
		"none fits: the first is taken":  {"-w-renamed", line("/w/app", "S", "hi") + line("/w/b", "S", "hi"), "/w/app"},
		"over 200 units":                 {Slug(long) + "-abc", line(long, "S", "hi"), long},
		"torn lines":                     {"-w-app", `{"cwd":"/w/ap` + "\n" + `{"type":"us` + "\nnull\n[]\n\n\"x\"\n\x00\xff\n" + line("/w/app", "S", "hi"), "/w/app"},
		"torn behind it":                 {"-w-app", line("/w/app", "S", "hi")[:60], "/w/app"},
		"a pasted prompt behind it":      {"-w-app", line("/w/app", "S", huge), "/w/app"},
		"a pasted prompt before it":      {"-w-app", late("/w/app", huge) + late("/w/app", "short"), "/w/app"},
		"no path of this machine":        {"-w-app", line("w/app", "S", "") + line("", "S", "") + line("/w/\x00", "S", "") + line("/"+strings.Repeat("x", 5000), "S", ""), ""},
		"a directory that is no text":    {"-w-app", `{"cwd":12}` + "\n" + `{"cwd":{"cwd":"/w/app"}}` + "\n", ""},
		"not at the top of the line":     {"-w-app", `{"message":{"cwd":"/w/app"}}` + "\n", ""},
		"nothing at all":                 {"-w-app", "", ""},
		"a path that is not clean":       {"-w-app", line("/w//x/../app/", "S", ""), "/w/app"},
		"a hostile name is a name still": {"-w---31mx", line("/w/\x1b[31mx", "S", ""), "/w/\x1b[31mx"},
	} {
		t.Run(name, func(t *testing.T) {
			config := t.TempDir()
			write(t, c.lines, config, "projects", c.folder, "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa.jsonl")
			got, err := Projects(t.Context(), config)
			want := []Project{{filepath.Join(config, "projects", c.folder), c.want}}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %v\nwant %q", got, err, want)
			}
		})
	}
}

func TestProjects_WithoutTranscriptsUsePathsThatOthersName(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	write(t, "m", config, "projects", "-w-repo", "memory", "MEMORY.md") // of a repository
	write(t, line("/w/repo/web", "S", ""), config, "projects", "-w-repo-web", "s.jsonl")
	write(t, "m", config, "projects", "-gone", "memory", "MEMORY.md")
	write(t, "no folder", config, "projects", "file")
	got, err := Projects(t.Context(), config)
	var found []string
	for _, p := range got {
		found = append(found, filepath.Base(p.Folder)+"="+p.Path)
	}
	if err != nil || !slices.Equal(found, []string{"-gone=", "-w-repo=/w/repo", "-w-repo-web=/w/repo/web"}) {
		t.Errorf("%q, %v", found, err)
	}
}

func TestProjects_WithoutAnyTraceAreSearchedOnDisk(t *testing.T) {
	t.Parallel()
	config, work := t.TempDir(), t.TempDir()
	if real, err := filepath.EvalSymlinks(work); err == nil {
		work = real
	}
	write(t, "", work, "src", "my-app.v2", "web", "x")
	write(t, "", work, "one", "two", "x")
	write(t, "", work, "one-two", "x")
	write(t, "", work, "file")
	for i := range searchedFolders + 10 { // names that all fit as far as they go
		write(t, "", work, "many", strings.Repeat("-", i%40), strings.Repeat("-", i/40), "x")
	}
	for path, want := range map[string]string{
		"src/my-app.v2":                    "src/my-app.v2",
		"src/my-app.v2/web":                "src/my-app.v2/web",
		"one/two":                          "", // or one-two
		"src/gone":                         "",
		"onextwo":                          "", // not one/two
		"file":                             "",
		"many/" + strings.Repeat("-/", 90): "",
	} {
		name := Slug(filepath.Join(work, filepath.FromSlash(path)))
		if err := os.RemoveAll(filepath.Join(config, "projects")); err != nil {
			t.Fatal(err)
		}
		write(t, "m", config, "projects", name, "memory", "MEMORY.md")
		got, err := Projects(t.Context(), config)
		if want != "" {
			want = filepath.Join(work, filepath.FromSlash(want))
		}
		if err != nil || len(got) != 1 || got[0].Path != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, name := range []string{"", "-", "x", strings.Repeat("-", 201)} {
		if got := onDisk(name, searchedFolders); got != "" {
			t.Errorf("%q: %q", name, got)
		}
	}

	// Where not all could be looked at, there may be another one.
	web := filepath.Join(work, "src", "my-app.v2", "web")
	folders := strings.Count(filepath.ToSlash(web), "/")
	if got := onDisk(Slug(web), folders); got != web {
		t.Errorf("with %d folders: %q", folders, got)
	}
	for _, path := range []string{web, filepath.Join(work, "one-two")} {
		if got := onDisk(Slug(path), strings.Count(filepath.ToSlash(path), "/")-1); got != "" {
			t.Errorf("with a folder less: %q", got)
		}
	}
	if got := onDisk(Slug(filepath.Join(work, "one-two")), strings.Count(filepath.ToSlash(work), "/")+1); got != "" {
		t.Errorf("one of two: %q", got)
	}
}

func TestProjects_AreEmptyWithoutClaudeCode(t *testing.T) {
	t.Parallel()
	got, err := Projects(t.Context(), filepath.Join(t.TempDir(), "none"))
	if len(got) != 0 || err != nil {
		t.Error(got, err)
	}
}

func TestProjects_ReadsFewTranscriptsNewestFirst(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i, cwd := range []string{"/moved", "/a/b", "/a-b"} {
		file := write(t, line(cwd, "S", ""), config, "projects", "-a-b", fmt.Sprint(i, ".jsonl"))
		if err := os.Chtimes(file, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Projects(t.Context(), config); err != nil || got[0].Path != "/a-b" {
		t.Error(got, err)
	}
	for i := range askedFiles {
		file := write(t, "\n", config, "projects", "-a-b", fmt.Sprint("new", i, ".jsonl"))
		if err := os.Chtimes(file, at, at.AddDate(0, 1, i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Projects(t.Context(), config); err != nil || got[0].Path != "" {
		t.Error("more transcripts are read than may be:", got, err)
	}
}

func TestProjects_FollowLinksButNoLoops(t *testing.T) {
	t.Parallel()
	config, elsewhere := t.TempDir(), t.TempDir()
	write(t, line("/w/app", "S", ""), elsewhere, "s.jsonl")
	top := filepath.Join(config, "projects")
	if err := os.Mkdir(top, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"-w-app": elsewhere, "-loop": "-loop", "-up": "..", "-none": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	got, err := Projects(t.Context(), config)
	want := []Project{{filepath.Join(top, "-up"), ""}, {filepath.Join(top, "-w-app"), "/w/app"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestProjects_TellWhatCannotBeReadAndGoOn(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	config := t.TempDir()
	write(t, line("/w/app", "S", ""), config, "projects", "-w-app", "s.jsonl")
	shut := filepath.Dir(write(t, "", config, "projects", "-shut", "s.jsonl"))
	if err := os.Chmod(shut, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(shut, 0o755) })
	got, err := Projects(t.Context(), config)
	if !errors.Is(err, os.ErrPermission) || len(got) != 2 || got[1].Path != "/w/app" {
		t.Error(got, err)
	}
}

func TestProjects_StopsWithItsContext(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	write(t, "", config, "projects", "-w", "s.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Projects(ctx, config); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTranscripts_IncludeSubagents(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i, parts := range [][]string{
		{"one.jsonl"}, {"one", "subagents", "agent-a1.jsonl"}, {"two.jsonl"}, {"agent-old.jsonl"},
		{"one", "subagents", "agent-a1.meta.json"}, {"one", "tool-results", "big.jsonl"}, {"memory", "MEMORY.md"}, {"sessions-index.json"},
	} {
		file := write(t, "x", append([]string{folder}, parts...)...)
		if err := os.Chtimes(file, at, at.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	all, err := Transcripts(folder)
	var got []string
	for _, x := range all {
		got = append(got, x.Session+"/"+x.Agent)
		if x.Size != 1 || x.Modified.Before(at) || !strings.HasPrefix(x.File, folder) {
			t.Errorf("%+v", x)
		}
	}
	if want := []string{"/old", "two/", "one/a1", "one/"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if none, err := Transcripts(filepath.Join(folder, "nowhere")); len(none) != 0 || err != nil {
		t.Error(none, err)
	}
}

// Whatever a transcript holds, its directories are paths of this machine.
func FuzzDirectories(f *testing.F) {
	f.Add([]byte(line("/w/app", "S", "hi")))
	f.Add([]byte(`{"cwd":"/w/ap`))
	f.Add([]byte("{\"cwd\":\"/a\"\n{\"a\":{\"cwd\":\"/b\"},\"cwd\":\"/c\"}\n\xff\x00"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		for _, dir := range directoriesIn(lines) {
			if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir || strings.ContainsRune(dir, 0) || len(dir) > maxDirectorySize {
				t.Errorf("%q", dir)
			}
		}
	})
}

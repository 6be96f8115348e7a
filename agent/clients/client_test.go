package clients

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var (
	started = Server{Command: "/bin/memend", Args: []string{"mcp", "--home", "/a b", "-s", "work"}}
	listens = Server{URL: "http://127.0.0.1:4100/mcp", Headers: map[string]string{"Authorization": "Bearer memend_x"}}
)

// noEnv is an environment with nothing in it.
func noEnv(string) string { return "" }

func TestEveryClientReadsItsOwnConfiguration(t *testing.T) {
	for _, c := range All() {
		for _, s := range []Server{started, listens} {
			if c.Local && s.URL != "" {
				continue
			}
			text, err := c.Settings(s)
			if err != nil {
				t.Fatal(c.Name, err)
			}
			got, ok, err := c.Server([]byte(text))
			if err != nil || !ok || !reflect.DeepEqual(got, s) {
				t.Errorf("%s: %+v, %v, %v of\n%s", c.Name, got, ok, err, text)
			}
			again, err := c.SetServer([]byte(text), s)
			if err != nil || string(again) != text {
				t.Errorf("%s: set twice it is\n%s\n%v", c.Name, again, err)
			}
			none, err := c.RemoveServer([]byte(text))
			if err != nil || strings.Trim(string(none), "{}\n") != "" {
				t.Errorf("%s: removed it is %q, %v", c.Name, none, err)
			}
		}
	}
}

// The other kind of server takes the place of the one before, and what the person added
// to it stays.
func TestAServerIsChanged_AndOtherKeysStay(t *testing.T) {
	for _, c := range All() {
		if c.Manual() {
			continue
		}
		own := "\"trust\": true,\n    "
		if c.toml {
			own = "\ntool_timeout_sec = 90"
		}
		text, err := c.Settings(started)
		if err != nil {
			t.Fatal(err)
		}
		if c.toml {
			text = strings.Replace(text, "]\n", "]"+own+"\n", 1) + "[mcp_servers.memend.env]\nA = \"b\"\n\n[mcp_servers.other]\ncommand = \"x\"\n"
		} else {
			text = strings.Replace(text, "\""+Program+"\": {\n      ", "\""+Program+"\": {\n      "+own, 1)
		}
		for _, s := range []Server{listens, started} {
			b, err := c.SetServer([]byte(text), s)
			if err != nil {
				t.Fatalf("%s: %v\n%s", c.Name, err, text)
			}
			text = string(b)
			got, _, err := c.Server(b)
			if again, aerr := c.SetServer(b, s); aerr != nil || string(again) != text {
				t.Errorf("%s: set twice:\n%s\nand once:\n%s\n%v", c.Name, again, text, aerr)
			}
			if err != nil || !reflect.DeepEqual(got, s) {
				t.Errorf("%s: %+v, %v\n%s", c.Name, got, err, text)
			}
			if !strings.Contains(text, strings.TrimSpace(strings.Trim(own, ",\n "))) || c.toml && (!strings.Contains(text, "A = \"b\"") || !strings.Contains(text, "[mcp_servers.other]")) {
				t.Errorf("%s: something was lost:\n%s", c.Name, text)
			}
		}
	}
}

func TestClientFilesFollowTheEnvironment(t *testing.T) {
	env := map[string]string{"CLAUDE_CONFIG_DIR": "/cc", "CODEX_HOME": "/cx", "GEMINI_CLI_HOME": "/gm", "XDG_CONFIG_HOME": "/xdg", "APPDATA": "/app"}
	plain := Places{System: "linux", Home: "/h", Folder: "/p", Getenv: noEnv}
	moved := Places{System: "linux", Home: "/h", Folder: "/p", Getenv: func(name string) string { return env[name] }}
	mac, windows := plain, moved
	mac.System, windows.System = "darwin", "windows"
	for _, try := range []struct {
		name        string
		p           Places
		user, local string
	}{
		{"claude-code", plain, "/h/.claude.json", "/p/.mcp.json"},
		{"claude-code", moved, "/cc/.claude.json", "/p/.mcp.json"},
		{"codex", plain, "/h/.codex/config.toml", "/p/.codex/config.toml"},
		{"codex", moved, "/cx/config.toml", "/p/.codex/config.toml"},
		{"cursor", plain, "/h/.cursor/mcp.json", "/p/.cursor/mcp.json"},
		{"gemini", plain, "/h/.gemini/settings.json", "/p/.gemini/settings.json"},
		{"gemini", moved, "/gm/.gemini/settings.json", "/p/.gemini/settings.json"},
		{"opencode", plain, "/h/.config/opencode/opencode.json", "/p/opencode.json"},
		{"opencode", moved, "/xdg/opencode/opencode.json", "/p/opencode.json"},
		{"vscode", plain, "/h/.config/Code/User/mcp.json", "/p/.vscode/mcp.json"},
		{"vscode", mac, "/h/Library/Application Support/Code/User/mcp.json", "/p/.vscode/mcp.json"},
		{"vscode", windows, "/app/Code/User/mcp.json", "/p/.vscode/mcp.json"},
	} {
		c, ok := Find(try.name)
		if user, local := c.ServersFile(try.p, User), c.ServersFile(try.p, Project); !ok || filepath.ToSlash(user) != try.user || filepath.ToSlash(local) != try.local {
			t.Errorf("%s: %s and %s, want %s and %s", try.name, user, local, try.user, try.local)
		}
	}
	c, _ := Find("claude-code")
	if f := c.HooksFile(plain, User); f != filepath.FromSlash("/h/.claude/settings.json") {
		t.Error(f)
	}
	if f := c.HooksFile(moved, User); f != filepath.FromSlash("/cc/settings.json") {
		t.Error(f)
	}
	if f := c.ServersFile(Places{System: "linux", Getenv: noEnv}, User); f != "" {
		t.Errorf("without a home there is %s", f)
	}
}

const others = `{
  // mine
  "model": "opus",
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/guard hook"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "memend-of-another hook"}]}]
  }
}
`

func TestHooksAreAddedBesideOthersAndRemovedAgain(t *testing.T) {
	want := Hooks("/bin/memend hook --home '/a b'")
	for _, text := range []string{"", "{}\n", others, `{"hooks":{}}`, `{"a":1}`} {
		b, err := SetHooks([]byte(text), want)
		if err != nil {
			t.Fatal(err)
		}
		if found, err := ReadHooks(b); err != nil || !reflect.DeepEqual(found, want) {
			t.Errorf("%v, %v in\n%s", found, err, b)
		}
		if again, err := SetHooks(b, want); err != nil || string(again) != string(b) {
			t.Errorf("set twice:\n%s\n%v", again, err)
		}
		newer, err := SetHooks(b, Hooks("'C:\\x\\memend.exe' hook"))
		if found, ferr := ReadHooks(newer); err != nil || ferr != nil || len(found) != len(want) || found[0].Command != "'C:\\x\\memend.exe' hook" {
			t.Errorf("changed: %v, %v, %v", found, err, ferr)
		}
		none, err := RemoveHooks(newer)
		if err != nil || strings.Contains(string(none), "memend ") || strings.Contains(string(none), "memend.exe") {
			t.Errorf("removed:\n%s\n%v", none, err)
		}
		if text == others && string(none) != others {
			t.Errorf("what was there is now\n%s", none)
		}
	}
}

// A person put our hook beside another one, under one matcher.
func TestAHookBesideAnotherUnderOneMatcherIsRemovedAlone(t *testing.T) {
	b, err := RemoveHooks([]byte(`{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "memend hook"}, {"type": "command", "command": "lint"}]}]}}`))
	if want := `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "lint"}]}]}}`; err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func TestCodexFilesInAnotherFormAreNotChanged(t *testing.T) {
	c, _ := Find("codex")
	for _, text := range []string{
		"mcp_servers = { memend = { command = \"x\" } }\n",
		"[mcp_servers]\nmemend.command = \"x\"\n",
	} {
		if b, err := c.SetServer([]byte(text), started); !errors.Is(err, errNotEditable) {
			t.Errorf("%v\n%s", err, b)
		}
		if b, err := c.RemoveServer([]byte(text)); !errors.Is(err, errNotEditable) {
			t.Errorf("%v\n%s", err, b)
		}
	}
	const text = "note = \"\"\"\n[mcp_servers.memend]\n\"\"\"\n" // a header in a string
	if b, err := c.SetServer([]byte(text), started); !errors.Is(err, errNotEditable) && (err != nil || !strings.HasPrefix(string(b), text)) {
		t.Errorf("%v\n%s", err, b)
	}
	var at *syntaxError
	if _, err := c.SetServer([]byte("a = \n"), started); !errors.As(err, &at) || at.line != 1 {
		t.Error(err)
	}
}

func TestAKeyOfACodexFileStaysOneKey(t *testing.T) {
	t.Parallel()
	codex, _ := Find("codex")
	text, err := codex.SetServer([]byte("[mcp_servers.memend]\ncommand = \"old\"\n\"a.b\" = 5\n"), Server{Command: "memend"})
	if err != nil || !strings.Contains(string(text), "\"a.b\" = 5") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestACodexFileKeepsItsCommentsAndEnding(t *testing.T) {
	const text = "# mine\nmodel = \"o\" # yes\n\n[mcp_servers.other]\ncommand = \"x\"\n\n# about profiles\n[profiles.a]\nmodel = \"m\"\n"
	c, _ := Find("codex")
	b, err := c.SetServer([]byte(text), started)
	if err != nil || !strings.HasPrefix(string(b), text) {
		t.Fatalf("%v\n%s", err, b)
	}
	if b, err = c.RemoveServer(b); err != nil || string(b) != text {
		t.Errorf("%v\n%s", err, b)
	}
	const between = "a = 1\n\n[mcp_servers.memend]\ncommand = \"x\"\n\n# about b\n[b]\nc = 1\n"
	if b, err = c.RemoveServer([]byte(between)); err != nil || string(b) != "a = 1\n\n# about b\n[b]\nc = 1\n" {
		t.Errorf("%v\n%s", err, b)
	}
}

func TestAFileIsReplacedAtomically_AndKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(real, []byte("{}"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	set := func(with string) func([]byte) ([]byte, error) {
		return func([]byte) ([]byte, error) { return []byte(with), nil }
	}
	e, err := Plan(link, set(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Save(); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Lstat(link)
	b, rerr := os.ReadFile(real)
	if err != nil || rerr != nil || fi.Mode()&os.ModeSymlink == 0 || string(b) != `{"a":1}` {
		t.Errorf("%v, %v, %v, %q", fi, err, rerr, b)
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	e, err = Plan(real, set(`{"b":1}`))
	if err != nil {
		t.Fatal(err)
	}
	e.Secret = true
	if err := os.WriteFile(real, []byte(`{"theirs":1}`), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(); !errors.Is(err, ErrChanged) {
		t.Errorf("a file that changed meanwhile: %v", err)
	}
	if b, _ := os.ReadFile(real); string(b) != `{"theirs":1}` {
		t.Errorf("it is now %q", b)
	}
	e.Before = []byte(`{"theirs":1}`)
	if err := e.Save(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(real); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("with a token its mode is %v, %v", fi.Mode(), err)
	}
	e, err = Plan(filepath.Join(dir, "new", "folder", "x.json"), set("{}"))
	if err != nil || e.Exists || e.Save() != nil {
		t.Error("a file in a new folder", err)
	}
	e, err = Plan(real, set("{}\n"))
	if err != nil || !e.Deletes() || e.Save() != nil {
		t.Error(err)
	}
	if _, err := os.Stat(real); !os.IsNotExist(err) {
		t.Errorf("a file with nothing left is there: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWordsOfACommandLine(t *testing.T) {
	for _, words := range [][]string{{"a"}, {"/a b/c", "hook", "--home", "it's"}, {"", "x"}, {`C:\x`, `"`}} {
		var line []string
		for _, w := range words {
			line = append(line, Word(w))
		}
		if got := Words(strings.Join(line, " ")); !reflect.DeepEqual(got, words) {
			t.Errorf("%q gives %q", line, got)
		}
	}
	if got := Words(`"/a b/memend" hook`); !reflect.DeepEqual(got, []string{"/a b/memend", "hook"}) {
		t.Errorf("%q", got)
	}
}

// A file that is written for opencode 2 has its servers one object further down. Version 2
// reads the older form, so that a file without servers gets that.
func TestOpencodeKeepsTheFormOfItsFile(t *testing.T) {
	c, _ := Find("opencode")
	server := Server{Command: "/bin/memend", Args: []string{"mcp"}}
	const own = `"type":"local","command":["/bin/memend","mcp"]`
	flat := func(b []byte) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(string(b)) }
	for name, try := range map[string]struct{ before, want, without string }{
		"no file":            {``, `{"mcp":{"memend":{` + own + `,"enabled":true}}}`, `{}`},
		"version 1":          {`{"mcp":{"a":{"type":"local"}}}`, `{"mcp":{"a":{"type":"local"},"memend":{` + own + `,"enabled":true}}}`, `{"mcp":{"a":{"type":"local"}}}`},
		"a server so called": {`{"mcp":{"servers":{"enabled":false}}}`, `{"mcp":{"servers":{"enabled":false},"memend":{` + own + `,"enabled":true}}}`, `{"mcp":{"servers":{"enabled":false}}}`},
		"version 2":          {`{"mcp":{"servers":{"a":{"type":"local"}}}}`, `{"mcp":{"servers":{"a":{"type":"local"},"memend":{` + own + `}}}}`, `{"mcp":{"servers":{"a":{"type":"local"}}}}`},
		"converted since":    {`{"mcp":{"memend":{"type":"local"},"servers":{"a":{"type":"local"}}}}`, `{"mcp":{"servers":{"a":{"type":"local"},"memend":{` + own + `}}}}`, `{"mcp":{"servers":{"a":{"type":"local"}}}}`},
	} {
		after, err := c.SetServer([]byte(try.before), server)
		if err != nil || flat(after) != try.want {
			t.Errorf("%s: %s, %v, want %s", name, flat(after), err, try.want)
			continue
		}
		if again, err := c.SetServer(after, server); err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: written again it is %s, %v", name, again, err)
		}
		if found, ok, err := c.Server(after); err != nil || !ok || found.Command != server.Command {
			t.Errorf("%s: %+v, %v, %v", name, found, ok, err)
		}
		if gone, err := c.RemoveServer(after); err != nil || flat(gone) != try.without {
			t.Errorf("%s: without it %s, %v", name, flat(gone), err)
		}
	}
}

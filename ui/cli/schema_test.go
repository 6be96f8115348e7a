package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// Every field of every object is in the table, and no type can be null or has a time in
// another form; the table has no other fields.
func TestEveryJSONFieldIsDocumented(t *testing.T) {
	t.Parallel()
	fields, used := jsonFields(), map[string]bool{}
	var walk func(reflect.Type, string)
	walk = func(of reflect.Type, where string) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of == reflect.TypeOf(time.Time{}) {
			t.Errorf("%s is a time.Time: use stamp", where)
		}
		if of.Kind() != reflect.Struct || of == reflect.TypeOf(stamp{}) || strings.HasSuffix(of.PkgPath(), "/agent") { // in the form of the Messages API
			return
		}
		eachField(of, func(name string, f reflect.StructField) {
			if slices.Contains([]string{"NoTime", "NoActor", "NoFrom"}, f.Name) {
				return
			}
			used[name] = true
			at := where + "." + name
			if fields[name] == "" {
				t.Errorf("%s is not in the table", at)
			}
			if kind, tag := f.Type.Kind(), f.Tag.Get("json"); (kind == reflect.Pointer || kind == reflect.Map) && !strings.Contains(tag, ",omit") {
				t.Errorf("%s may be null", at)
			}
			walk(f.Type, at)
		})
	}
	for _, o := range objects {
		walk(reflect.TypeOf(o.of), o.name)
	}
	for name := range fields {
		if !used[name] {
			t.Errorf("%s is in the table, and no object has it", name)
		}
	}
}

// jsonCases run every command that prints JSON; object is what each one prints.
var jsonCases = []struct{ command, object, in string }{
	{"stores create work --folder $DIR/work --description text --metadata a=b", "store", ""},
	{"stores create team", "store", ""},
	{"stores", "store", ""},
	{"stores describe work", "store", ""},
	{"stores describe work --max-bytes 100k --view-chars none", "store", ""},
	{"write -s work a.md", "change", "one\ntwo\n"},
	{"write -s work a.md --session run-1 --actor agent:claude", "change", "one\nthree\n"},
	{"write -s work secret.md", "change", "sk-0123456789abcdef\n"},
	{"ls -s work", "memory", ""},
	{"cat -s work a.md a.md:1", "content", ""},
	{"cat -s work a.md --actor agent:claude --session run-1", "content", ""},
	{"tool -s work --session run-1 --actor agent:claude", "answer", `{"type":"tool_use","id":"toolu_1","name":"memory","input":{"command":"view","path":"/memories/a.md"}}`},
	{"mv -s work a.md b.md", "change", ""},
	{"log -s work", "change", ""},
	{"log -s work b.md", "version", ""},
	{"log -p -s work", "change with its differences", ""},
	{"log -p -s work b.md", "version with its difference", ""},
	{"status -s work", "status", ""},
	{"policy show -s work", "policy", ""},
	{"ls --sizes -s work", "space", ""},
	{"show -s work b.md@1", "version", ""},
	{"show -s work 3", "change", ""},
	{"diff -s work b.md", "difference", ""},
	{"blame -s work b.md", "line", ""},
	{"trace -s work b.md", "trace step", ""},
	{"trace -s work --forward run-1", "trace step", ""},
	{"ls --at 1 -s work", "memory", ""},
	{"cat --at 3 a.md -s work", "content", ""},
	{"diff --at 1 -s work", "tree difference", ""},
	{"restore -s work b.md@1 --dry-run", "plan", ""},
	{"restore -s work --at 2 --dry-run", "plan", ""},
	{"restore -s work b.md@1", "change", ""},
	{"undo -s work --dry-run", "plan", ""},
	{"undo -s work", "change", ""},
	{"redo -s work", "change", ""},
	{"search -s work two", "hit", ""},
	{"search two --all-stores", "hit", ""},
	{"search -E -s work t.o", "hit", ""},
	{"search -s work --history three", "past hit", ""},
	{"search -s work two --replace four --dry-run", "plan", ""},
	{"search -s work two --replace four", "change", ""},
	{"sessions", "session", ""},
	{"log --reads -s work b.md", "read", ""},
	{"stale -s work --unread 1ns", "stale memory", ""},
	{"stale --delete -s work --unread 1ns --dry-run", "stale memory", ""},
	{"watch -s work --since 1h --limit 6", "event", ""},
	{"redact -s work --match sk-0123456789abcdef --mask --dry-run", "redaction", ""},
	{"redact -s work --match sk-0123456789abcdef --mask --yes", "receipt", ""},
	{"redact", "receipt", ""},
	{"redact -s work --verify sk-0123456789abcdef", "receipt", ""},
	{"stale --delete -s work --unread 1ns --never-read --yes", "change", ""},
	{"undo -s work", "change", ""},
	{"rm -s work b.md", "change", ""},
	{"cp -s work x.md y.md", "change", ""},
	{"export -s work -o $DIR/work.jsonl", "export", ""},
	{"export -s work --format folder -o $DIR/out", "export", ""},
	{"import -s team $DIR/work.jsonl", "import", ""},
	{"sync -s team $DIR/team.git --dry-run", "sync", ""},
	{"import -s team $DIR/new --into new", "change", ""},
	{"cp work:x.md team:w.md", "change of a store", ""},
	{"mv team:w.md work:", "change of a store", ""},
	{"undo -s work --dry-run", "plan", ""},
	{"log -s work w.md", "version", ""},
	{"cp work:w.md team:w.md", "change of a store", ""},
	{"merge work:w.md team:w.md --take both --dry-run", "difference", ""},
	{"merge work:w.md team:w.md --file -", "change of a store", "w\nmerged\n"},
	{"log -s work w.md", "version", ""},
	{"rm -s work w.md", "change", ""},
	{"backup $DIR/backup.tar.gz", "backup", ""},
	{"check -s work", "check", ""},
	{"check -s work --head", "log head", ""},
	{"guard", "findings", "nothing\n"},
	{"stores discover $DIR/project", "place", ""},
	{"stores merge $DIR/project/memory-bank --into team", "change", ""},
	{"stores move work $DIR/moved --deleted", "store", ""},
	{"stores delete work --dry-run", "deletion", ""},
	{"stores delete work --yes", "receipt", ""},
	{"stores describe team --name manager", "store", ""},
	{"stores archive manager", "store", ""},
	{"stores archive manager --undo", "store", ""},
	{"tokens create ci", "token", ""},
	{"tokens", "token", ""},
	{"config", "settings", ""},
	{"config themes", "theme", ""},
	{"config check $DIR/bad.toml", "problem", ""},
	{"help keys", "key", ""},
	{"version", "release", ""},
	{"setup", "client", ""},
	{"setup cursor -s manager --dry-run", "setup", ""},
	{"doctor", "finding", ""},
}

// withoutJSON are the commands that the cases leave out, and why.
var withoutJSON = map[string]string{
	"hook": "speaks to Claude Code, always with exit code 0", "agent": "needs a model: prints the events that watch prints",
	"stores connect": "needs a service: hosted.txtar", "stores mirror": "needs a service: hosted.txtar", "stores disconnect": "needs a service: hosted.txtar",
	"config init": "writes a file", "tokens revoke": "has no answer",
	"edit": "needs a terminal: edit.txtar", "policy": "help", "policy use": "needs a terminal: review.txtar", "policy set": "needs a terminal: review.txtar", "policy edit": "needs a terminal: review.txtar",
	"review": "needs a held change: review.txtar", "review keep": "needs a terminal: review_hunks.txtar", "review undo": "needs a hunk: review_hunks.txtar", "review show": "needs a held change: review.txtar", "review accept": "needs a terminal: review.txtar",
	"review edit": "needs a terminal: review.txtar", "review reject": "needs a terminal: review.txtar", "pin": "needs a terminal: review.txtar",
}

var stamped = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)

func TestEveryCommandPrintsTheDocumentedJSON(t *testing.T) {
	dir := t.TempDir()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if out, err := exec.Command("git", "init", "-q", "--bare", filepath.Join(dir, "team.git")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range map[string]string{"work/x.md": "x\n", "new/n.md": "n\n", "moved/y": "", "bad.toml": "them = 1\n", "project/memory-bank/a.md": "a\n", "agents/CLAUDE.md": "@a.md\n", "agents/a.md": "a\n"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"HOME": dir, "MEMEND_STORE": "", "MEMEND_CONFIG": "", "XDG_CONFIG_HOME": dir, "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "", "GEMINI_CLI_HOME": "", "VISUAL": "", "EDITOR": "true"} {
		t.Setenv(name, value)
	}
	seen := map[string]bool{}
	for _, c := range jsonCases {
		args := append([]string{"--home", filepath.Join(dir, "home")}, strings.Fields(strings.ReplaceAll(c.command, "$DIR", dir))...)
		var out, errs bytes.Buffer
		code := Run(append(args, "--json"), strings.NewReader(c.in), &out, &errs)
		if want := map[bool]int{true: 1}[c.object == "problem"]; code != want {
			t.Fatalf("%s ends with %d: %s", c.command, code, errs.String())
		}
		checkJSON := objectChecker(t, c.command, c.object)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		for _, line := range lines {
			checkJSON(line)
		}
		root := rootCommand((&program{}))
		if cmd, _, err := root.Find(strings.Fields(c.command)); err == nil {
			seen[strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "memend"), " ")] = true
		}
	}
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "memend"), " ")
		if !cmd.Runnable() || seen[name] || withoutJSON[name] != "" {
			return
		}
		line := map[string]string{"help completion": "bash", "help man": filepath.Join(dir, "man")}[name]
		var out, errs bytes.Buffer
		code := Run(strings.Fields(name+" "+line+" --json"), strings.NewReader(""), &out, &errs)
		if code != exitMisuse || out.Len() > 0 || !strings.Contains(errs.String(), "there is no JSON of") {
			t.Errorf("%s is in no case, and with --json it ends with %d: %s%s", cmd.CommandPath(), code, out.String(), errs.String())
		}
	})
}

// objectChecker compares a line of output with the table's description of an object.
func objectChecker(t *testing.T, command, name string) func(line string) {
	i := slices.IndexFunc(objects, func(o object) bool { return o.name == name })
	if i < 0 {
		t.Fatalf("%s: %s is no object of the table", command, name)
	}
	fields, own := jsonFields(), fieldsOf(objects[i].of)
	var check func(at string, v any)
	check = func(at string, v any) {
		switch v := v.(type) {
		case nil:
			t.Errorf("%s: %s is null", command, at)
		case []any:
			for _, x := range v {
				check(at, x)
			}
		case map[string]any:
			for key, x := range v {
				if fields[key] == "" || at == "" && !slices.Contains(own, key) {
					t.Errorf("%s: %s.%s is not in the table", command, at, key)
				}
				if s, ok := x.(string); (strings.HasSuffix(key, "_at") && key != "committed_at" || key == "as_of") && !(ok && stamped.MatchString(s)) {
					t.Errorf("%s: %s.%s is %v", command, at, key, x)
				}
				if key != "metadata" && key != "value" && name != "event" {
					check(at+"."+key, x)
				}
			}
		}
	}
	return func(line string) {
		var v map[string]any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Errorf("%s: %q is no object: %v", command, line, err)
			return
		}
		check("", v)
	}
}

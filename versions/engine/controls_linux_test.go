package engine_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	withControls  = flag.Bool("controls", false, "break the engine on purpose, one defence after the other, and see that a test notices (minutes)")
	controlsEach  = flag.Int("controls.each", 1, "take out only each of this many defences")
	controlsBegin = flag.Int("controls.begin", 0, "take out the defences whose place in the list leaves this remainder")
)

// control is a defence that is taken out of the engine, and who must notice. A
// test that never failed proves nothing.
type control struct {
	name  string
	edits []edit
	test  string   // that must fail
	args  []string // for it
	says  string   // what it must say, as a pattern: another failure would be one for the wrong reason
}

// edit replaces a text in the body of a function. Only one function of this name, in any
// file, holds the text. Without a name, only one function of the engine holds it.
type edit struct{ in, from, to string }

// withoutEnv names the control whose defence a binary of [buildControls] leaves out.
const withoutEnv = "MEMEND_TEST_WITHOUT"

const (
	killTest  = "TestKilledProcessesLoseNothing"
	powerTest = "TestALossOfPowerAtAnyMomentLosesNothing"
	taken     = "was taken for another program's"
)

var controls = []control{
	{"no lock", []edit{{"await", "err := flock(l.f)", "err := error(nil)"}}, killTest, nil, "an update was lost|numbers have gaps|UNIQUE constraint failed: change.store, change.number"},
	{"no recovery", []edit{
		{"recover", "\tvar any int\n", "\treturn nil\n\tvar any int\n"},
	}, killTest, nil, "not completed"},
	{"recovery at open only", []edit{
		{"Enter", "\tif err := s.catchUp(context.WithoutCancel(ctx)); err != nil {", "\tif err := error(nil); err != nil {"},
	}, killTest, nil, taken},
	{"the folder before the trail", []edit{
		{"CommitAndApply", "\tif err := AtStep(s.Trail, \"before-intent-commit\"); err != nil {", "\tif err := s.run(ctx, d.Steps, new(int)); err != nil {\n\t\treturn err\n\t}\n\tif err := AtStep(s.Trail, \"before-intent-commit\"); err != nil {"},
	}, killTest, nil, taken},
	{"the folder before the trail, in a loss of power", []edit{
		{"CommitAndApply", "\tif err := AtStep(s.Trail, \"before-intent-commit\"); err != nil {", "\tif err := s.run(ctx, d.Steps, new(int)); err != nil {\n\t\treturn err\n\t}\n\tif err := AtStep(s.Trail, \"before-intent-commit\"); err != nil {"},
	}, powerTest, nil, taken},
	{"commits that don't wait for the disk", []edit{
		{"", `mode = "FULL"`, `mode = "NORMAL"`},
		{"", "synchronous(full)", "synchronous(normal)"},
	}, powerTest, nil, "is lost"},
	{"nothing made up for after a loss of power", []edit{
		{"", "err := s.repairCrash(ctx)", "err := error(nil)"},
	}, powerTest, nil, taken + "|changes stay open"}, // which one comes first depends on the moment
	{"flushed without a sync", []edit{
		{"", "failed := s.syncSteps(stepsOf(open))", "failed := error(nil)"},
	}, powerTest, nil, taken},
	{"flushed without a sync of folders", []edit{
		{"", "err := dir.SyncDir(p);", "_, err := p, error(nil);"},
	}, powerTest, nil, taken},
	{"a renamed file synced under its old name only", []edit{
		{"", "files[st.To] = true", "_ = files"},
	}, "TestAFlushSyncsAFileThatWasRenamedSince", nil, `synced \[`},
	{"a renamed folder flushed later", []edit{
		{"", "return st.Op == memfs.OpRename && st.Old == (versions.Hash{})", "return false && st.Op == memfs.OpRename && st.Old == (versions.Hash{})"},
	}, powerTest, nil, taken},
	{"torn files taken for another program's", []edit{
		{"", "if len(b) > len(full) {", "if true {"},
	}, powerTest, nil, taken},
	{"a new home whose name is not kept", []edit{
		{"", "return errors.Join(d.SyncDir(memfs.Root), d.Close())", "return d.Close()"},
	}, powerTest, nil, "is lost"},
	{"an old content always taken for a lost write", []edit{
		{"", "OpenChanges(ctx, s, `boot<>?`", "OpenChanges(ctx, s, `boot IS NOT NULL OR boot<>?`"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
	{"a newer content taken for a lost write", []edit{
		{"", "return info.Sig.Mtime > done || l.known[now], nil", "return done < 0, nil"},
	}, "TestWhatAnotherProgramDidAfterAnUnflushedChangeIsAdopted", nil, `want "a1`},
	{"what is carried out done again", []edit{
		{"", "WHERE store=? AND carried=0 LIMIT 1", "WHERE store=? LIMIT 1"},
		{"", "OpenChanges(ctx, s, `carried=0`)", "OpenChanges(ctx, s, `1`)"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
}

func TestEachDefenceIsMissedWhenItIsTakenOut(t *testing.T) {
	t.Parallel()
	if !*withControls {
		t.Skip("runs with -controls")
	}
	bin := buildControls(t)
	for i, c := range controls {
		if i%*controlsEach != *controlsBegin%*controlsEach {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.test == powerTest {
				newPowerCut(t).done() // skips where power can't be cut
			}
			args := append([]string{"-test.run", "^" + c.test + "$", "-test.v", "-kill.rounds=40", "-power.states=4000", "-power.acts=30"}, c.args...)
			var out []byte
			for seed := range 5 { // another check may have been quicker
				args := append(args, fmt.Sprintf("-kill.seed=%d", seed+1), fmt.Sprintf("-power.seed=%d", seed+1))
				cmd := exec.Command(bin, args...)
				cmd.Env = append(os.Environ(), withoutEnv+"="+c.name)
				var err error
				if out, err = cmd.CombinedOutput(); err == nil {
					t.Fatalf("%s did not notice:\n%s", c.test, tail(out))
				}
				if regexp.MustCompile(c.says).Match(out) {
					return
				}
			}
			t.Errorf("%s fails for another reason than %q:\n%s", c.test, c.says, tail(out))
		})
	}
}

// Each control still applies to the sources as they are. This takes no time; what the
// controls break is tested with -controls.
func TestControls_ApplyToTheSources(t *testing.T) {
	t.Parallel()
	engine := readEngine(t)
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) { c.bodies(t, engine) })
	}
	if t.Failed() {
		return
	}
	for file, text := range withSwitches(t, engine) {
		if _, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution); err != nil {
			t.Error(err)
		}
	}
}

// sources are the sources of the engine: of all packages in versions.
type sources struct {
	sources   map[string]string // by file
	packages  map[string]string // the name of the package in a folder
	functions []function        // in the order of their files, and in the files' order
}

type function struct {
	file, name, results, body string
	at                        int // where the body begins in its file, after the brace
}

func readEngine(t *testing.T) sources {
	t.Helper()
	e := sources{sources: map[string]string{}, packages: map[string]string{}}
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, file, b, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		text := func(from, to token.Pos) string {
			return string(b[files.Position(from).Offset:files.Position(to).Offset])
		}
		e.sources[file] = string(b)
		e.packages[filepath.Dir(file)] = f.Name.Name
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			inside := fn.Body.Lbrace + 1
			found := function{file: file, name: fn.Name.Name, body: text(inside, fn.Body.Rbrace), at: files.Position(inside).Offset}
			if r := fn.Type.Results; r != nil {
				found.results = text(r.Pos(), r.End())
			}
			e.functions = append(e.functions, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// bodies returns the bodies without the defence, by index in the engine's functions.
func (c control) bodies(t *testing.T, in sources) map[int]string {
	t.Helper()
	changed := map[int]string{}
	for _, e := range c.edits {
		times := 0
		for i, f := range in.functions {
			if e.in != "" && e.in != f.name {
				continue
			}
			body, ok := changed[i]
			if !ok {
				body = f.body
			}
			if n := strings.Count(body, e.from); n > 0 {
				times += n
				changed[i] = strings.Replace(body, e.from, e.to, 1)
			}
		}
		if times != 1 {
			t.Fatalf("%q holds %q %d times", e.in, e.from, times)
		}
	}
	return changed
}

// withSwitches returns the files that the controls need to differ, by name. A function that
// holds a defence begins with a switch for each of its controls: if [withoutEnv] names the
// control, the body without the defence runs.
func withSwitches(t *testing.T, in sources) map[string]string {
	t.Helper()
	switches := make([]string, len(in.functions))
	for _, c := range controls {
		for i, body := range c.bodies(t, in) {
			run := "func() {" + body + "}(); return"
			if results := in.functions[i].results; results != "" {
				run = "return func() " + results + " {" + body + "}()"
			}
			switches[i] += fmt.Sprintf("\nif withoutDefence == %q {\n%s\n}\n", c.name, run)
		}
	}
	files := map[string]string{}
	for i := len(switches) - 1; i >= 0; i-- { // from the end of each file, so that offsets stay right
		if switches[i] == "" {
			continue
		}
		f := in.functions[i]
		text, ok := files[f.file]
		if !ok {
			text = in.sources[f.file]
			dir := filepath.Dir(f.file)
			files[filepath.Join(dir, "without_defence.go")] = fmt.Sprintf(
				"package %s\n\nimport \"os\"\n\nvar withoutDefence = os.Getenv(%q)\n", in.packages[dir], withoutEnv)
		}
		files[f.file] = text[:f.at] + switches[i] + text[f.at:]
	}
	return files
}

// buildControls makes a test binary of this package that leaves out the defence that
// [withoutEnv] names. The sources stay as they are: the compiler is shown others in their
// place.
func buildControls(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range withSwitches(t, readEngine(t)) {
		p := filepath.Join(dir, strings.ReplaceAll(file, string(filepath.Separator), "-"))
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, file)] = p
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "engine.test")
	if err := os.WriteFile(list, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

func tail(out []byte) string {
	const most = 3000
	if len(out) > most {
		return fmt.Sprintf("...%s", out[len(out)-most:])
	}
	return string(out)
}

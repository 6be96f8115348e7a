package versions

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

var withControls = flag.Bool("controls", false, "break the engine on purpose, one defence after the other, and see that a test notices (minutes)")

// control is a defence that is taken out of the engine, and who must notice. A
// test that never failed proves nothing.
type control struct {
	name  string
	edits []edit
	test  string   // that must fail
	args  []string // for it
	says  string   // what it must say, as a pattern: another failure would be one for the wrong reason
}

// edit replaces a text of a function that no two functions of this name hold, in any
// file. Without the name the text is in one place only.
type edit struct{ in, from, to string }

const (
	killTest  = "TestKilledProcessesLoseNothing"
	powerTest = "TestALossOfPowerAtAnyMomentLosesNothing"
	taken     = "was taken for another program's"
)

var controls = []control{
	{"no lock", []edit{{"Acquire", "err := flock(l.f)", "err := error(nil)"}}, killTest, nil, "an update was lost|numbers have gaps|UNIQUE constraint failed: change.store, change.number"},
	{"no recovery", []edit{
		{"recover", "\tvar any int\n", "\treturn nil\n\tvar any int\n"},
	}, killTest, nil, "half done"},
	{"recovery at open only", []edit{
		{"", "\tif err := s.catchUp(context.WithoutCancel(ctx)); err != nil {\n\t\tunlock()", "\tif err := error(nil); err != nil {\n\t\tunlock()"},
	}, killTest, nil, taken},
	{"the folder before the trail", []edit{
		{"commitAndApply", "\tif err := s.t.step(\"before-intent-commit\"); err != nil {", "\tif err := s.run(ctx, d.steps, new(int)); err != nil {\n\t\treturn err\n\t}\n\tif err := s.t.step(\"before-intent-commit\"); err != nil {"},
	}, killTest, nil, taken},
	{"the folder before the trail, in a loss of power", []edit{
		{"commitAndApply", "\tif err := s.t.step(\"before-intent-commit\"); err != nil {", "\tif err := s.run(ctx, d.steps, new(int)); err != nil {\n\t\treturn err\n\t}\n\tif err := s.t.step(\"before-intent-commit\"); err != nil {"},
	}, powerTest, nil, taken},
	{"commits that don't wait for the disk", []edit{
		{"", `mode = "FULL"`, `mode = "NORMAL"`},
		{"", "synchronous(full)", "synchronous(normal)"},
	}, powerTest, nil, "is lost"},
	{"nothing made up for after a loss of power", []edit{
		{"", "err := s.repairCrash(ctx)", "err := error(nil)"},
	}, powerTest, nil, taken},
	{"settled without a sync", []edit{
		{"", "failed := s.syncSteps(stepsOf(open))", "failed := error(nil)"},
	}, powerTest, nil, taken},
	{"settled without a sync of folders", []edit{
		{"", "err := dir.SyncDir(p);", "_, err := p, error(nil);"},
	}, powerTest, nil, taken},
	{"a renamed file synced under its old name only", []edit{
		{"", "files[st.to] = true", "_ = files"},
	}, "TestSettlingSyncsAFileThatWasRenamedSince", nil, `synced \[`},
	{"a renamed folder settled later", []edit{
		{"", "return st.op == memfs.OpRename && st.old == (Hash{})", "return false && st.op == memfs.OpRename && st.old == (Hash{})"},
	}, powerTest, nil, taken},
	{"torn files taken for another program's", []edit{
		{"", "if len(b) > len(full) {", "if true {"},
	}, powerTest, nil, taken},
	{"a new home whose name is not kept", []edit{
		{"", "return errors.Join(d.SyncDir(memfs.Root), d.Close())", "return d.Close()"},
	}, powerTest, nil, "is lost"},
	{"an old content always taken for a lost write", []edit{
		{"", "s.openChanges(ctx, `boot<>?`", "s.openChanges(ctx, `boot IS NOT NULL OR boot<>?`"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
	{"a newer content taken for a lost write", []edit{
		{"", "return info.Sig.Mtime > done || l.known[now], nil", "return done < 0, nil"},
	}, "TestWhatAnotherProgramDidAfterAnUnsettledChangeIsAdopted", nil, `want "a1`},
	{"what is carried out done again", []edit{
		{"", "WHERE store=? AND carried=0 LIMIT 1", "WHERE store=? LIMIT 1"},
		{"", "s.openChanges(ctx, `carried=0`)", "s.openChanges(ctx, `1`)"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
}

func TestEachDefenceIsMissedWhenItIsTakenOut(t *testing.T) {
	t.Parallel()
	if !*withControls {
		t.Skip("runs with -controls")
	}
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // one builds while another runs
			if c.test == powerTest {
				newPowerCut(t).done() // skips where power can't be cut
			}
			bin := c.build(t)
			args := append([]string{"-test.run", "^" + c.test + "$", "-test.v", "-kill.rounds=40", "-power.states=4000"}, c.args...)
			var out []byte
			for seed := range 5 { // another check may have been quicker
				var err error
				args := append(args, fmt.Sprintf("-kill.seed=%d", seed+1), fmt.Sprintf("-power.seed=%d", seed+1))
				if out, err = exec.Command(bin, args...).CombinedOutput(); err == nil {
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

// Each control still changes the sources as they are. This takes no time; what the
// changes break is tested with -controls.
func TestControls_ApplyToTheSources(t *testing.T) {
	t.Parallel()
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) {
			for file, source := range c.broken(t) {
				if _, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// broken returns the sources that the control changes, without the defence, by file.
func (c control) broken(t *testing.T) map[string]string {
	t.Helper()
	sources := engineSources(t)
	changed := map[string]string{}
	for _, e := range c.edits {
		times := 0
		for file, source := range sources {
			for _, part := range e.parts(t, file, source) {
				if n := strings.Count(part, e.from); n > 0 {
					times += n
					changed[file] = strings.Replace(source, part, strings.Replace(part, e.from, e.to, 1), 1)
				}
			}
		}
		if times != 1 {
			t.Fatalf("%q holds %q %d times", e.in, e.from, times)
		}
		for file := range changed {
			sources[file] = changed[file]
		}
	}
	return changed
}

// parts returns the texts of a source that the edit may be in.
func (e edit) parts(t *testing.T, file, source string) (parts []string) {
	t.Helper()
	if e.in == "" {
		return []string{source}
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == e.in {
			parts = append(parts, source[files.Position(fn.Pos()).Offset:files.Position(fn.End()).Offset])
		}
	}
	return parts
}

// engineSources reads the sources of this package and those below it.
func engineSources(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		sources[file] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// build makes the test binary of this package without the defence. The sources stay as
// they are: the compiler is shown others in their place. Without optimisations and tables
// for debuggers a build takes half as long.
func (c control) build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sources := c.broken(t)
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for file, source := range sources {
		p := filepath.Join(dir, strings.ReplaceAll(file, string(filepath.Separator), "-"))
		if err := os.WriteFile(p, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(here, file)] = p
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	list, bin := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "versions.test")
	if err := os.WriteFile(list, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-N -l", "-ldflags=-s -w", "-overlay", list, "-o", bin, ".").CombinedOutput(); err != nil {
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

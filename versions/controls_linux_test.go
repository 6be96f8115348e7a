package versions

import (
	"encoding/json"
	"flag"
	"fmt"
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

// edit replaces a text that a file holds exactly once.
type edit struct{ file, from, to string }

const (
	killTest  = "TestKilledProcessesLoseNothing"
	powerTest = "TestALossOfPowerAtAnyMomentLosesNothing"
	taken     = "was taken for another program's"
)

var controls = []control{
	{"no lock", []edit{{"disk/lock.go", "err := flock(l.f)", "err := error(nil)"}}, killTest, nil, "an update was lost|numbers have gaps|UNIQUE constraint failed: change.store, change.number"},
	{"no recovery", []edit{
		{"write_recover.go", "\tvar any int\n", "\treturn nil\n\tvar any int\n"},
	}, killTest, nil, "half done"},
	{"recovery at open only", []edit{
		{"store.go", "\tif err := s.catchUp(context.WithoutCancel(ctx)); err != nil {\n\t\tunlock()", "\tif err := error(nil); err != nil {\n\t\tunlock()"},
	}, killTest, nil, taken},
	{"the folder before the trail", []edit{
		{"write.go", "\tif err := s.t.step(\"before-intent-commit\"); err != nil {", "\tif err := s.run(d.steps, new(int)); err != nil {\n\t\treturn Change{}, err\n\t}\n\tif err := s.t.step(\"before-intent-commit\"); err != nil {"},
	}, killTest, nil, taken},
	{"the folder before the trail, in a loss of power", []edit{
		{"write.go", "\tif err := s.t.step(\"before-intent-commit\"); err != nil {", "\tif err := s.run(d.steps, new(int)); err != nil {\n\t\treturn Change{}, err\n\t}\n\tif err := s.t.step(\"before-intent-commit\"); err != nil {"},
	}, powerTest, nil, taken},
	{"commits that don't wait for the disk", []edit{
		{"write_txn.go", `mode = "FULL"`, `mode = "NORMAL"`},
		{"trail.go", "synchronous(full)", "synchronous(normal)"},
	}, powerTest, nil, "is lost"},
	{"nothing made up for after a loss of power", []edit{
		{"store.go", "err := s.repairCrash(ctx)", "err := error(nil)"},
	}, powerTest, nil, taken},
	{"settled without a sync", []edit{
		{"write_flush.go", "failed := s.syncSteps(stepsOf(open))", "failed := error(nil)"},
	}, powerTest, nil, taken},
	{"settled without a sync of folders", []edit{
		{"write_flush.go", "err := dir.SyncDir(p);", "_, err := p, error(nil);"},
	}, powerTest, nil, taken},
	{"a renamed file synced under its old name only", []edit{
		{"write_flush.go", "files[st.to] = true", "_ = files"},
	}, "TestSettlingSyncsAFileThatWasRenamedSince", nil, `synced \[`},
	{"a renamed folder settled later", []edit{
		{"write_flush.go", "return st.op == memfs.OpRename && st.old == (Hash{})", "return false && st.op == memfs.OpRename && st.old == (Hash{})"},
	}, powerTest, nil, taken},
	{"torn files taken for another program's", []edit{
		{"write_repair_crash.go", "if len(b) > len(full) {", "if true {"},
	}, powerTest, nil, taken},
	{"a new home whose name is not kept", []edit{
		{"disk/files.go", "return errors.Join(d.SyncDir(memfs.Root), d.Close())", "return d.Close()"},
	}, powerTest, nil, "is lost"},
	{"an old content always taken for a lost write", []edit{
		{"write_repair_crash.go", "s.openChanges(ctx, `boot<>?`", "s.openChanges(ctx, `boot IS NOT NULL OR boot<>?`"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
	{"a newer content taken for a lost write", []edit{
		{"write_repair_crash.go", "return info.Sig.Mtime > done || l.known[now], nil", "return done < 0, nil"},
	}, "TestWhatAnotherProgramDidAfterAnUnsettledChangeIsAdopted", nil, `want "a1`},
	{"what is carried out done again", []edit{
		{"write_recover.go", "WHERE store=? AND carried=0 LIMIT 1", "WHERE store=? LIMIT 1"},
		{"write_recover.go", "s.openChanges(ctx, `carried=0`)", "s.openChanges(ctx, `1`)"},
	}, "TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork", nil, `want "a1`},
}

func TestEachDefenceIsMissedWhenItIsTakenOut(t *testing.T) {
	t.Parallel()
	if !*withControls {
		t.Skip("runs with -controls")
	}
	newPowerCut(t).done() // skips where power can't be cut
	for _, c := range controls {
		t.Run(c.name, func(t *testing.T) {
			bin := c.build(t)
			args := append([]string{"-test.run", "^" + c.test + "$", "-test.v", "-kill.rounds=40", "-power.states=4000"}, c.args...)
			var out []byte
			for range 5 { // another check may have been quicker
				var err error
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

// build makes the test binary of this package without the defence. The sources
// stay as they are: the compiler is shown others in their place.
func (c control) build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sources := map[string]string{}
	for _, e := range c.edits {
		source, ok := sources[e.file]
		if !ok {
			b, err := os.ReadFile(e.file)
			if err != nil {
				t.Fatal(err)
			}
			source = string(b)
		}
		if n := strings.Count(source, e.from); n != 1 {
			t.Fatalf("%s holds %q %d times", e.file, e.from, n)
		}
		sources[e.file] = strings.Replace(source, e.from, e.to, 1)
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for file, source := range sources {
		p := filepath.Join(dir, filepath.Base(file))
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

package guard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The cases are those of the OWASP Agent Memory Guard. The rules were written with these cases at hand.
func TestCasesOfPoisonedMemoriesAreFound(t *testing.T) {
	right, all := 0, 0
	for _, c := range eachJSON[struct {
		Key, Value, Description string
		ShouldDetect            bool `json:"should_detect"`
	}](t, corpus(t), "poison-corpus/cases.jsonl") {
		all++
		if found := Check(c.Key, []byte(c.Value)); (len(found) > 0) == c.ShouldDetect {
			right++
		} else {
			t.Logf("%s: %d findings", c.Description, len(found))
		}
	}
	t.Logf("%d of %d", right, all)
	if all < 31 || right*10 < all*9 {
		t.Errorf("%d of %d cases are right, want nine of ten", right, all)
	}
}

// Two texts have characters that a broken script wrote for a backslash and a letter, and four install a program with curl. Two retell how
// an agent took words of a user for "permission to skip all safety checks".
func TestRecordedMemoriesHaveFewFindings(t *testing.T) {
	rules, texts, all := map[string]int{}, 0, 0
	for _, text := range memories(t) {
		all++
		found := Check("/memories/a.md", text)
		if len(found) > 0 {
			texts++
		}
		for _, f := range found {
			rules[f.Rule]++
			if f.Kind == Secret {
				t.Errorf("a secret: %s in %q", f.Rule, text[max(0, f.Start-60):min(len(text), f.End+60)])
			}
		}
	}
	t.Logf("%d of %d texts have findings: %v", texts, all, rules)
	if texts > all/200 {
		t.Errorf("%d of %d texts have findings: %v", texts, all, rules)
	}
}

// piguard reads the data sets of PIGuard (MIT), which are not part of the repository.
func piguard[T any](t *testing.T, name string) (out T) {
	t.Helper()
	folder := os.Getenv("MEMEND_PIGUARD")
	if folder == "" {
		t.Skip("MEMEND_PIGUARD does not name the folder with PIGuard's data sets")
	}
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPromptsOfPeopleHaveFewFindings(t *testing.T) {
	all, alarms := 0, 0
	for _, name := range []string{"NotInject_one.json", "NotInject_two.json", "NotInject_three.json", "wildguard.json"} {
		for _, p := range piguard[[]struct{ Prompt string }](t, name) {
			all++
			if found := Check("", []byte(p.Prompt)); len(found) > 0 {
				alarms++
				t.Logf("%s: %s in %q", name, found[0].Rule, p.Prompt[found[0].Start:found[0].End])
			}
		}
	}
	t.Logf("%d of %d prompts have findings", alarms, all)
	if all != 1310 || alarms*100 > all {
		t.Errorf("%d of %d prompts have findings, want at most 1 %%", alarms, all)
	}
}

// The attacks of BIPIA ask for ordinary things, in a place where nobody should ask for anything. Text alone does not show that, and this
// test only says how little it shows.
func TestAttacksThatReadLikeRequestsAreNotFound(t *testing.T) {
	for _, name := range []string{"BIPIA_text.json", "BIPIA_code.json"} {
		all, found := 0, 0
		for _, attacks := range piguard[map[string][]string](t, name) {
			for _, attack := range attacks {
				all++
				if len(Check("", []byte(attack))) > 0 {
					found++
				}
			}
		}
		t.Logf("%s: %d of %d", name, found, all)
	}
}

package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The manual lists each variable that the program reads, and no other.
func TestTheManualNamesEveryVariableOfTheEnvironment(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	name := regexp.MustCompile(`"(MEMEND_[A-Z_]*[A-Z])"`)
	err := filepath.WalkDir("../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		b, err := os.ReadFile(file)
		for _, m := range name.FindAllStringSubmatch(string(b), -1) {
			read[m[1]] = !strings.HasPrefix(m[1], "MEMEND_TEST_") // those are for tests
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	_, environment, _ := strings.Cut(helpText("manual"), "ENVIRONMENT\n\n")
	environment, _, _ = strings.Cut(environment, "\n\n")
	for line := range strings.Lines(environment) {
		names, _, _ := strings.Cut(line, "\t")
		for n := range strings.SplitSeq(names, ", ") {
			named[n] = true
			if strings.HasPrefix(n, "MEMEND_") && !strings.Contains(n, "<") && !read[n] {
				t.Errorf("the manual names %s, which nothing reads", n)
			}
		}
	}
	for n, is := range read {
		if is && !named[n] {
			t.Errorf("the manual does not name %s", n)
		}
	}
	if len(read) < 5 {
		t.Errorf("found only %v", read)
	}
}
